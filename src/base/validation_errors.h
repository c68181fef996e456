// Every mistake found in one piece of input, each with the path of its field.
//
//   ValidationErrors errors;
//   {
//     ValidationErrors::Field field(errors, ".eds_cluster_config");
//     ValidationErrors::Field config(errors, ".eds_config");
//     errors.Add("must be ads or self (got path)");
//   }
//   errors.Text()  // "eds_cluster_config.eds_config: must be ads or self (got path)"
//
// A validator goes on after a mistake, so that a person mends a resource once and not error by
// error. Hostile input may hold a mistake in every few bytes: only the first kMostKept are kept,
// the rest are counted; a caller to whom some matter more has those kept before others. And it may
// be all right, but cost hours to check: what is expensive is paid from one purse of kMostEffort
// for the whole input.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace holdfast {

struct FieldError {
  std::string path;  // "virtual_hosts[2].domains[0]"; empty means the whole input
  std::string text;

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

class ValidationErrors {
 public:
  static constexpr size_t kMostKept = 1000;
  // What a NACK or a CSDS entry quotes of one resource.
  static constexpr size_t kMostQuoted = 20;
  // In instructions of compiled regexes, the one expensive thing so far: a second or two.
  static constexpr size_t kMostEffort = 2'000'000;

  // Errors added while it lives are about this field. Names start with "." (a field), indices and
  // map keys come in brackets; the first "." of a path is dropped.
  class Field {
   public:
    Field(ValidationErrors& errors, absl::string_view name);
    Field(ValidationErrors& errors, absl::string_view name, size_t index);  // name[index]
    Field(const Field&) = delete;
    Field& operator=(const Field&) = delete;
    ~Field();

   private:
    ValidationErrors& errors_;
    size_t length_before_;
  };

  // An error that `matters` is kept in the place of one that does not, once there are kMostKept.
  // Null: all matter alike.
  using Matters = bool (*)(const FieldError& error);
  void KeepBeforeOthers(Matters matters) { matters_ = matters; }

  // Records an error at the current field.
  void Add(absl::string_view text);

  // Pays for a check. False from the moment that the purse is empty: the caller says so once, with
  // Add, and does no more of it.
  bool Spend(size_t effort);
  bool has_effort_left() const { return effort_ <= kMostEffort; }

  bool ok() const { return count_ == 0; }
  // How many were added. Cheap; a caller that tried something compares before and after.
  size_t count() const { return count_; }

  // The kept ones, sorted by path (numbers in brackets as numbers), each once.
  std::vector<FieldError> Sorted() const;

  // "path: text; path: text; and 3 more", at most `most` of them.
  std::string Text(size_t most = kMostQuoted) const;

 private:
  std::string path_;
  std::vector<FieldError> kept_;
  Matters matters_ = nullptr;
  size_t count_ = 0;
  size_t mattering_from_ = kMostKept;  // kept_[i] from here on matter: nothing takes their places
  size_t effort_ = 0;
};

// Orders field paths as a person reads them: "a[2]" before "a[10]".
bool FieldPathBefore(absl::string_view a, absl::string_view b);

}  // namespace holdfast
