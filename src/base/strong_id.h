// Ids that cannot be mixed up: a StreamId is not a TimerId, and neither is a number.
//
//   using StreamId = StrongId<struct StreamIdTag>;
//   IdSource<StreamId> streams;
//   StreamId first = streams.Next();   // 1; the default id, 0, is no stream at all
#pragma once

#include <compare>
#include <cstdint>
#include <ostream>

namespace holdfast {

template <class Tag>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(uint64_t value) : value_(value) {}

  constexpr uint64_t value() const { return value_; }
  constexpr bool is_set() const { return value_ != 0; }

  friend constexpr auto operator<=>(StrongId, StrongId) = default;

  template <class H>
  friend H AbslHashValue(H hash, StrongId id) {
    return H::combine(std::move(hash), id.value_);
  }
  friend std::ostream& operator<<(std::ostream& out, StrongId id) {
    return out << '#' << id.value_;
  }

 private:
  uint64_t value_ = 0;
};

// Hands out ids in order, never one twice.
template <class Id>
class IdSource {
 public:
  Id Next() { return Id(++last_); }

 private:
  uint64_t last_ = 0;
};

}  // namespace holdfast
