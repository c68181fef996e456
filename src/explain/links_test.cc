#include "explain/links.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/text_resource.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

Links LinksIn(absl::string_view type, absl::string_view text) {
  const absl::StatusOr<Links> links = LinksOf(type, FromText(type, text));
  EXPECT_EQ(links.status(), absl::OkStatus());
  return links.value_or(Links());
}

Link Route(std::string name) { return {std::string(kRouteConfigTypeName), std::move(name)}; }
Link ClusterLink(std::string name) { return {std::string(kClusterTypeName), std::move(name)}; }
Link EndpointsLink(std::string name) { return {std::string(kEndpointsTypeName), std::move(name)}; }

std::string ApiListener(absl::string_view manager) {
  return absl::StrCat(
      "name: \"web\" api_listener { api_listener { [type.googleapis.com/"
      "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager] { ",
      manager, " } } }");
}

std::string EndpointText(absl::string_view host, int port, absl::string_view more = "") {
  return absl::StrCat("lb_endpoints { endpoint { address { socket_address { address: \"", host,
                      "\" port_value: ", port, " } } } ", more, " } ");
}

TEST(Links, AListenerLeadsToItsRoutes) {
  EXPECT_EQ(LinksIn(kListenerTypeName,
                    ApiListener("rds { route_config_name: \"web\" config_source { ads {} } }")),
            (Links{.refers_to = {Route("web")}}));
}

TEST(Links, AListenerWithInlineRoutesLeadsToTheirClusters) {
  EXPECT_EQ(LinksIn(kListenerTypeName, ApiListener(R"(route_config { virtual_hosts { domains: "*"
                       routes { match { prefix: "" } route { cluster: "pay" } }
                       routes { match { prefix: "" } route { weighted_clusters {
                         clusters { name: "blue" } clusters { name: "pay" } } } } } })")),
            (Links{.refers_to = {ClusterLink("blue"), ClusterLink("pay")},
                   .virtual_hosts = {{{{"*"}, {ClusterLink("blue"), ClusterLink("pay")}}}}}));
}

TEST(Links, RoutesLeadToClusters) {
  EXPECT_EQ(LinksIn(kRouteConfigTypeName, R"(name: "web" virtual_hosts { domains: "*"
                      routes { match { prefix: "/a" } route { cluster: "pay" } }
                      routes { match { prefix: "" } route { cluster: "shop" } } })"),
            (Links{.refers_to = {ClusterLink("pay"), ClusterLink("shop")},
                   .virtual_hosts = {{{{"*"}, {ClusterLink("pay"), ClusterLink("shop")}}}}}));
}

TEST(Links, RoutesAreFollowedThroughTheVirtualHostOfATarget) {
  const Links links = LinksIn(kRouteConfigTypeName, R"(name: "web"
      virtual_hosts { domains: "a" domains: "*.a"
                      routes { match { prefix: "" } route { cluster: "pay" } } }
      virtual_hosts { domains: "b" routes { match { prefix: "" } route { cluster: "shop" } } })");
  EXPECT_EQ(links.refers_to, (std::vector<Link>{ClusterLink("pay"), ClusterLink("shop")}));
  EXPECT_EQ(LinksFor("a", links)->refers_to, std::vector<Link>{ClusterLink("pay")});
  EXPECT_EQ(LinksFor("x.a", links)->refers_to, std::vector<Link>{ClusterLink("pay")});
  EXPECT_EQ(LinksFor("B", links)->refers_to, std::vector<Link>{ClusterLink("shop")});
  EXPECT_EQ(LinksFor("c", links), std::nullopt);
  EXPECT_EQ(LinksFor("a", LinksIn(kRouteConfigTypeName, "name: \"web\"")), std::nullopt);
}

TEST(Links, WithoutVirtualHostsATargetFollowsAllThereIs) {
  const Links links = {.refers_to = {Route("web")}, .addresses = {"127.0.0.1:9001"}};
  EXPECT_EQ(LinksFor("a", links), links);
}

TEST(Links, AClusterLeadsToEndpointsUnderTheNameTheyHave) {
  EXPECT_EQ(LinksIn(kClusterTypeName, R"(name: "pay" type: EDS
                      eds_cluster_config { eds_config { ads {} } })"),
            (Links{.refers_to = {EndpointsLink("pay")}}));
  EXPECT_EQ(LinksIn(kClusterTypeName, R"(name: "pay" type: EDS eds_cluster_config {
                      eds_config { self {} } service_name: "pay-eds" })"),
            (Links{.refers_to = {EndpointsLink("pay-eds")}}));
}

TEST(Links, AnAggregateClusterLeadsToItsMembers) {
  EXPECT_EQ(LinksIn(kClusterTypeName, R"(name: "all" cluster_type { name: "aggregate"
                      typed_config { [type.googleapis.com/
                        envoy.extensions.clusters.aggregate.v3.ClusterConfig] {
                          clusters: "near" clusters: "far" } } })"),
            (Links{.refers_to = {ClusterLink("far"), ClusterLink("near")}}));
}

TEST(Links, AClusterOfANameLeadsToItsAddress) {
  EXPECT_EQ(LinksIn(kClusterTypeName,
                    absl::StrCat("name: \"pay\" type: LOGICAL_DNS load_assignment { endpoints { ",
                                 EndpointText("pay.example", 443), " } }")),
            (Links{.addresses = {"pay.example:443"}}));
}

TEST(Links, EndpointsLeadToAddresses) {
  EXPECT_EQ(
      LinksIn(kEndpointsTypeName,
              absl::StrCat("cluster_name: \"pay\" endpoints { load_balancing_weight { value: 1 } ",
                           EndpointText("127.0.0.1", 9001), EndpointText("::1", 9002),
                           EndpointText("127.0.0.1", 9001),
                           R"(lb_endpoints { endpoint { additional_addresses { address {
                              socket_address { address: "10.0.0.7" port_value: 1 } } } } } })")),
      (Links{.addresses = {"127.0.0.1:9001", "[::1]:9002", "10.0.0.7:1"}}));
}

TEST(Links, EndpointsSayWhyAClientCallsFewerOfThem) {
  EXPECT_EQ(LinksIn(kEndpointsTypeName, "cluster_name: \"pay\""),
            (Links{.remark = "it has no localities"}));
  EXPECT_EQ(LinksIn(kEndpointsTypeName, absl::StrCat("cluster_name: \"pay\" endpoints { ",
                                                     EndpointText("127.0.0.1", 9001), " }")),
            (Links{.addresses = {"127.0.0.1:9001"},
                   .unused_addresses = {"127.0.0.1:9001"},
                   .remark = "no locality has a load_balancing_weight, and gRPC uses none "
                             "without"}));
  EXPECT_EQ(
      LinksIn(kEndpointsTypeName,
              absl::StrCat("cluster_name: \"pay\" endpoints { load_balancing_weight { value: 1 } ",
                           EndpointText("127.0.0.1", 9001, "health_status: UNHEALTHY"),
                           EndpointText("127.0.0.1", 9002, "health_status: DRAINING"), " }")),
      (Links{.remark = "1 endpoint is marked as not healthy; 1 endpoint is draining"}));
}

TEST(Links, ATargetDoesNotCallALocalityWithoutWeight) {
  const Links links =
      LinksIn(kEndpointsTypeName,
              absl::StrCat("cluster_name: \"pay\" endpoints { load_balancing_weight { value: 1 } ",
                           EndpointText("127.0.0.1", 9001), EndpointText("127.0.0.1", 9002),
                           " } endpoints { locality { zone: \"b\" } ",
                           EndpointText("127.0.0.1", 9002), EndpointText("127.0.0.1", 9003), " }"));
  EXPECT_EQ(links, (Links{.addresses = {"127.0.0.1:9001", "127.0.0.1:9002", "127.0.0.1:9003"},
                          .unused_addresses = {"127.0.0.1:9003"},
                          .remark = "1 of 2 localities without a load_balancing_weight, and gRPC "
                                    "uses none without"}));
  EXPECT_EQ(LinksFor("web", links)->addresses,
            (std::vector<std::string>{"127.0.0.1:9001", "127.0.0.1:9002"}));
}

TEST(Links, AClusterSaysThatItsPolicyIsNotThereYet) {
  const auto remark = [](absl::string_view more) {
    return LinksIn(kClusterTypeName, absl::StrCat("name: \"pay\" type: EDS ", more)).remark;
  };
  const auto typed = [](absl::string_view policy) {
    return absl::StrCat(
        "load_balancing_policy { policies { typed_extension_config { name: \"a\" typed_config { "
        "[type.googleapis.com/envoy.extensions.load_balancing_policies.",
        policy, "] {} } } } }");
  };
  const std::string ring =
      "asks for ring_hash, which Holdfast's channels do not have yet: their calls fail";
  EXPECT_EQ(remark("lb_policy: RING_HASH"), ring);
  EXPECT_EQ(remark(typed("ring_hash.v3.RingHash")), ring);
  EXPECT_EQ(remark("lb_policy: LEAST_REQUEST"),
            "asks for least_request, which Holdfast's channels do not have yet: their calls fail");
  EXPECT_EQ(remark("lb_policy: ROUND_ROBIN"), "");
  // What is typed counts.
  EXPECT_EQ(remark(absl::StrCat("lb_policy: RING_HASH ", typed("round_robin.v3.RoundRobin"))), "");
}

TEST(Links, AnotherTypeLeadsNowhere) {
  const absl::StatusOr<Links> links = LinksOf("acme.Thing", "");
  ASSERT_EQ(links.status(), absl::OkStatus());
  EXPECT_EQ(*links, Links());
}

TEST(Links, BytesThatAreNoMessageAreSaidToBeNone) {
  EXPECT_EQ(
      LinksOf(kClusterTypeName, "\x0a\xff").status(),
      absl::InvalidArgumentError("not a serialized envoy.config.cluster.v3.Cluster: truncated "
                                 "or not protobuf (2 bytes)"));
}

// Whatever the bytes: an answer or an error, and soon.
TEST(Links, TruncatedBytesAreReadAsFarAsTheyGo) {
  const std::string whole =
      FromText(kEndpointsTypeName,
               absl::StrCat("cluster_name: \"pay\" endpoints { load_balancing_weight { value: 1 } ",
                            EndpointText("127.0.0.1", 9001), " }"));
  for (size_t length = 0; length < whole.size(); ++length) {
    for (absl::string_view type :
         {kListenerTypeName, kRouteConfigTypeName, kClusterTypeName, kEndpointsTypeName}) {
      const absl::StatusOr<Links> links = LinksOf(type, whole.substr(0, length));
      EXPECT_TRUE(links.ok() || absl::IsInvalidArgument(links.status())) << length;
    }
  }
}

}  // namespace
}  // namespace holdfast
