#include "wire/piece_reader.h"

#include <algorithm>
#include <utility>

namespace holdfast {

bool PieceReader::JoinCutField(WireField& field) {
  std::string whole(reader_.unread());
  absl::string_view rest;
  while (const size_t missing = MissingOfFirstField(whole)) {
    if (rest.empty()) {
      if (next_ == pieces_.size()) break;
      rest = pieces_[next_++];
    }
    const size_t taken = std::min(missing, rest.size());
    whole.append(rest.data(), taken);
    rest.remove_prefix(taken);
  }
  joined_.push_back(std::move(whole));
  WireReader one(joined_.back());
  is_broken_ = !one.Next(field);
  // With a group, whose size nobody knows, all that follows it was joined as well.
  reader_ = one.unread().empty() ? WireReader(rest) : one;
  return !is_broken_;
}

}  // namespace holdfast
