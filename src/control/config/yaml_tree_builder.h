// Puts a YamlTree together, node by node, within its limits. Private to the readers of its text.
//
// Each open container keeps the indices of its children on one common stack, and moves them to the
// tree when it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "control/config/yaml_tree.h"

namespace holdfast {

// Thrown where a limit is hit: the only way out of yaml-cpp's parser from inside an event. Caught
// in YamlTree::Read.
struct YamlRefusal {
  YamlError error;
};
[[noreturn]] void Refuse(YamlPlace place, std::string text);

class YamlTreeBuilder {
 public:
  // 0: no anchor.
  using Anchor = size_t;

  // `text_bytes`: how long the text is that all of it is written in.
  YamlTreeBuilder(YamlTree& tree, size_t text_bytes) : tree_(tree), text_bytes_(text_bytes) {}

  void StartDocument() { anchors_.clear(); }
  void AddNull(YamlPlace place, Anchor anchor = 0);
  void AddScalar(YamlPlace place, absl::string_view text, bool is_quoted, Anchor anchor = 0);
  void AddAlias(YamlPlace place, Anchor anchor);
  // A sequence or a map, which keys and values in turn follow.
  void Open(YamlPlace place, YamlNode::Kind kind, Anchor anchor = 0);
  void Close();

  // So many nodes and aliases were added.
  size_t event_count() const { return event_count_; }

 private:
  // Of a node with all that is in it, and all that aliases in it stand for.
  struct Weight {
    size_t nodes = 1;
    size_t text_bytes = 0;
    int levels = 1;
  };

  struct Container {
    uint32_t index = 0;
    size_t children_begin = 0;  // on waiting_
    Anchor anchor = 0;
    Weight weight;
  };

  struct Anchored {
    uint32_t index = 0;
    Weight weight;
  };

  void Count(YamlPlace place, const Weight& weight, absl::string_view how);
  void CheckGrowth(YamlPlace place) const;
  void CheckLevels(YamlPlace place, int levels) const;
  void CheckKey(YamlPlace place, YamlNode::Kind kind) const;
  uint32_t AddNode(YamlPlace place, YamlTree::Node node);
  void AddLeaf(YamlPlace place, Anchor anchor, YamlTree::Node node);
  void AddChild(uint32_t index, const Weight& weight);

  YamlTree& tree_;
  const size_t text_bytes_;
  std::vector<Container> open_;
  std::vector<uint32_t> waiting_;
  std::map<Anchor, Anchored> anchors_;
  Weight total_{.nodes = 0};
  size_t event_count_ = 0;
};

// Reads one JSON text. False if it is none; then what it added must be thrown away.
bool ReadJsonInto(YamlTreeBuilder& builder, absl::string_view text);

}  // namespace holdfast
