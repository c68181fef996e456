// YAML or JSON text as a tree of which every node knows its place, so that a mistake in it can be
// shown to whoever wrote it.
//
// yaml-cpp does the parsing, and its events are all that is used of it: its own nodes remember no
// order of errors, copy aliases lazily and cost ten times as much memory. Its exceptions end here.
//
// Any bytes are safe input. Bytes, nodes and depth are bounded, and so is what aliases stand for: a
// node that is used twice counts twice, although it is kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace holdfast {

// 28 bytes each, beside their text.
inline constexpr size_t kMostYamlNodes = 4'000'000;
// An escape may be shorter than what it stands for.
inline constexpr size_t kMostYamlTextBytes = size_t{128} << 20;
inline constexpr int kMostYamlLevels = 100;
// What a byte of the text may become by aliases, and what any text may: people save themselves a
// few repetitions, and a few lines must not cost hundreds of megabytes further on.
inline constexpr size_t kMostAliasFactor = 100;
inline constexpr size_t kFewAliasedNodes = 100'000;
inline constexpr size_t kFewAliasedBytes = size_t{1} << 20;

struct YamlPlace {
  int line = 0;    // from 1
  int column = 0;  // from 1, in bytes

  friend bool operator==(const YamlPlace&, const YamlPlace&) = default;
};

class YamlTree;

// A node of a tree, which must outlive it. As cheap to copy as a pointer.
class YamlNode {
 public:
  enum class Kind : uint8_t { kNull, kScalar, kSequence, kMap };

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_scalar() const { return kind() == Kind::kScalar; }
  bool is_sequence() const { return kind() == Kind::kSequence; }
  bool is_map() const { return kind() == Kind::kMap; }
  // Of an alias: the place of what it stands for.
  YamlPlace place() const;

  // REQUIRES: is_scalar().
  absl::string_view text() const;
  // In quotes, in a block or tagged !!str: text, whatever it looks like.
  bool is_quoted() const;

  // Of a sequence its elements, of a map its pairs; else 0.
  size_t size() const;
  // REQUIRES: is_sequence(), index < size().
  YamlNode element(size_t index) const;
  // REQUIRES: is_map(), index < size(). A key is always a scalar or null.
  YamlNode key(size_t index) const;
  YamlNode value(size_t index) const;
  // The value of the first pair with that key. REQUIRES: is_map().
  std::optional<YamlNode> Find(absl::string_view key) const;
  // The same key may be there twice: the keys of all pairs but the first of each. REQUIRES:
  // is_map().
  std::vector<YamlNode> RepeatedKeys() const;

  // "null", "a list", "a map", "a number", "true or false", "a string": for error messages.
  absl::string_view KindText() const;

 private:
  friend class YamlTree;
  YamlNode(const YamlTree& tree, uint32_t index) : tree_(&tree), index_(index) {}

  const YamlTree* tree_;
  uint32_t index_;
};

// What a plain scalar means, by the core schema of YAML 1.2.
enum class YamlScalarType { kString, kBool, kNumber };
YamlScalarType TypeOfPlainScalar(absl::string_view text);

struct YamlError {
  YamlPlace place;
  std::string text;
};

class YamlTree {
 public:
  YamlTree() = default;
  YamlTree(const YamlTree&) = delete;
  YamlTree& operator=(const YamlTree&) = delete;

  // Reads all documents of `text`, which is not needed any longer. Once only.
  std::optional<YamlError> Read(absl::string_view text);

  // An empty document is null.
  std::vector<YamlNode> documents() const;

 private:
  friend class YamlNode;
  friend class YamlTreeBuilder;

  struct Node {
    uint32_t line;
    uint32_t column;
    // Of a scalar: its text in texts_. Of a sequence or map: its children in children_, keys and
    // values in turn.
    uint32_t begin;
    uint32_t size;
    YamlNode::Kind kind;
    bool is_quoted;
  };

  void Clear();

  std::vector<Node> nodes_;
  std::vector<uint32_t> children_;
  std::string texts_;
  std::vector<uint32_t> documents_;
};

}  // namespace holdfast
