// A small world for clients and a control plane together: the four types by their real names, a few
// resources of each, and contents that are a number. Bodies are real messages, so that what a
// session says can be put on the wire and read back.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "control/catalog/resource.h"
#include "xds/any_resource_type.h"

namespace holdfast {

inline constexpr int kJointTypes = 4;    // clusters, endpoints, listeners, routes
inline constexpr int kJointNames = 5;    // of old style: "a", "b", ...
inline constexpr int kJointMembers = 3;  // and those of a collection, after them
inline constexpr int kJointAllNames = kJointNames + kJointMembers;
inline constexpr int kBadContent = 0;  // clients reject it

// Decodes bodies of BodyOf: the content of a cluster is the number in it.
const AnyResourceType& JointType(int type);
std::string JointName(int type, int name);
// The collection of a type: delta clients may ask for it as a whole.
std::string JointGlob(absl::string_view type_name);
bool IsJointMember(absl::string_view name);

// `content` is any number; a cluster's children are the endpoints of its name, a listener's the
// routes.
ResourcePtr MakeJointResource(int type, int name, int content);

// The number in a decoded resource.
int ContentOfJoint(const ResourceValue& value);

}  // namespace holdfast
