// Entries sorted by name, in chunks that never change: a list that differs from another in a few
// entries shares all other chunks with it.
//
//   before   [a b c d] [f g h k] [m n p q]
//   after    [a b c d] [f g'h k] [m n p q]     one chunk is new, two are the same objects
//
// - No chunk is empty or longer than kMost; all but the first hold at least kLeast.
// - Changed() costs the chunks it touches and a copy of pointers to the others.
// - DifferingNames() costs the chunks that are not shared.
//
// An entry has a name by EntryName(), found in its namespace. Thread-safe: immutable once made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace holdfast {

template <class Entry>
class SortedChunks {
 public:
  using Chunk = std::vector<Entry>;
  static constexpr size_t kMost = 128;
  static constexpr size_t kLeast = 16;

  // How one name is to be: another entry, or none.
  struct Change {
    std::string name;
    std::optional<Entry> entry;
  };

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = const Entry*;
    using reference = const Entry&;

    Iterator() = default;
    reference operator*() const { return (**chunk_)[at_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      if (++at_ == (*chunk_)->size()) NextChunk();
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    friend SortedChunks;
    explicit Iterator(const std::shared_ptr<const Chunk>* chunk) : chunk_(chunk) {}
    // At the start of it, both.
    bool IsAtTheSameChunkAs(const Iterator& other) const {
      return at_ == 0 && other.at_ == 0 && *chunk_ == *other.chunk_;
    }
    void NextChunk() {
      ++chunk_;
      at_ = 0;
    }

    const std::shared_ptr<const Chunk>* chunk_ = nullptr;
    size_t at_ = 0;
  };

  using value_type = Entry;
  using iterator = Iterator;
  using const_iterator = Iterator;

  SortedChunks() = default;
  // REQUIRES: `entries` are sorted by name; each name is there once.
  explicit SortedChunks(Chunk entries) { Append(std::move(entries)); }

  Iterator begin() const { return Iterator(chunks_.data()); }
  Iterator end() const { return Iterator(chunks_.data() + chunks_.size()); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // For those who ask what is shared.
  const std::vector<std::shared_ptr<const Chunk>>& chunks() const { return chunks_; }

  // Null if there is none.
  const Entry* Find(absl::string_view name) const {
    if (chunks_.empty()) return nullptr;
    const Chunk& chunk = *chunks_[ChunkOf(name)];
    const auto found = FirstNotLess(chunk, name);
    return found != chunk.end() && EntryName(*found) == name ? &*found : nullptr;
  }

  // The first entry whose name is not less.
  Iterator LowerBound(absl::string_view name) const {
    if (chunks_.empty()) return end();
    Iterator at(chunks_.data() + ChunkOf(name));
    const Chunk& chunk = **at.chunk_;
    const auto found = FirstNotLess(chunk, name);
    if (found == chunk.end()) {
      at.NextChunk();
    } else {
      at.at_ = static_cast<size_t>(found - chunk.begin());
    }
    return at;
  }

  // REQUIRES: `changes` are sorted by name; each name is there once.
  SortedChunks Changed(std::vector<Change> changes) const {
    SortedChunks after;
    after.chunks_.reserve(chunks_.size() + 1);
    size_t next = 0;  // of chunks_
    for (auto change = changes.begin(); change != changes.end();) {
      const size_t touched = chunks_.empty() ? 0 : ChunkOf(change->name);
      while (next < touched) after.Share(chunks_[next++]);
      auto end = changes.end();
      if (touched + 1 < chunks_.size()) {
        const absl::string_view border = EntryName(chunks_[touched + 1]->front());
        end = std::find_if(change, end, [&](const Change& one) { return one.name >= border; });
      }
      static const Chunk* const kNothing = new Chunk;
      after.Append(Merged(chunks_.empty() ? *kNothing : *chunks_[touched], change, end));
      next = touched + 1;
      change = end;
    }
    while (next < chunks_.size()) after.Share(chunks_[next++]);
    return after;
  }

  // The names that only one of both has, or whose entries differ; sorted.
  template <class Differ>
  static std::vector<std::string> DifferingNames(const SortedChunks& before,
                                                 const SortedChunks& after, Differ differ) {
    std::vector<std::string> names;
    Iterator old = before.begin();
    Iterator now = after.begin();
    while (old != before.end() || now != after.end()) {
      if (old != before.end() && now != after.end() && old.IsAtTheSameChunkAs(now)) {
        old.NextChunk();
        now.NextChunk();
      } else if (now == after.end() || (old != before.end() && EntryName(*old) < EntryName(*now))) {
        names.push_back(EntryName(*old++));
      } else if (old == before.end() || EntryName(*now) < EntryName(*old)) {
        names.push_back(EntryName(*now++));
      } else {
        if (differ(*old, *now)) names.push_back(EntryName(*now));
        ++old;
        ++now;
      }
    }
    return names;
  }

 private:
  static typename Chunk::const_iterator FirstNotLess(const Chunk& chunk, absl::string_view name) {
    return std::lower_bound(
        chunk.begin(), chunk.end(), name,
        [](const Entry& one, absl::string_view wanted) { return EntryName(one) < wanted; });
  }

  // The one that has the name, or would have it. REQUIRES: there is a chunk.
  size_t ChunkOf(absl::string_view name) const {
    const auto after = std::upper_bound(
        chunks_.begin() + 1, chunks_.end(), name,
        [](absl::string_view wanted, const auto& one) { return wanted < EntryName(one->front()); });
    return static_cast<size_t>(after - chunks_.begin()) - 1;
  }

  template <class ChangeIterator>
  static Chunk Merged(const Chunk& chunk, ChangeIterator change, ChangeIterator end) {
    Chunk merged;
    merged.reserve(chunk.size() + static_cast<size_t>(end - change));
    auto old = chunk.begin();
    for (; change != end; ++change) {
      while (old != chunk.end() && EntryName(*old) < change->name) merged.push_back(*old++);
      if (old != chunk.end() && EntryName(*old) == change->name) ++old;
      if (change->entry.has_value()) merged.push_back(*std::move(change->entry));
    }
    merged.insert(merged.end(), old, chunk.end());
    return merged;
  }

  void Share(std::shared_ptr<const Chunk> chunk) {
    size_ += chunk->size();
    chunks_.push_back(std::move(chunk));
  }

  // Entries that come after all that are here: as one chunk, with the last one, or as several.
  void Append(Chunk entries) {
    if (entries.empty()) return;
    if (entries.size() < kLeast && !chunks_.empty()) {
      const std::shared_ptr<const Chunk> last = std::move(chunks_.back());
      chunks_.pop_back();
      size_ -= last->size();
      entries.insert(entries.begin(), last->begin(), last->end());
    }
    const size_t count = (entries.size() + kMost - 1) / kMost;
    if (count == 1) {
      Share(std::make_shared<const Chunk>(std::move(entries)));
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      const auto at = [&](size_t part) {
        return std::make_move_iterator(entries.begin() +
                                       static_cast<std::ptrdiff_t>(entries.size() * part / count));
      };
      Share(std::make_shared<const Chunk>(at(i), at(i + 1)));
    }
  }

  std::vector<std::shared_ptr<const Chunk>> chunks_;
  size_t size_ = 0;
};

}  // namespace holdfast
