// What is wrong with the fields of a file, as it is found. Bounded: after the first few every
// further one is only counted, since a file of 64 MiB may be wrong in every byte.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "control/config/problem.h"
#include "control/config/yaml_tree.h"

namespace holdfast {

class FieldProblems {
 public:
  // Of errors, and again of warnings.
  static constexpr size_t kMostKept = 1000;

  explicit FieldProblems(std::string file) : file_(std::move(file)) {}

  void AddError(YamlPlace place, absl::string_view field, absl::string_view text);
  void AddWarning(YamlPlace place, absl::string_view field, absl::string_view text);

  // How many errors were added.
  size_t error_count() const { return error_count_; }
  // Nobody will read a text that is expensive to make.
  bool is_full() const { return error_count_ >= kMostKept; }

  // From now on, what FirstError says is about another resource.
  void StartResource() { first_error_.clear(); }
  // TextOf() the first error since StartResource, "" if there was none. Never left out.
  const std::string& FirstError() const { return first_error_; }

  // All that were kept, in the order of their places, and a last one that counts the others.
  std::vector<Problem> Sorted() const;

 private:
  const std::string file_;
  std::vector<Problem> errors_;
  std::vector<Problem> warnings_;
  size_t error_count_ = 0;
  size_t warning_count_ = 0;
  std::string first_error_;
};

// The path of the field that is being read: "resources[2].load_assignment.endpoints[0]".
class FieldPath {
 public:
  explicit FieldPath(std::string begin) : text_(std::move(begin)) {}
  const std::string& text() const { return text_; }

  // A step down, to a field or an element, that ends with its scope.
  class Step {
   public:
    Step(FieldPath& path, absl::string_view field);
    Step(FieldPath& path, size_t index);
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() { path_.text_.resize(length_before_); }

   protected:
    explicit Step(FieldPath& path) : path_(path), length_before_(path.text_.size()) {}
    FieldPath& path_;

   private:
    const size_t length_before_;
  };

  // Into a map: ["key"].
  class KeyStep : public Step {
   public:
    KeyStep(FieldPath& path, absl::string_view key);
  };

 private:
  std::string text_;
};

// The node at `field` ("endpoints[0].lb_endpoints[1]") within `node`, or the nearest around it that
// is written there. Field names may be in snake_case or lowerCamelCase.
YamlNode NearestNode(YamlNode node, absl::string_view field);

}  // namespace holdfast
