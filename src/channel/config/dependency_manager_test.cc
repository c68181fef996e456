// From the listener to the routing that is applied, and what fails it.
#include "channel/config/dependency_manager.h"

#include <gtest/gtest.h>

#include <sstream>

#include "channel/config/config_conversation_test.h"

namespace holdfast {
namespace {

constexpr char kGone[] =
    "listener \"pay\": deleted: version 3 of xds server \"cp:18000\" no longer has it (node "
    "\"web-1\")";
constexpr char kGoneFails[] =
    "fail UNAVAILABLE: target \"xds:///pay\": listener \"pay\": deleted: version 3 of xds server "
    "\"cp:18000\" no longer has it; calls fail until it can be had (node \"web-1\")";

TEST(DependencyManager, NothingIsAppliedBeforeEverythingIsThere) {  // R11.03
  Conversation talk;
  EXPECT_EQ(talk.Arrives(ListenerTo("r")), Lines({"watch route configuration \"r\""}));
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c2", "c1"})),
            Lines({"watch cluster \"c1\"", "watch cluster \"c2\""}));
  EXPECT_EQ(talk.Arrives(EdsCluster("c1", "e1")), Lines({"watch endpoints \"e1\""}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e1", "10.0.0.1")), kNothing);
  EXPECT_EQ(talk.Arrives(EdsCluster("c2", "e2")), Lines({"watch endpoints \"e2\""}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e2", "10.0.0.2")),
            Lines({"apply", "  routes r, virtual host v", "  c1 = c1 at 10.0.0.1",
                   "  c2 = c2 at 10.0.0.2"}));
}

TEST(DependencyManager, AllClustersOfTheVirtualHostAreNeededAndNoOthers) {  // R11.08
  Conversation talk;
  RouteConfig routes = RoutesTo("r", {"c1"});
  Route weighted;
  weighted.action = ForwardAction{.clusters = std::vector<WeightedCluster>{
                                      {.name = "c3", .weight = 1}, {.name = "c2", .weight = 9}}};
  Route redirect;
  redirect.action = UnsupportedAction{"redirect"};
  routes.virtual_hosts[0].routes.push_back(weighted);
  routes.virtual_hosts[0].routes.push_back(redirect);
  VirtualHost other{.name = "o", .domains = {"other.example"}};
  other.routes.push_back(RouteTo("c4"));
  routes.virtual_hosts.push_back(other);
  EXPECT_EQ(talk.Arrives(ListenerWith(routes)),
            Lines({"watch cluster \"c1\"", "watch cluster \"c2\"", "watch cluster \"c3\""}));
}

TEST(DependencyManager, RoutesWithoutClustersAreComplete) {
  Conversation talk;
  EXPECT_EQ(talk.Arrives(ListenerWith(RoutesTo("inside", {}))),
            Lines({"apply", "  routes inside, virtual host v"}));
}

// R11.14: the routes of another name; the configuration before stays, with its clusters watched.
TEST(DependencyManager, OldRoutesStayInForceUntilNewOnesAreComplete) {
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Arrives(ListenerTo("r2")),
            Lines({"watch route configuration \"r2\"", "unwatch route configuration \"r\""}));
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"other"})), kNothing);
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.2")), Lines({"apply", "  c = c at 10.0.0.2"}));
  EXPECT_EQ(talk.Arrives(RoutesTo("r2", {"c2"})), Lines({"watch cluster \"c2\""}));
  EXPECT_EQ(talk.Arrives(EdsCluster("c2", "e2")), Lines({"watch endpoints \"e2\""}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e2", "10.0.0.3")),
            Lines({"apply", "  routes r2, virtual host v", "  c2 = c2 at 10.0.0.3", "  no c",
                   "unwatch cluster \"c\"", "unwatch endpoints \"e\""}));
}

TEST(DependencyManager, InlineRoutesEndTheWatchOfRoutes) {  // R11.14
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(
      talk.Arrives(ListenerWith(RoutesTo("inside", {"c"}))),
      Lines({"apply", "  routes inside, virtual host v", "unwatch route configuration \"r\""}));
}

// R11.17: what only a graph that never became complete needed is let go with it.
TEST(DependencyManager, AnIncompleteGraphIsReplacedByANewerOne) {
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c", "slow"})), Lines({"watch cluster \"slow\""}));
  EXPECT_EQ(talk.Arrives(EdsCluster("slow", "slow-e")), Lines({"watch endpoints \"slow-e\""}));
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c", "other"})),
            Lines({"watch cluster \"other\"", "unwatch cluster \"slow\"",
                   "unwatch endpoints \"slow-e\""}));
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c"})), Lines({"unwatch cluster \"other\""}));
}

TEST(DependencyManager, ANewClusterThatIsSlowDoesNotStallTheOthers) {
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c", "slow"})), Lines({"watch cluster \"slow\""}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.2")), Lines({"apply", "  c = c at 10.0.0.2"}));
  EXPECT_EQ(talk.AmbientError(Cds("c"), absl::UnavailableError("stale")),
            Lines({"apply", "  c = c at 10.0.0.2 (cluster \"c\": stale)"}));
  EXPECT_EQ(talk.Fails(Cds("slow"), absl::NotFoundError("did not come")),
            Lines({"apply", "  routes r, virtual host v",
                   "  slow = UNAVAILABLE: cluster \"slow\": did not come; calls to it fail until "
                   "it can be had (node \"web-1\")"}));
}

// R11.03: one push leads the routes from c to c2 and empties or deletes c; c2 is slow.
TEST(DependencyManager, AClusterThatIsLeftCanBeUsedUntilTheNewRoutesAreInForce) {
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c2"})), Lines({"watch cluster \"c2\""}));
  EXPECT_EQ(talk.Arrives(EdsCluster("c2", "e2")), Lines({"watch endpoints \"e2\""}));
  EXPECT_EQ(talk.Arrives(Endpoints{.cluster_name = "e"}), kNothing);
  // What can be used is as welcome as ever.
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.2")), Lines({"apply", "  c = c at 10.0.0.2"}));
  EXPECT_EQ(talk.Fails(Eds("e"), absl::NotFoundError("gone")), kNothing);
  EXPECT_EQ(talk.Fails(Cds("c"), absl::NotFoundError("gone")), Lines({"unwatch endpoints \"e\""}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e2", "10.0.0.3")),
            Lines({"apply", "  routes r, virtual host v", "  c2 = c2 at 10.0.0.3", "  no c",
                   "unwatch cluster \"c\""}));
}

// The same when it is not known yet where the new routes lead.
TEST(DependencyManager, AClusterCanBeUsedWhileNewRoutesAreOnTheirWay) {  // R11.03
  Conversation talk;
  talk.Begin();
  talk.Arrives(ListenerTo("r2"));
  EXPECT_EQ(talk.Arrives(Endpoints{.cluster_name = "e"}), kNothing);
  EXPECT_EQ(talk.Arrives(RoutesTo("r2", {"c"})),
            Lines({"apply", "  routes r2, virtual host v",
                   "  c = c at nothing (endpoints \"e\": has no locality that can be used; xDS "
                   "node ID: web-1)"}));
}

TEST(DependencyManager, WhatWasHeldBackIsAppliedWhenTheClusterIsWantedAgain) {
  const std::string empty =
      "  c = c at nothing (endpoints \"e\": has no locality that can be used; xDS node ID: web-1)";
  {
    Conversation talk;
    talk.Begin();
    talk.Arrives(RoutesTo("r", {"slow"}));
    EXPECT_EQ(talk.Arrives(Endpoints{.cluster_name = "e"}), kNothing);
    EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c"})),
              Lines({"apply", empty, "unwatch cluster \"slow\""}));
  }
  {
    Conversation talk;
    talk.Begin();
    talk.Arrives(RoutesTo("r", {"slow"}));
    EXPECT_EQ(talk.Arrives(Endpoints{.cluster_name = "e"}), kNothing);
    EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c", "slow"})), Lines({"apply", empty}));
  }
  {
    // A call that waits there still holds it: the truth is all that is left to it.
    Conversation talk;
    talk.Begin();
    talk.Tell(ClusterHeld{"c"});
    talk.Arrives(RoutesTo("r", {"d"}));
    EXPECT_EQ(talk.Arrives(Endpoints{.cluster_name = "e"}), kNothing);
    EXPECT_EQ(talk.Arrives(DnsCluster("d")),
              Lines({"apply", "  routes r, virtual host v", empty, "  d = d without endpoints"}));
  }
}

TEST(DependencyManager, AFilterThatChangesIsANewConfiguration) {  // R11.15
  Conversation talk;
  talk.Begin();
  Listener listener = *ListenerTo("r");
  listener.max_stream_duration = absl::Seconds(3);
  EXPECT_EQ(talk.Arrives(std::make_shared<const Listener>(listener)),
            Lines({"apply", "  routes r, virtual host v"}));
}

TEST(DependencyManager, WhatSaysTheSameAgainChangesNothing) {
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Arrives(ListenerTo("r")), kNothing);
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c"})), kNothing);
  EXPECT_EQ(talk.Arrives(EdsCluster("c", "e")), kNothing);
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.1")), kNothing);
  EXPECT_EQ(talk.AmbientError(Eds("e"), absl::OkStatus()), kNothing);
}

TEST(DependencyManager, NewsOfWhatIsNotWatchedChangesNothing) {
  Conversation talk;
  EXPECT_EQ(talk.Arrives(EdsCluster("c", "e")), kNothing);
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c"})), kNothing);
  EXPECT_EQ(talk.Fails(Eds("e"), absl::NotFoundError("gone")), kNothing);
  talk.Begin();
  EXPECT_EQ(talk.Arrives(EdsCluster("other", "e")), kNothing);
  EXPECT_EQ(talk.AmbientError(Rds("other"), absl::UnavailableError("down")), kNothing);
  EXPECT_EQ(talk.Fails({DependencyKind::kListener, "other"}, absl::NotFoundError("gone")),
            kNothing);
}

// R11.05, R11.40, R11.41: whatever the watcher's code is, calls see UNAVAILABLE.
TEST(DependencyManager, AListenerThatCannotBeHadFailsCalls) {
  for (const absl::StatusCode code :
       {absl::StatusCode::kNotFound, absl::StatusCode::kInvalidArgument,
        absl::StatusCode::kPermissionDenied, absl::StatusCode::kUnavailable,
        absl::StatusCode::kInternal}) {
    Conversation talk;
    EXPECT_EQ(talk.Fails(Lds(), absl::Status(code, kGone)), Lines({kGoneFails}));
    EXPECT_EQ(talk.Fails(Lds(), absl::Status(code, kGone)), kNothing);
    talk.Begin();
    EXPECT_EQ(talk.Fails(Lds(), absl::Status(code, kGone)),
              Lines({kGoneFails, "apply", "  no c", "unwatch route configuration \"r\"",
                     "unwatch cluster \"c\"", "unwatch endpoints \"e\""}));
    talk.Begin();
  }
}

// R11.05, R11.40, R11.41
TEST(DependencyManager, RoutesThatCannotBeHadFailCalls) {
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Fails(Rds("r"), absl::PermissionDeniedError("not for you")),
            Lines({"fail UNAVAILABLE: target \"xds:///pay\": route configuration \"r\": not for "
                   "you; calls fail until it can be had (node \"web-1\")",
                   "apply", "  no c", "unwatch cluster \"c\"", "unwatch endpoints \"e\""}));
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c"})), Lines({"watch cluster \"c\""}));
  EXPECT_EQ(talk.Arrives(EdsCluster("c", "e")), Lines({"watch endpoints \"e\""}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.1")),
            Lines({"apply", "  routes r, virtual host v", "  c = c at 10.0.0.1"}));
}

// R11.05
TEST(DependencyManager, NoVirtualHostForTheAuthorityFailsCalls) {
  Conversation talk;
  talk.Begin();
  RouteConfig routes = RoutesTo("r", {"c"});
  routes.virtual_hosts[0].domains = {"a.example", "b.example"};
  EXPECT_EQ(
      talk.Arrives(routes),
      Lines({"fail UNAVAILABLE: target \"xds:///pay\": route configuration \"r\": no virtual host "
             "speaks for the authority \"pay.example\" (their domains are \"a.example\", "
             "\"b.example\"); calls fail until one does (node \"web-1\")",
             "apply", "  no c", "unwatch cluster \"c\"", "unwatch endpoints \"e\""}));
  routes.name = "inside";
  routes.virtual_hosts[0].domains = {"1", "2", "3", "4", "5", "6", "7"};
  EXPECT_EQ(
      talk.Arrives(ListenerWith(routes)),
      Lines({"fail UNAVAILABLE: target \"xds:///pay\": listener \"pay\": its route configuration: "
             "no virtual host speaks for the authority \"pay.example\" (their domains are \"1\", "
             "\"2\", \"3\", \"4\", \"5\" and 2 more); calls fail until one does (node \"web-1\")",
             "unwatch route configuration \"r\""}));
  EXPECT_EQ(talk.Arrives(ListenerWith({.name = "inside"})),
            Lines({"fail UNAVAILABLE: target \"xds:///pay\": listener \"pay\": its route "
                   "configuration: no virtual host speaks for the authority \"pay.example\" "
                   "(there is none at all); calls fail until one does (node \"web-1\")"}));
}

// R11.36: what is wrong around the routes is why they are the wrong ones.
TEST(DependencyManager, RoutesThatCannotBeUsedSayWhatIsWrongAroundThem) {
  Conversation talk;
  talk.Arrives(ListenerTo("r"));
  talk.AmbientError(Lds(), absl::UnavailableError("stale (node \"web-1\")"));
  const std::string no_host =
      "fail UNAVAILABLE: target \"xds:///pay\": route configuration \"r\": no virtual host speaks "
      "for the authority \"pay.example\" (there is none at all); calls fail until one does";
  EXPECT_EQ(talk.Arrives(RouteConfig{.name = "r"}),
            Lines({no_host + " (listener \"pay\": stale (node \"web-1\"))"}));
  EXPECT_EQ(
      talk.AmbientError(Rds("r"), absl::UnavailableError("stale (node \"web-1\")")),
      Lines({no_host + " (listener \"pay\", route configuration \"r\": stale (node \"web-1\"))"}));
  EXPECT_EQ(talk.AmbientError(Rds("r"), absl::OkStatus()),
            Lines({no_host + " (listener \"pay\": stale (node \"web-1\"))"}));
  EXPECT_EQ(talk.AmbientError(Lds(), absl::OkStatus()), Lines({no_host + " (node \"web-1\")"}));
  EXPECT_EQ(talk.AmbientError(Lds(), absl::UnavailableError("old")),
            Lines({no_host + " (listener \"pay\": old)"}));
}

// R11.05: ambient errors of the listener and the routes never fail anything.
TEST(DependencyManager, AmbientErrorsAboveAreNotes) {
  Conversation talk;
  EXPECT_EQ(talk.AmbientError(Lds(), absl::NotFoundError("before there is any")), kNothing);
  talk.Begin();
  EXPECT_EQ(talk.AmbientError(Lds(), absl::NotFoundError("gone")),
            Lines({"apply", "  routing (listener \"pay\": gone)",
                   "  c = c at 10.0.0.1 (listener \"pay\": gone)"}));
  EXPECT_EQ(talk.AmbientError(Rds("r"), absl::InvalidArgumentError("bad")),
            Lines({"apply", "  routing (listener \"pay\": gone; route configuration \"r\": bad)",
                   "  c = c at 10.0.0.1 (listener \"pay\": gone; route configuration \"r\": "
                   "bad)"}));
  EXPECT_EQ(talk.AmbientError(Rds("r"), absl::InvalidArgumentError("bad")), kNothing);
  EXPECT_EQ(talk.Arrives(ListenerTo("r")),
            Lines({"apply", "  routing (route configuration \"r\": bad)",
                   "  c = c at 10.0.0.1 (route configuration \"r\": bad)"}));
  EXPECT_EQ(talk.AmbientError(Rds("r"), absl::OkStatus()),
            Lines({"apply", "  routing (xDS node ID: web-1)", "  c = c at 10.0.0.1"}));
}

TEST(DependencyManager, RoutesThatAreLeftKeepTheirErrorAsLongAsTheyAreInForce) {
  Conversation talk;
  talk.Begin();
  talk.AmbientError(Rds("r"), absl::UnavailableError("stale"));
  EXPECT_EQ(talk.Arrives(ListenerTo("r2")),
            Lines({"watch route configuration \"r2\"", "unwatch route configuration \"r\""}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.2")),
            Lines({"apply", "  c = c at 10.0.0.2 (route configuration \"r\": stale)"}));
  EXPECT_EQ(talk.Arrives(RoutesTo("r2", {"c"})),
            Lines({"apply", "  routes r2, virtual host v", "  c = c at 10.0.0.2"}));
}

TEST(DependencyManager, AFailureThatIsStillInForceIsNotRepeated) {
  Conversation talk;
  EXPECT_EQ(talk.Fails(Lds(), absl::NotFoundError(kGone)), Lines({kGoneFails}));
  EXPECT_EQ(talk.Arrives(ListenerTo("r")), Lines({"watch route configuration \"r\""}));
  EXPECT_EQ(talk.Fails(Lds(), absl::NotFoundError(kGone)),
            Lines({"unwatch route configuration \"r\""}));
  EXPECT_EQ(talk.Fails(Lds(), absl::NotFoundError("")),
            Lines({"fail UNAVAILABLE: target \"xds:///pay\": listener \"pay\": no reason was "
                   "given; calls fail until it can be had (node \"web-1\")"}));
}

TEST(DependencyManager, BackToWhatIsInForceAppliesNothing) {
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"slow"})), Lines({"watch cluster \"slow\""}));
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {"c"})), Lines({"unwatch cluster \"slow\""}));
}

TEST(DependencyManager, AHeldClusterOutlivesItsRoute) {  // R11.09, R11.10
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Tell(ClusterHeld{"c"}), kNothing);
  EXPECT_EQ(talk.Tell(ClusterHeld{"c"}), kNothing);
  EXPECT_EQ(talk.Arrives(RoutesTo("r", {})), Lines({"apply", "  routes r, virtual host v"}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.2")), Lines({"apply", "  c = c at 10.0.0.2"}));
  EXPECT_EQ(talk.Tell(ClusterLetGo{"c"}), kNothing);
  EXPECT_EQ(talk.Tell(ClusterLetGo{"c"}),
            Lines({"apply", "  no c", "unwatch cluster \"c\"", "unwatch endpoints \"e\""}));
}

TEST(DependencyManager, AHeldClusterOutlivesTheListener) {
  Conversation talk;
  talk.Begin();
  talk.AmbientError(Lds(), absl::UnavailableError("stale"));
  talk.Tell(ClusterHeld{"c"});
  EXPECT_EQ(
      talk.Fails(Lds(), absl::NotFoundError(kGone)),
      Lines({kGoneFails, "apply", "  c = c at 10.0.0.1", "unwatch route configuration \"r\""}));
  EXPECT_EQ(talk.Arrives(EndpointsAt("e", "10.0.0.2")), Lines({"apply", "  c = c at 10.0.0.2"}));
  EXPECT_EQ(talk.Arrives(ListenerWith(RoutesTo("inside", {"c"}))),
            Lines({"apply", "  routes inside, virtual host v"}));
  EXPECT_EQ(talk.Tell(ClusterLetGo{"c"}), kNothing);
}

TEST(DependencyManager, ACallMayHoldWhatHasJustGone) {
  Conversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Tell(ClusterHeld{"late"}), Lines({"watch cluster \"late\""}));
  EXPECT_EQ(talk.Arrives(DnsCluster("late")), Lines({"apply", "  late = late without endpoints"}));
  EXPECT_EQ(talk.Tell(ClusterHeld{"later"}), Lines({"watch cluster \"later\""}));
  EXPECT_EQ(talk.Tell(ClusterLetGo{"later"}), Lines({"unwatch cluster \"later\""}));
}

TEST(DependencyManager, EventsAndEffectsPrintAsOneLine) {
  const auto text = [](const auto& what) {
    std::ostringstream out;
    out << what;
    return out.str();
  };
  EXPECT_EQ(text(DependencyEvent(ResourceFailed{Cds("c"), absl::NotFoundError("gone")})),
            "ResourceFailed cluster \"c\" NOT_FOUND: gone");
  EXPECT_EQ(text(DependencyEvent(ResourceArrived{Lds(), ListenerTo("r")})),
            "ResourceArrived listener \"pay\"");
  EXPECT_EQ(text(DependencyEvent(AmbientErrorChanged{Eds("e"), absl::OkStatus()})),
            "AmbientErrorChanged endpoints \"e\" OK");
  EXPECT_EQ(text(DependencyEvent(ClusterHeld{"c"})), "ClusterHeld c");
  EXPECT_EQ(text(DependencyEvent(ClusterLetGo{"c"})), "ClusterLetGo c");
  EXPECT_EQ(text(DependencyEffect(WatchResource{Rds("r")})),
            "WatchResource route configuration \"r\"");
  EXPECT_EQ(text(DependencyEffect(FailCalls{absl::UnavailableError("x")})),
            "FailCalls UNAVAILABLE: x");
  ConfigChange change;
  change.clusters.emplace("c", absl::UnavailableError("x"));
  change.routing_note = "n";
  change.removed = {"d"};
  EXPECT_EQ(text(DependencyEffect(ApplyConfig{change})),
            "ApplyConfig routing note [n] c = [UNAVAILABLE: x] removed [d]");
}

}  // namespace
}  // namespace holdfast
