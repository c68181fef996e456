// The routes of one virtual host, ready to be asked by any thread: an index, so that a thousand
// routes cost like one.
//
//   RouteChoice choice = table->Choose({path, metadata}, chance);
//   if (choice.failure.has_value()) ...UNAVAILABLE, with a sentence
//   else ...table->clusters()[choice.cluster], choice.longest
//
// The first route of the list that matches wins (gRFC A28). A first route that asks
// for nothing but a prefix answers without touching the heap.
//
// Immutable.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/chance.h"
#include "channel/routing/config_selector.h"
#include "channel/routing/routed_call.h"
#include "resources/route_config.h"

namespace holdfast {

class RouteTable final : public ConfigSelector {
 public:
  // `default_longest` is the listener's max_stream_duration. Nothing of `virtual_host` is needed
  // afterwards.
  RouteTable(const VirtualHost& virtual_host, std::optional<absl::Duration> default_longest);
  ~RouteTable() override;
  RouteTable(const RouteTable&) = delete;
  RouteTable& operator=(const RouteTable&) = delete;

  RouteChoice Choose(const RoutedCall& call, Chance chance) const override;

  // Every cluster that a route names, each once, sorted; a choice is a position in it.
  const std::vector<std::string>& clusters() const;

  // What the routes ask for that this build does not do, one sentence a route and thing, for the
  // log: retry policies, hash policies, filters.
  const std::vector<std::string>& not_enforced() const;

 private:
  class Index;
  std::unique_ptr<const Index> index_;
};

}  // namespace holdfast
