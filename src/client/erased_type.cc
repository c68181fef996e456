#include "client/erased_type.h"

#include <utility>

#include "absl/status/statusor.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

// Of a user's text about one resource, which an entry and its journal keep.
constexpr size_t kMostErrorBytes = size_t{4} << 10;

}  // namespace

bool ErasedValue::Equals(const ResourceValue& other) const {
  const auto* same_kind = dynamic_cast<const ErasedValue*>(&other);
  return same_kind != nullptr && &same_kind->type_ == &type_ &&
         ErasedTypeAdapter::Equal(type_, value_.get(), same_kind->value_.get());
}

ErasedTypeAdapter::ErasedTypeAdapter(const ErasedResourceType& type)
    : type_(type),
      type_name_(type.type_name()),
      noun_(type.noun()),
      is_full_state_(type.is_full_state()),
      name_field_(type.name_field()) {}

DecodedResource ErasedTypeAdapter::Decode(absl::string_view bytes, const DecodeContext&) const {
  DecodedResource decoded;
  absl::StatusOr<std::shared_ptr<const void>> value = type_.DecodeErased(bytes);
  if (value.ok()) {
    decoded.value = std::make_shared<const ErasedValue>(type_, *std::move(value));
  } else {
    decoded.errors.Add(value.status().message().empty() ? "is invalid" : value.status().message());
  }
  return decoded;
}

bool ErasedTypeAdapter::Equal(const ErasedResourceType& type, const void* a, const void* b) {
  return type.EqualErased(a, b);
}

}  // namespace holdfast
