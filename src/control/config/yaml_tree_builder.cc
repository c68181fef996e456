#include "control/config/yaml_tree_builder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace holdfast {

void Refuse(YamlPlace place, std::string text) { throw YamlRefusal{{place, std::move(text)}}; }

void YamlTreeBuilder::AddNull(YamlPlace place, Anchor anchor) {
  AddLeaf(place, anchor, {.kind = YamlNode::Kind::kNull});
}

void YamlTreeBuilder::AddScalar(YamlPlace place, absl::string_view text, bool is_quoted,
                                Anchor anchor) {
  const size_t begin = tree_.texts_.size();
  tree_.texts_.append(text.data(), text.size());
  AddLeaf(place, anchor,
          {.begin = static_cast<uint32_t>(begin),
           .size = static_cast<uint32_t>(text.size()),
           .kind = YamlNode::Kind::kScalar,
           .is_quoted = is_quoted});
}

void YamlTreeBuilder::AddAlias(YamlPlace place, Anchor anchor) {
  ++event_count_;
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) Refuse(place, "this alias stands for what it is part of");
  const Anchored& target = found->second;
  CheckKey(place, tree_.nodes_[target.index].kind);
  Count(place, target.weight, "as often as aliases repeat them");
  CheckGrowth(place);
  CheckLevels(place, target.weight.levels);
  AddChild(target.index, target.weight);
}

void YamlTreeBuilder::Open(YamlPlace place, YamlNode::Kind kind, Anchor anchor) {
  const uint32_t index = AddNode(place, {.kind = kind});
  open_.push_back({.index = index, .children_begin = waiting_.size(), .anchor = anchor});
}

void YamlTreeBuilder::Close() {
  const Container closed = open_.back();
  open_.pop_back();
  YamlTree::Node& node = tree_.nodes_[closed.index];
  node.begin = static_cast<uint32_t>(tree_.children_.size());
  node.size = static_cast<uint32_t>(waiting_.size() - closed.children_begin);
  const auto first = waiting_.begin() + static_cast<ptrdiff_t>(closed.children_begin);
  tree_.children_.insert(tree_.children_.end(), first, waiting_.end());
  waiting_.erase(first, waiting_.end());
  // Only now: yaml-cpp takes a list that never ends for a key, and it is the depth that is wrong.
  CheckKey({static_cast<int>(node.line), static_cast<int>(node.column)}, node.kind);
  if (closed.anchor != 0) anchors_[closed.anchor] = {closed.index, closed.weight};
  AddChild(closed.index, closed.weight);
}

void YamlTreeBuilder::Count(YamlPlace place, const Weight& weight, absl::string_view how) {
  total_.nodes += weight.nodes;
  total_.text_bytes += weight.text_bytes;
  if (total_.nodes > kMostYamlNodes) {
    Refuse(place,
           absl::StrCat("more than ", kMostYamlNodes, " keys and values in a file, counted ", how));
  }
  if (total_.text_bytes > kMostYamlTextBytes) {
    Refuse(place, absl::StrCat("more than ", kMostYamlTextBytes,
                               " bytes of keys and values in a file, counted ", how));
  }
}

void YamlTreeBuilder::CheckGrowth(YamlPlace place) const {
  const size_t grown = kMostAliasFactor * text_bytes_;
  if (total_.nodes <= kFewAliasedNodes + grown && total_.text_bytes <= kFewAliasedBytes + grown) {
    return;
  }
  Refuse(place, absl::StrCat("up to here aliases make ", total_.nodes, " keys and values of ",
                             total_.text_bytes, " bytes out of a file of ", text_bytes_,
                             " bytes; write out what they stand for"));
}

void YamlTreeBuilder::CheckLevels(YamlPlace place, int levels) const {
  if (open_.size() + static_cast<size_t>(levels) <= kMostYamlLevels) return;
  Refuse(place, absl::StrCat("nested more than ", kMostYamlLevels, " levels deep"));
}

// If the next node is a key it must be a string.
void YamlTreeBuilder::CheckKey(YamlPlace place, YamlNode::Kind kind) const {
  if (open_.empty() || tree_.nodes_[open_.back().index].kind != YamlNode::Kind::kMap) return;
  if ((waiting_.size() - open_.back().children_begin) % 2 != 0) return;
  if (kind == YamlNode::Kind::kScalar) return;
  Refuse(place, kind == YamlNode::Kind::kNull ? "a key is missing before \":\""
                                              : "a key must be a string");
}

uint32_t YamlTreeBuilder::AddNode(YamlPlace place, YamlTree::Node node) {
  ++event_count_;
  Count(place, {.text_bytes = node.size}, "one by one");
  CheckLevels(place, 1);
  node.line = static_cast<uint32_t>(place.line);
  node.column = static_cast<uint32_t>(place.column);
  tree_.nodes_.push_back(node);
  return static_cast<uint32_t>(tree_.nodes_.size() - 1);
}

void YamlTreeBuilder::AddLeaf(YamlPlace place, Anchor anchor, YamlTree::Node node) {
  CheckKey(place, node.kind);
  const uint32_t index = AddNode(place, node);
  const Weight weight{.text_bytes = node.size};
  if (anchor != 0) anchors_[anchor] = {index, weight};
  AddChild(index, weight);
}

void YamlTreeBuilder::AddChild(uint32_t index, const Weight& weight) {
  if (open_.empty()) {
    tree_.documents_.push_back(index);
    return;
  }
  waiting_.push_back(index);
  Weight& around = open_.back().weight;
  around.nodes += weight.nodes;
  around.text_bytes += weight.text_bytes;
  around.levels = std::max(around.levels, weight.levels + 1);
}

}  // namespace holdfast
