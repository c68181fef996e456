// What the protocol needs to know of a type of resource, and nothing more: the client protocol is
// given one of these and never meets a protobuf.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/validation_errors.h"
#include "xds/server_features.h"

namespace holdfast {

// What a decoder may depend on besides the bytes. Equal bytes in an equal context decode to equal
// resources, so they need not be decoded again.
struct DecodeContext {
  ServerFeatures features;  // of the server that sent the bytes
  // Names of the load balancing policies that the user's own code registered.
  std::set<std::string> custom_lb_policies;
  // Which errors to keep if there are more than anyone wants to read; null: the first.
  ValidationErrors::Matters matters = nullptr;

  friend bool operator==(const DecodeContext&, const DecodeContext&) = default;
};

// A decoded resource of any type.
class ResourceValue {
 public:
  virtual ~ResourceValue() = default;
  virtual bool Equals(const ResourceValue& other) const = 0;
};

template <class T>
class ResourceOf final : public ResourceValue {
 public:
  explicit ResourceOf(T resource) : value(std::move(resource)) {}
  bool Equals(const ResourceValue& other) const override {
    const auto* same_type = dynamic_cast<const ResourceOf*>(&other);
    return same_type != nullptr && same_type->value == value;
  }

  const T value;
};

struct DecodedResource {
  // Null if and only if there are errors.
  std::shared_ptr<const ResourceValue> value;
  ValidationErrors errors;
  // What this resource asks for and this build accepts without doing it ("outlier_detection"):
  // field paths, for whoever uses the resource to log once.
  std::vector<std::string> not_enforced;
};

class AnyResourceType {
 public:
  virtual ~AnyResourceType() = default;

  // "envoy.config.cluster.v3.Cluster", without "type.googleapis.com/".
  virtual absl::string_view type_name() const = 0;
  // "cluster": how error texts call one such resource.
  virtual absl::string_view noun() const = 0;
  // SotW responses list all resources, so absence means deletion (R1.41).
  virtual bool is_full_state() const = 0;
  // The string field of the message that holds the resource's name.
  virtual uint32_t name_field() const { return 1; }

  virtual DecodedResource Decode(absl::string_view bytes, const DecodeContext& context) const = 0;
};

}  // namespace holdfast
