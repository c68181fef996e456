// What the servers of the bench serve: clusters and endpoints that are alike but for their name and
// revision. bench/go_peer makes the same.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace holdfast {

enum class ServedKind { kClusters, kEndpoints };

// "clusters"
absl::string_view WordOf(ServedKind kind);
// With prefix.
std::string TypeUrlOf(ServedKind kind);

std::string ServedName(int number);
// At least `size` bytes and at most a field more; as many for every revision.
std::string ServedBody(ServedKind kind, int number, int revision, size_t size);

}  // namespace holdfast
