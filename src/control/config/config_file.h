// One file of a configuration directory, read: what it defines, and everything that is wrong with
// it. Says nothing about other files (config_set.h does) nor about earlier versions of this one
// (the file source does).
//
// A file is read the same way every time: what was read may be kept until its text changes.
// Bounded in time and memory, whatever the text is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "control/catalog/view.h"
#include "control/config/problem.h"
#include "control/config/schema.h"

namespace holdfast {

struct Place {
  int line = 0;
  int column = 0;
  std::string field;  // "resources[2]", "services[0]"
};

struct DefinedResource {
  ResourcePtr resource;
  Place place;
};

// A resource with an error in it: its name is known, its content cannot be used.
struct InvalidResource {
  ResourceKey key;
  Place place;
  std::string text;  // what is wrong, for whoever asks for it
};

struct DefinedError {
  ResourceKey key;
  NameError error;
  Place place;
};

// An element of `errors:` with an error in it.
struct UnreadError {
  ResourceKey key;  // both parts are known
  Place place;
  std::string text;  // what is wrong with it
  // It may have meant to withdraw the resource.
  bool may_deny = true;
};

struct ConfigFile {
  std::string path;  // as the user would type it
  // False: not even its documents could be told apart, or there are none, as if it were half
  // written; nothing below is known but problems.
  bool is_readable = false;
  // True: of an element nobody could tell the name, or the type. What an earlier version of the
  // file defined and this one does not may be just that, and is not to be taken for deleted.
  bool has_unnamed = false;
  // True: an element of `errors:` could not be read. What an earlier version of the file denied
  // and this one does not may be just that, and stays denied.
  bool has_unread_errors = false;
  // What is wrong with its first `access:`, which this version does not have; empty if there is
  // none. Such a rule restricts who may read the names of all files.
  std::string access_refusal;
  std::vector<DefinedResource> resources;
  std::vector<InvalidResource> invalid;
  std::vector<DefinedError> errors;
  std::vector<UnreadError> unread_errors;     // those whose names are known
  std::map<std::string, std::string> labels;  // version_info, by type
  std::vector<Problem> problems;              // in the order of their places
};

// `text` is YAML or JSON, whatever the file is called.
ConfigFile ReadConfigFile(std::string path, absl::string_view text, const Schema& schema);

// A file bigger than this is not read.
inline constexpr size_t kMostFileBytes = size_t{64} << 20;

}  // namespace holdfast
