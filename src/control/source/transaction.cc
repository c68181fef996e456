#include "holdfast/control/transaction.h"

#include "wire/envelope.h"
#include "xds/resource_name.h"

namespace holdfast {
namespace {

Transaction::Key KeyOf(absl::string_view type_url, absl::string_view name) {
  const absl::string_view type = WithoutTypeUrlPrefix(type_url);
  // However it is written, it is one name.
  return {std::string(type), CanonicalName(name, type)};
}

}  // namespace

void Transaction::Put(OpaqueResource resource) {
  Key key = KeyOf(resource.type_url, resource.name);
  resources_.insert_or_assign(std::move(key), std::move(resource));
}

void Transaction::Delete(absl::string_view type_url, absl::string_view name) {
  resources_.insert_or_assign(KeyOf(type_url, name), Removed{});
}

void Transaction::SetError(absl::string_view type_url, absl::string_view name, absl::Status error) {
  errors_.insert_or_assign(KeyOf(type_url, name), std::move(error));
}

void Transaction::ClearError(absl::string_view type_url, absl::string_view name) {
  errors_.insert_or_assign(KeyOf(type_url, name), std::nullopt);
}

}  // namespace holdfast
