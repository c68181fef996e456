#include "channel/call/resource_watches.h"

#include <utility>

#include "base/check.h"
#include "resources/decode/registry.h"
#include "xds/any_resource_type.h"

namespace holdfast {
namespace {

const AnyResourceType& TypeOf(DependencyKind kind) {
  switch (kind) {
    case DependencyKind::kListener:
      return ListenerType();
    case DependencyKind::kRoutes:
      return RouteConfigType();
    case DependencyKind::kCluster:
      return ClusterType();
    case DependencyKind::kEndpoints:
      break;
  }
  return EndpointsType();
}

// The struct inside, sharing the life of the value.
template <class T>
std::shared_ptr<const T> ResourceIn(const std::shared_ptr<const ResourceValue>& value) {
  const auto* resource = dynamic_cast<const ResourceOf<T>*>(value.get());
  HOLDFAST_CHECK(resource != nullptr);
  return std::shared_ptr<const T>(value, &resource->value);
}

DependencyValue ValueOf(DependencyKind kind, const std::shared_ptr<const ResourceValue>& value) {
  switch (kind) {
    case DependencyKind::kListener:
      return ResourceIn<Listener>(value);
    case DependencyKind::kRoutes:
      return ResourceIn<RouteConfig>(value);
    case DependencyKind::kCluster:
      return ResourceIn<Cluster>(value);
    case DependencyKind::kEndpoints:
      break;
  }
  return ResourceIn<Endpoints>(value);
}

class PostingWatcher final : public AnyWatcher {
 public:
  PostingWatcher(const std::shared_ptr<const Dependency>& what, ControlLoop& loop,
                 ResourceWatches::OnNews on_news)
      : what_(*what), watched_(what), loop_(loop), on_news_(std::move(on_news)) {}

  void OnResourceChanged(absl::StatusOr<ResourceUpdate> update) override {
    if (update.ok()) {
      Post(ResourceArrived{what_, ValueOf(what_.kind, update->value)});
    } else {
      Post(ResourceFailed{what_, update.status()});
    }
  }
  void OnAmbientError(absl::Status status, const std::string&) override {
    Post(AmbientErrorChanged{what_, std::move(status)});
  }

 private:
  void Post(DependencyEvent event) {
    loop_.Post([on_news = on_news_, watched = watched_, event = std::move(event)] {
      if (!watched.expired()) on_news(event);
    });
  }

  const Dependency what_;
  const std::weak_ptr<const Dependency> watched_;
  ControlLoop& loop_;
  const ResourceWatches::OnNews on_news_;
};

}  // namespace

ResourceWatches::ResourceWatches(std::shared_ptr<ClientCore> client, ControlLoop& loop,
                                 OnNews on_news)
    : client_(std::move(client)), loop_(loop), on_news_(std::move(on_news)) {}

void ResourceWatches::Start(const Dependency& what) {
  auto watched = std::make_shared<const Dependency>(what);
  const WatchId id = client_->StartWatch(
      TypeOf(what.kind), what.name, std::make_shared<PostingWatcher>(watched, loop_, on_news_));
  watches_.insert_or_assign(what, RunningWatch{id, std::move(watched)});
}

void ResourceWatches::Stop(const Dependency& what) {
  if (const auto watch = watches_.extract(what); !watch.empty()) {
    client_->CancelWatch(watch.mapped().id);
  }
}

void ResourceWatches::StopAll() {
  for (const auto& [what, watch] : std::exchange(watches_, {})) client_->CancelWatch(watch.id);
}

}  // namespace holdfast
