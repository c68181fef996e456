// The watchers of `holdfast watch`: starts them, numbers those of the same resource, cancels the
// newest, and prints what they hear.
//
// Not thread-safe; what the watchers hear is printed from the client's own thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "app/resource_ref.h"
#include "app/watch_event.h"
#include "client/client_core.h"

namespace holdfast {

class WatchList {
 public:
  // Called from the client's thread, one event after the other.
  using Print = std::function<void(const WatchEvent&)>;

  WatchList(std::shared_ptr<ClientCore> client, Print print);

  void Start(const ResourceRef& resource);

  // NOT_FOUND, with what was probably meant, if nothing watches it.
  absl::Status CancelNewest(const ResourceRef& resource);

 private:
  const std::shared_ptr<ClientCore> client_;
  const std::shared_ptr<const Print> print_;
  // By "cds/pay"; the oldest, which is number 1, first. None is empty.
  std::map<std::string, std::vector<WatchId>> watches_;
};

}  // namespace holdfast
