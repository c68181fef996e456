// Any bytes as a configuration file: resources or problems in words, never a crash; the same both
// times it is read; what is served can be found by name and has its place in the text.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/utf8.h"
#include "control/config/config_file.h"
#include "control/config/problem.h"
#include "control/config/schema.h"

namespace holdfast {
namespace {

void CheckProblem(const Problem& problem) {
  HOLDFAST_CHECK(!problem.text.empty());
  const std::string text = TextOf(problem);
  HOLDFAST_CHECK(IsUtf8(text) && !absl::StrContains(text, "\n"));
}

void CheckPlace(const Place& place) {
  HOLDFAST_CHECK(place.line >= 1 && place.column >= 1 && !place.field.empty());
}

void CheckFile(absl::string_view text) {
  const ConfigFile file = ReadConfigFile("fuzz.yaml", text, *Schema::Embedded());
  bool has_error = false;
  for (const Problem& problem : file.problems) {
    CheckProblem(problem);
    has_error = has_error || problem.kind == Problem::Kind::kError;
  }
  HOLDFAST_CHECK(has_error || (file.is_readable && file.invalid.empty() && !file.has_unnamed));
  for (const DefinedResource& defined : file.resources) {
    CheckPlace(defined.place);
    HOLDFAST_CHECK(!defined.resource->name().empty() && defined.resource->name() != "*");
  }
  for (const InvalidResource& invalid : file.invalid) {
    CheckPlace(invalid.place);
    HOLDFAST_CHECK(!invalid.text.empty() && !invalid.key.name.empty() && !invalid.key.type.empty());
  }
  for (const DefinedError& error : file.errors) {
    CheckPlace(error.place);
    HOLDFAST_CHECK(error.error.code >= 1 && error.error.code <= 16);
    HOLDFAST_CHECK(!error.key.name.empty() && error.key.name != "*");
  }
  const ConfigFile again = ReadConfigFile("fuzz.yaml", text, *Schema::Embedded());
  HOLDFAST_CHECK(again.problems == file.problems && again.labels == file.labels);
  HOLDFAST_CHECK(again.resources.size() == file.resources.size());
  for (size_t i = 0; i < file.resources.size(); ++i) {
    HOLDFAST_CHECK(again.resources[i].resource->hash() == file.resources[i].resource->hash());
  }
}

}  // namespace
}  // namespace holdfast

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  holdfast::CheckFile(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
