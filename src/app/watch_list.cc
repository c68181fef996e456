#include "app/watch_list.h"

#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "app/command_line.h"
#include "base/outside_text.h"
#include "holdfast/xds/error.h"

namespace holdfast {
namespace {

class PrintingWatcher final : public AnyWatcher {
 public:
  PrintingWatcher(const ResourceRef& resource, size_t number,
                  std::shared_ptr<const WatchList::Print> print)
      : print_(std::move(print)) {
    event_.type = resource.short_type;
    event_.name = resource.name;
    event_.watcher = number;
  }

  void OnResourceChanged(absl::StatusOr<ResourceUpdate> update) override {
    event_.kind = WatchEvent::Kind::kResourceChanged;
    event_.status = update.status();
    if (update.ok()) {
      event_.version = update->version;
      event_.server = update->server;
    } else {
      event_.version.clear();
      event_.server = DetailOf(update.status()).value_or(ErrorDetail()).server;
    }
    PrintNow();
  }

  void OnAmbientError(absl::Status status, const std::string& server) override {
    event_.kind = WatchEvent::Kind::kAmbientError;
    event_.status = std::move(status);
    event_.server = server;
    PrintNow();
  }

 private:
  void PrintNow() {
    event_.time = absl::Now();
    (*print_)(event_);
  }

  WatchEvent event_;  // the last one; its version is what the watcher uses
  const std::shared_ptr<const WatchList::Print> print_;
};

}  // namespace

WatchList::WatchList(std::shared_ptr<ClientCore> client, Print print)
    : client_(std::move(client)), print_(std::make_shared<const Print>(std::move(print))) {}

void WatchList::Start(const ResourceRef& resource) {
  std::vector<WatchId>& watches = watches_[resource.Text()];
  auto watcher = std::make_shared<PrintingWatcher>(resource, watches.size() + 1, print_);
  watches.push_back(client_->StartWatch(*resource.type, resource.name, std::move(watcher)));
}

absl::Status WatchList::CancelNewest(const ResourceRef& resource) {
  const auto found = watches_.find(resource.Text());
  if (found == watches_.end()) {
    std::vector<absl::string_view> known;
    for (const auto& [text, unused] : watches_) known.push_back(text);
    return absl::NotFoundError(absl::StrCat("nothing watches ", BoundedText(resource.Text()),
                                            Suggestion(resource.Text(), known)));
  }
  client_->CancelWatch(found->second.back());
  found->second.pop_back();
  if (found->second.empty()) watches_.erase(found);
  return absl::OkStatus();
}

}  // namespace holdfast
