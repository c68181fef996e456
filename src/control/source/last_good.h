// What is served of a directory in which something may be broken: the last good version of
// everything.
//
//   what was good before ─┐
//   the files as read now ─┴─Advance──▶ what is good now ──ContentsOf──▶ what is served
//
// - A file that cannot be read keeps all it last said: resources, errors, labels.
// - An invalid resource keeps its last good version, from whichever file that was. If there never
//   was one it is withheld: clients that ask for it hear INTERNAL and why.
// - What is gone from a readable file, or with its file, is deleted; but as long as the file has
//   something in it whose name or type nobody can tell, what is missing may be just that, and
//   stays.
// - As long as a file has an `errors:` entry that cannot be read, the errors it last had stay: to
//   forget one would open what it closed. If the entry has a name that never had an error, clients
//   that ask for it hear INTERNAL and why, unless they were served it before.
// - An `access:` rule anywhere says that not everybody may read everything, and this version cannot
//   tell who may: nothing is served that was not served before, of no file, and what is missing
//   from a file may be kept. So it stays while the file with the rule cannot be read.
// - A resource belongs to one file. One that is read now takes the place of one that is only kept.
//
// Pure values: no files, no clock. State, not history: what is good now and what is read next
// decide everything, so that it may be saved and restored in between.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "control/catalog/view.h"
#include "control/config/config_file.h"

namespace holdfast {

// What one file gives to be served.
struct GoodFile {
  std::map<ResourceKey, ResourcePtr> resources;  // never null
  std::map<ResourceKey, NameError> errors;       // as its `errors:` say
  std::map<ResourceKey, NameError> withheld;     // invalid, and never was good
  std::map<std::string, std::string> labels;
  std::string access_refusal;  // as ConfigFile has it

  // By content: the same resource in two objects is the same.
  friend bool operator==(const GoodFile& a, const GoodFile& b);
};

// By the name of the file in its directory: the directory may be called something else tomorrow.
using LastGood = std::map<std::string, GoodFile>;

struct Advanced {
  LastGood good;
  // Names of files that cannot be read and never could: nobody knows what is in them.
  std::vector<std::string> never_read;
  // What the broken parts mean for clients, a line each.
  std::vector<std::string> consequences;
};

// `files` are all of the directory, after LintTogether. A resource whose content is what it was
// stays the object it was.
Advanced Advance(const LastGood& before, absl::Span<const ConfigFile> files);

// Of a label that several files give the last counts, of an error the first, as LintTogether has
// it. A NOT_FOUND or PERMISSION_DENIED that was written down counts more than the reason why a
// resource is withheld; any other error counts less.
Contents ContentsOf(const LastGood& good, bool is_synced);

}  // namespace holdfast
