// One version of one resource, as the control plane keeps and sends it: bytes that nobody here
// needs to understand, framed once for every response they will ever be part of.
//
// Immutable, shared by whoever serves it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "control/catalog/content_hash.h"

namespace holdfast {

// A resource by its type ("envoy.config.cluster.v3.Cluster", without prefix) and name.
struct ResourceKey {
  std::string type;
  std::string name;

  friend bool operator==(const ResourceKey&, const ResourceKey&) = default;
  friend auto operator<=>(const ResourceKey&, const ResourceKey&) = default;
};

class Resource {
 public:
  // `children` are the resources that a client asks for because of this one (a cluster's endpoints,
  // a listener's routes). REQUIRES: type and name are not empty.
  Resource(std::string type, std::string name, absl::string_view body,
           std::optional<absl::Duration> ttl = std::nullopt,
           std::vector<ResourceKey> children = {});

  const std::string& type() const { return key_.type; }
  const std::string& name() const { return key_.name; }
  const ResourceKey& key() const { return key_; }
  const std::optional<absl::Duration>& ttl() const { return ttl_; }
  const std::vector<ResourceKey>& children() const { return children_; }

  // Of type, name, body and TTL.
  const ContentHash& hash() const { return hash_; }
  // The hash as text: what delta clients see as the version of this resource.
  const std::string& version() const { return version_; }

  // The message itself, serialized.
  absl::string_view body() const { return Framed().substr(body_at_); }
  // The field `resources` of a SotW response with this one entry, ready to be appended to others.
  absl::string_view sotw_field() const { return Framed().substr(sotw_at_); }
  // The field `resources` of a delta response, without TTL.
  absl::string_view delta_field() const { return framed_; }

  // Either field with the TTL in it, for clients that know what that is. REQUIRES: ttl().
  std::string SotwFieldWithTtl() const;
  std::string DeltaFieldWithTtl() const;

 private:
  absl::string_view Framed() const { return framed_; }
  std::string WrapperWithTtl() const;

  const ResourceKey key_;
  const std::optional<absl::Duration> ttl_;
  const std::vector<ResourceKey> children_;
  const ContentHash hash_;
  const std::string version_;
  // A delta field ends with a SotW field, and that with the body: all three in one string.
  std::string framed_;
  size_t sotw_at_ = 0;
  size_t body_at_ = 0;
};

using ResourcePtr = std::shared_ptr<const Resource>;

}  // namespace holdfast
