// Load balancing policies that get their cluster rejected (R12.64–R12.67).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "resources/decode/decode.h"
#include "tests/support/bad_resource.h"

namespace holdfast {
namespace {

using ::testing::ValuesIn;

constexpr char kType[] = "envoy.config.cluster.v3.Cluster";
constexpr char kEds[] = R"(
  name: "payments" type: EDS eds_cluster_config { eds_config { ads {} } })";

// One entry of a list of policies: "ring_hash.v3.RingHash" and its body.
std::string Entry(absl::string_view policy, absl::string_view body) {
  return absl::StrCat(
      "policies { typed_extension_config { typed_config { ",
      AnyText(absl::StrCat("envoy.extensions.load_balancing_policies.", policy), body), " } } }");
}

// An entry of a type that we have no message for.
std::string UnknownEntry(absl::string_view type) {
  return absl::StrCat(
      R"(policies { typed_extension_config { typed_config { type_url: "type.googleapis.com/)", type,
      R"(" } } })");
}

std::string List(absl::string_view entries) {
  return absl::StrCat("load_balancing_policy { ", entries, " }");
}

std::string InWrrLocality(absl::string_view entries) {
  return Entry("wrr_locality.v3.WrrLocality",
               absl::StrCat("endpoint_picking_policy { ", entries, " }"));
}

// A list of `levels` lists, the innermost of which is the list of round_robin.
std::string Nested(int levels) {
  std::string entries = Entry("round_robin.v3.RoundRobin", "");
  for (int i = 1; i < levels; ++i) entries = InWrrLocality(entries);
  return List(entries);
}

constexpr char kConfig[] = "load_balancing_policy.policies[0].typed_extension_config.typed_config";
constexpr char kSecondConfig[] =
    "load_balancing_policy.policies[1].typed_extension_config.typed_config";

std::string SixteenListsDeep() {
  std::string path = "load_balancing_policy";
  for (int i = 0; i < 16; ++i) {
    path += ".policies[0].typed_extension_config.typed_config.endpoint_picking_policy";
  }
  return path;
}

const std::vector<BadResource>& Rows() {
  static const auto& rows = *new std::vector<BadResource>{
      {"NoEntry",
       kEds,
       "load_balancing_policy {}",  // R12.64
       {{"load_balancing_policy.policies", "must list at least one policy"}}},
      {"NoKnownEntry",
       kEds,  // R12.64, R5.14
       List(UnknownEntry("acme.Fastest") +
            UnknownEntry("envoy.extensions.load_balancing_policies.random.v3.Random")),
       {{"load_balancing_policy.policies",
         "holds no policy that is supported here (got \"acme.Fastest\", "
         "\"envoy.extensions.load_balancing_policies.random.v3.Random\")"}}},
      {"ManyUnknownEntries",
       kEds,  // R12.64
       List(UnknownEntry("a.A") + UnknownEntry("a.B") + UnknownEntry("a.C") + UnknownEntry("a.D") +
            UnknownEntry("a.E") + UnknownEntry("a.F") + UnknownEntry("a.G")),
       {{"load_balancing_policy.policies",
         "holds no policy that is supported here (got \"a.A\", \"a.B\", \"a.C\", \"a.D\", "
         "\"a.E\" and 2 more)"}}},
      {"UnregisteredCustomPolicy",
       kEds,  // R12.64
       List(absl::StrCat(
           "policies { typed_extension_config { typed_config { ",
           AnyText("xds.type.v3.TypedStruct", R"(type_url: "type.googleapis.com/acme.Nearest")"),
           " } } }")),
       {{"load_balancing_policy.policies",
         "holds no policy that is supported here (got \"acme.Nearest\")"}}},
      {"EntryWithoutConfig",
       kEds,
       List("policies {}"),  // R12.64
       {{"load_balancing_policy.policies[0].typed_extension_config", "must be set"}}},
      {"EntryWithoutType",
       kEds,
       List("policies { typed_extension_config {} }"),  // R12.64
       {{absl::StrCat(kConfig, ".type_url"),
         "is empty, so the type of what is inside is unknown"}}},
      {"KnownEntryAfterAnUnknownOneIsWrong",
       kEds,  // R12.64
       List(UnknownEntry("acme.Fastest") +
            Entry("least_request.v3.LeastRequest", "choice_count { value: 1 }") +
            Entry("round_robin.v3.RoundRobin", "")),
       {{absl::StrCat(kSecondConfig, ".choice_count"), "is 1, must be at least 2"}}},
      {"KnownEntryIsGarbage",
       kEds,  // R12.64
       List(R"(policies { typed_extension_config { typed_config {
         type_url: "type.googleapis.com/envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst"
         value: "\010" } } })"),
       {{kConfig,
         "cannot be parsed as envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst: "
         "truncated, not protobuf, nested deeper than 100 levels, or a string that is not "
         "UTF-8"}}},
      {"LocalitiesWithoutChild",
       kEds,
       List(Entry("wrr_locality.v3.WrrLocality", "")),  // R12.64
       {{absl::StrCat(kConfig, ".endpoint_picking_policy.policies"),
         "must list at least one policy"}}},
      {"LocalitiesWithUnknownChild",
       kEds,  // R12.64
       List(InWrrLocality(UnknownEntry("acme.Fastest"))),
       {{absl::StrCat(kConfig, ".endpoint_picking_policy.policies"),
         "holds no policy that is supported here (got \"acme.Fastest\")"}}},
      {"SeventeenLevels",
       kEds,
       Nested(17),  // R12.64
       {{SixteenListsDeep(), "is nested more than 16 levels deep"}}},

      {"LegacyRandom",
       kEds,
       "lb_policy: RANDOM",  // R12.65, R5.14
       {{"lb_policy", "must be ROUND_ROBIN, LEAST_REQUEST or RING_HASH (got RANDOM)"}}},
      {"LegacyMaglev",
       kEds,
       "lb_policy: MAGLEV",  // R12.65, R5.14
       {{"lb_policy", "must be ROUND_ROBIN, LEAST_REQUEST or RING_HASH (got MAGLEV)"}}},
      {"LegacyClusterProvided",
       kEds,
       "lb_policy: CLUSTER_PROVIDED",  // R12.65, R5.14
       {{"lb_policy", "must be ROUND_ROBIN, LEAST_REQUEST or RING_HASH (got CLUSTER_PROVIDED)"}}},
      {"LegacyUnknownNumber",
       kEds,
       "lb_policy: 4",  // R12.65, R5.14
       {{"lb_policy", "must be ROUND_ROBIN, LEAST_REQUEST or RING_HASH (got 4)"}}},
      {"LegacyPointsToMissingList",
       kEds,
       "lb_policy: LOAD_BALANCING_POLICY_CONFIG",  // R12.65
       {{"lb_policy", "is LOAD_BALANCING_POLICY_CONFIG, but load_balancing_policy is not set"}}},

      {"LegacyRingHashFunction",
       kEds,  // R12.66
       "lb_policy: RING_HASH ring_hash_lb_config { hash_function: MURMUR_HASH_2 }",
       {{"ring_hash_lb_config.hash_function", "must be XX_HASH (got MURMUR_HASH_2)"}}},
      {"LegacyRingSizes",
       kEds,  // R12.66
       R"(lb_policy: RING_HASH ring_hash_lb_config { minimum_ring_size { value: 0 }
                                                     maximum_ring_size { value: 8388609 } })",
       {{"ring_hash_lb_config.maximum_ring_size", "is 8388609, must be from 1 to 8388608"},
        {"ring_hash_lb_config.minimum_ring_size", "is 0, must be from 1 to 8388608"}}},
      {"RingHashFunction",
       kEds,  // R12.66, R-A.1
       List(Entry("ring_hash.v3.RingHash", "hash_function: MURMUR_HASH_2")),
       {{absl::StrCat(kConfig, ".hash_function"),
         "must be DEFAULT_HASH or XX_HASH (got MURMUR_HASH_2)"}}},
      {"RingHashFunctionUnknownNumber",
       kEds,  // R12.66
       List(Entry("ring_hash.v3.RingHash", "hash_function: 9")),
       {{absl::StrCat(kConfig, ".hash_function"), "must be DEFAULT_HASH or XX_HASH (got 9)"}}},
      {"RingMinimumTooLarge",
       kEds,  // R12.66
       List(Entry("ring_hash.v3.RingHash", "minimum_ring_size { value: 8388609 }")),
       {{absl::StrCat(kConfig, ".minimum_ring_size"), "is 8388609, must be from 1 to 8388608"}}},
      {"RingMaximumZero",
       kEds,  // R12.66
       List(Entry("ring_hash.v3.RingHash", "maximum_ring_size {}")),
       {{absl::StrCat(kConfig, ".maximum_ring_size"), "is 0, must be from 1 to 8388608"}}},
      {"RingMinimumAboveMaximum",
       kEds,  // R12.66
       List(Entry("ring_hash.v3.RingHash",
                  "minimum_ring_size { value: 12 } maximum_ring_size { value: 11 }")),
       {{absl::StrCat(kConfig, ".maximum_ring_size"),
         "is 11, less than minimum_ring_size, which is 12"}}},
      {"RingMaximumBelowTheDefaultMinimum",
       kEds,  // R12.66
       List(Entry("ring_hash.v3.RingHash", "maximum_ring_size { value: 512 }")),
       {{absl::StrCat(kConfig, ".maximum_ring_size"),
         "is 512, less than minimum_ring_size, which is 1024 if not set"}}},

      {"LegacyChoiceCount",
       kEds,  // R12.67
       "lb_policy: LEAST_REQUEST least_request_lb_config { choice_count { value: 1 } }",
       {{"least_request_lb_config.choice_count", "is 1, must be at least 2"}}},
      {"ChoiceCountZero",
       kEds,  // R12.67
       List(Entry("least_request.v3.LeastRequest", "choice_count {}")),
       {{absl::StrCat(kConfig, ".choice_count"), "is 0, must be at least 2"}}},
  };
  return rows;
}

class BadLbPolicy : public ::testing::TestWithParam<BadResource> {};

TEST_P(BadLbPolicy, YieldsExactlyItsErrors) {
  const Decoded<Cluster> decoded = DecodeCluster(GetParam().Bytes(kType), {});
  EXPECT_EQ(decoded.errors.Sorted(), GetParam().errors) << decoded.errors.Text(1000);
}

INSTANTIATE_TEST_SUITE_P(Rules, BadLbPolicy, ValuesIn(Rows()),
                         [](const auto& row) { return row.param.name; });

TEST(BadLbPolicies, SixteenLevelsAreStillGood) {  // R12.64
  const std::string bytes = FromText(kType, kEds) + FromText(kType, Nested(16));
  EXPECT_EQ(DecodeCluster(bytes, {}).errors.Text(), "");
}

}  // namespace
}  // namespace holdfast
