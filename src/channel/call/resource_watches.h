// The watches of a channel: what its dependency manager wants to know, asked of the xDS client.
//
// On the loop thread only; what watchers hear on the client's thread is posted to it.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "channel/config/dependency_manager.h"
#include "client/client_core.h"
#include "runtime/control_loop.h"

namespace holdfast {

class ResourceWatches {
 public:
  // Runs on the loop thread, never for a watch that was stopped: its news may still be on the way
  // when another watch of the same resource has begun. Must not keep the owner of this alive.
  using OnNews = std::function<void(const DependencyEvent& event)>;

  ResourceWatches(std::shared_ptr<ClientCore> client, ControlLoop& loop, OnNews on_news);

  void Start(const Dependency& what);
  void Stop(const Dependency& what);
  void StopAll();

 private:
  const std::shared_ptr<ClientCore> client_;
  ControlLoop& loop_;
  const OnNews on_news_;
  struct RunningWatch {
    WatchId id;
    std::shared_ptr<const Dependency> what;  // gone: what is on its way is dropped
  };
  std::map<Dependency, RunningWatch> watches_;
};

}  // namespace holdfast
