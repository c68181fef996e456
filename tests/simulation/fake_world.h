// A small world to simulate: four types of resources, a few names, contents that are a word.
//
// All texts live as long as the program, so a response may be queued, lost, repeated or recorded
// without anybody owning its views.
#pragma once

#include <bitset>
#include <cstddef>

#include "absl/strings/string_view.h"
#include "xds/any_resource_type.h"

namespace holdfast {

inline constexpr int kTypes = 4;  // as LDS and CDS: 0, 1 (full state); as RDS and EDS: 2, 3
inline constexpr int kNames = 5;  // of each type: "a" to "e"
inline constexpr int kContents = 100;

// The resource that no watcher ever asks for; its index is no index of a name.
inline constexpr absl::string_view kUnwatchedName = "z";
// Watched now and then: nothing of it may reach the wire (R3.12).
inline constexpr absl::string_view kMalformedName = "xdstp://nowhere";
inline constexpr absl::string_view kUnknownTypeUrl = "type.googleapis.com/test.Mystery";

using NameSet = std::bitset<kNames>;

// One of the resources of the world.
struct ResourceKey {
  int type = 0;
  int name = 0;

  size_t index() const { return static_cast<size_t>(type * kNames + name); }
};
inline constexpr size_t kAllResources = static_cast<size_t>(kTypes * kNames);

// "v7" and "v07" decode to 7; everything else is invalid.
const AnyResourceType& TypeAt(int type);
bool IsFullState(int type);
absl::string_view TypeUrlAt(int type);
absl::string_view NameAt(int name);
// -1 if there is no such type or name.
int IndexOfTypeUrl(absl::string_view url);
int IndexOfName(absl::string_view name);

absl::string_view ContentAt(int content);        // "v7"
absl::string_view OtherSpellingAt(int content);  // "v07": other bytes, the same resource
inline constexpr absl::string_view kInvalidContent = "bad";
// The number of a decoded resource; of bytes, -1 if they are invalid.
int ContentOf(const ResourceValue& value);
int ContentOf(absl::string_view bytes);

// "1", "2", ...: versions and nonces.
absl::string_view NumberText(int number);
inline constexpr int kMostNumbers = 1 << 14;

}  // namespace holdfast
