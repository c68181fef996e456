// Shared things at numbered places, chosen by weight, in a list that changes one place at a time.
//
//   WeightedList<Picker> list({{3, eu}, {0, nullptr}, {1, us}});
//   list.At(2);               // eu
//   list.At(3);               // us
//   const auto kept = list;   // a pointer
//   list.Set(1, {2, asia});   // `kept` does not notice
//
// A list of ten thousand changes as cheaply as one of a hundred: all but the way from the root to
// the place is shared with the list before. A copy may be read by any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"

namespace holdfast {

template <class T>
class WeightedList {
 public:
  struct Place {
    uint32_t weight = 0;            // 0: never chosen
    std::shared_ptr<const T> item;  // null only without a weight

    friend bool operator==(const Place&, const Place&) = default;
  };

  WeightedList() = default;
  // The weights add up to at most 2³² - 1, here and after each Set.
  explicit WeightedList(std::vector<Place> places) : size_(places.size()) {
    std::vector<std::shared_ptr<const Node>> level;
    for (size_t i = 0; i < places.size(); i += kWidth) {
      auto leaf = std::make_shared<Node>();
      for (size_t at = i; at < std::min(places.size(), i + kWidth); ++at) {
        leaf->Append(places[at].weight);
        leaf->items.push_back(std::move(places[at].item));
      }
      level.push_back(std::move(leaf));
    }
    for (; level.size() > 1; ++height_) level = Above(level);
    if (!level.empty()) root_ = std::move(level.front());
  }

  size_t size() const { return size_; }
  // Of all places together.
  uint32_t weight() const { return root_ == nullptr ? 0 : root_->weight(); }

  // What is at the place of this number; null if nothing is.
  const std::shared_ptr<const T>& Item(size_t place) const {
    HOLDFAST_CHECK(place < size_);
    const Node* node = root_.get();
    for (size_t height = height_; height > 0; --height) {
      node = node->children[IndexIn(height, place)].get();
    }
    return node->items[IndexIn(0, place)];
  }

  // Whose turn it is if the weights are laid end to end. REQUIRES: at < weight().
  const std::shared_ptr<const T>& At(uint32_t at) const {
    const Node* node = root_.get();
    for (size_t height = height_; height > 0; --height) {
      const size_t index = node->IndexAt(at, height);
      at -= node->Start(index);
      node = node->children[index].get();
    }
    return node->items[node->IndexAt(at, 0)];
  }

  void Set(size_t place, Place to) {
    HOLDFAST_CHECK(place < size_);
    root_ = With(*root_, height_, place, std::move(to));
  }

  // Those with a weight, in the order of their places.
  std::vector<Place> Weighted() const {
    std::vector<Place> all;
    if (root_ != nullptr) Collect(*root_, all);
    return all;
  }

  // Whether they have the same with a weight, in the same order; `is_same` says that of two items.
  // Lists of which one is a changed copy of the other are compared as cheaply as they are changed.
  template <class IsSame>
  bool Equals(const WeightedList& other, IsSame is_same) const {
    if (root_ == other.root_) return true;
    if (weight() != other.weight()) return false;
    if (size_ == other.size_) {
      if (const std::optional<bool> found = Compare(*root_, *other.root_, is_same)) return *found;
    }
    const std::vector<Place> ours = Weighted();
    const std::vector<Place> theirs = other.Weighted();
    return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                      [&](const Place& a, const Place& b) {
                        return a.weight == b.weight && is_same(*a.item, *b.item);
                      });
  }
  friend bool operator==(const WeightedList& a, const WeightedList& b) {
    return a.Equals(b, [](const T& one, const T& other) { return &one == &other; });
  }

 private:
  static constexpr size_t kBits = 5;
  static constexpr size_t kWidth = size_t{1} << kBits;

  struct Node {
    std::vector<uint32_t> ends;                         // the sums of the weights so far
    std::vector<std::shared_ptr<const Node>> children;  // of all but leaves
    std::vector<std::shared_ptr<const T>> items;        // of leaves

    uint32_t weight() const { return ends.back(); }
    uint32_t Start(size_t index) const { return index == 0 ? 0 : ends[index - 1]; }
    size_t IndexAt(uint32_t at, size_t height) const {
      // Where it is if all so far have a weight of 1, as where all endpoints are READY.
      const size_t guess = std::min(size_t{at} >> (kBits * height), ends.size() - 1);
      if (Start(guess) <= at && at < ends[guess]) return guess;
      return static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
    }
    void Append(uint32_t weight_of_next) {
      ends.push_back((ends.empty() ? 0 : ends.back()) + weight_of_next);
    }
  };

  // Leaves are at height 0.
  static size_t IndexIn(size_t height, size_t place) {
    return place >> (kBits * height) & (kWidth - 1);
  }

  static std::vector<std::shared_ptr<const Node>> Above(
      const std::vector<std::shared_ptr<const Node>>& level) {
    std::vector<std::shared_ptr<const Node>> above;
    for (size_t i = 0; i < level.size(); i += kWidth) {
      auto node = std::make_shared<Node>();
      for (size_t at = i; at < std::min(level.size(), i + kWidth); ++at) {
        node->Append(level[at]->weight());
        node->children.push_back(level[at]);
      }
      above.push_back(std::move(node));
    }
    return above;
  }

  static std::shared_ptr<const Node> With(const Node& before, size_t height, size_t place,
                                          Place to) {
    auto after = std::make_shared<Node>(before);
    const size_t index = IndexIn(height, place);
    uint32_t weight = to.weight;
    if (height == 0) {
      after->items[index] = std::move(to.item);
    } else {
      after->children[index] = With(*before.children[index], height - 1, place, std::move(to));
      weight = after->children[index]->weight();
    }
    // Modulo 2³²: what is taken away is taken from sums that have it.
    const uint32_t more = weight - (before.ends[index] - before.Start(index));
    for (size_t i = index; i < after->ends.size(); ++i) after->ends[i] += more;
    return after;
  }

  // Nullopt: their weights are at different places, so that more has to be looked at.
  template <class IsSame>
  static std::optional<bool> Compare(const Node& a, const Node& b, IsSame is_same) {
    if (&a == &b) return true;
    if (a.ends != b.ends) return std::nullopt;
    for (size_t i = 0; i < a.children.size(); ++i) {
      const std::optional<bool> found = Compare(*a.children[i], *b.children[i], is_same);
      if (found != true) return found;
    }
    for (size_t i = 0; i < a.items.size(); ++i) {
      if (a.items[i] == b.items[i]) continue;
      if (a.items[i] == nullptr || b.items[i] == nullptr) return std::nullopt;
      if (!is_same(*a.items[i], *b.items[i])) return false;
    }
    return true;
  }

  static void Collect(const Node& node, std::vector<Place>& all) {
    for (const auto& child : node.children) {
      if (child->weight() > 0) Collect(*child, all);
    }
    for (size_t i = 0; i < node.items.size(); ++i) {
      const uint32_t weight = node.ends[i] - node.Start(i);
      if (weight > 0) all.push_back({weight, node.items[i]});
    }
  }

  size_t size_ = 0;
  size_t height_ = 0;
  std::shared_ptr<const Node> root_;  // null: no places
};

}  // namespace holdfast
