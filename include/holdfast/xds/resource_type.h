// A type of resource, for the client to watch: its name on the wire and how its bytes become a T.
//
//   struct Quota {
//     int requests_per_second;
//     friend bool operator==(const Quota& a, const Quota& b) {
//       return a.requests_per_second == b.requests_per_second;
//     }
//   };
//   class QuotaType : public holdfast::ResourceType<Quota> {
//     std::string type_name() const override { return "acme.config.v1.Quota"; }
//     absl::StatusOr<Quota> Decode(absl::string_view bytes) const override;
//   };
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "holdfast/export.h"

namespace holdfast {

// What the client needs of a type, without the T.
class HOLDFAST_EXPORT ErasedResourceType {
 public:
  virtual ~ErasedResourceType() = default;

  // The full name of the message, without "type.googleapis.com/".
  virtual std::string type_name() const = 0;
  // What error texts call one such resource.
  virtual std::string noun() const { return "resource"; }
  // Whether each response lists every subscribed resource, so that absence means deletion, as it
  // does for listeners and clusters.
  virtual bool is_full_state() const { return false; }
  // The number of the message's string field that holds its name; 0 if it has none, and then the
  // server must wrap each resource in envoy.service.discovery.v3.Resource.
  virtual uint32_t name_field() const { return 1; }

 private:
  friend class ErasedTypeAdapter;
  virtual absl::StatusOr<std::shared_ptr<const void>> DecodeErased(
      absl::string_view bytes) const = 0;
  virtual bool EqualErased(const void* a, const void* b) const = 0;
};

// REQUIRES: an object of it lives until the process ends, because a client's loop may still decode
// while its last handle goes: make it a static. T has operator== and is immutable once decoded:
// watchers share it. Neither its operator== nor its destructor may block or call the client.
template <class T>
class ResourceType : public ErasedResourceType {
 public:
  // The resource, or why it is invalid: a client rejects it (NACK) with that text. Must depend on
  // nothing but the bytes. Called on the client's loop thread: it must not block or call the
  // client.
  virtual absl::StatusOr<T> Decode(absl::string_view bytes) const = 0;

 private:
  absl::StatusOr<std::shared_ptr<const void>> DecodeErased(absl::string_view bytes) const final {
    absl::StatusOr<T> decoded = Decode(bytes);
    if (!decoded.ok()) return decoded.status();
    return std::shared_ptr<const void>(std::make_shared<const T>(*std::move(decoded)));
  }
  bool EqualErased(const void* a, const void* b) const final {
    return *static_cast<const T*>(a) == *static_cast<const T*>(b);
  }
};

}  // namespace holdfast
