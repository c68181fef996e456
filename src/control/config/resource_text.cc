#include "control/config/resource_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"
#include "resources/decode/registry.h"

namespace holdfast {

std::string ResourceText(const ResourceKey& key) {
  const AnyResourceType* const known = FindResourceType(key.type);
  return absl::StrCat(known == nullptr ? absl::string_view(key.type) : known->noun(), " ",
                      Quoted(key.name));
}

std::string PlaceText(absl::string_view file, const Place& place) {
  return absl::StrCat(file, ":", place.line, ":", place.column);
}

Problem ProblemAt(Problem::Kind kind, absl::string_view file, const Place& place,
                  std::string text) {
  return {.kind = kind,
          .file = std::string(file),
          .line = place.line,
          .column = place.column,
          .field = place.field,
          .text = std::move(text)};
}

}  // namespace holdfast
