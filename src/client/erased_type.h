// A user's type of resource, as the protocol takes types.
#pragma once

#include <memory>
#include <string>

#include "holdfast/xds/resource_type.h"
#include "xds/any_resource_type.h"

namespace holdfast {

class ErasedValue final : public ResourceValue {
 public:
  ErasedValue(const ErasedResourceType& type, std::shared_ptr<const void> value)
      : type_(type), value_(std::move(value)) {}

  const std::shared_ptr<const void>& value() const { return value_; }
  bool Equals(const ResourceValue& other) const override;

 private:
  const ErasedResourceType& type_;
  const std::shared_ptr<const void> value_;
};

class ErasedTypeAdapter final : public AnyResourceType {
 public:
  // `type` outlives this.
  explicit ErasedTypeAdapter(const ErasedResourceType& type);

  absl::string_view type_name() const override { return type_name_; }
  absl::string_view noun() const override { return noun_; }
  bool is_full_state() const override { return is_full_state_; }
  uint32_t name_field() const override { return name_field_; }
  DecodedResource Decode(absl::string_view bytes, const DecodeContext& context) const override;

  // Friendship with the public type ends here.
  static bool Equal(const ErasedResourceType& type, const void* a, const void* b);

 private:
  const ErasedResourceType& type_;
  // Asked once: the protocol relies on them.
  const std::string type_name_;
  const std::string noun_;
  const bool is_full_state_;
  const uint32_t name_field_;
};

}  // namespace holdfast
