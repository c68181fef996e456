// All that the client has of one type of resource.
#pragma once

#include <string>

#include "absl/strings/str_cat.h"
#include "client/protocol/ids.h"
#include "client/protocol/resource_table.h"
#include "client/protocol/sotw_subscription.h"
#include "xds/any_resource_type.h"
#include "xds/discovery.h"

namespace holdfast {

struct SubscribedType {
  explicit SubscribedType(const AnyResourceType& its_type)
      : type(its_type), subscription(absl::StrCat(kTypeUrlPrefix, its_type.type_name())) {}

  const AnyResourceType& type;
  ResourceTable table;
  SotwSubscription subscription;
  TimerId hold;  // until a change of subscription may be sent; not set: none runs
};

}  // namespace holdfast
