#include "wire/envelope.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "envoy/service/discovery/v3/discovery.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/wire_bytes.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;

constexpr char kClusterUrl[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
constexpr char kWrapperUrl[] = "type.googleapis.com/envoy.service.discovery.v3.Resource";

std::string Part(uint32_t field, absl::string_view bytes) { return holdfast::Field(field, bytes); }
std::string Cluster(absl::string_view name) { return Part(1, name); }
std::string Resource(absl::string_view any) { return Part(2, any); }
std::string Head() { return Part(1, "v7") + Part(4, kClusterUrl) + Part(5, "n3"); }

uint32_t NameIsFieldOne(absl::string_view) { return 1; }

absl::StatusOr<DiscoveryResponse> Scan(absl::string_view message) {
  return ScanResponse(message, NameIsFieldOne);
}

// A response that was read, together with the bytes it points into.
struct Read {
  explicit Read(std::string bytes) : message(std::move(bytes)) {
    const absl::StatusOr<DiscoveryResponse> scanned = Scan(message);
    EXPECT_TRUE(scanned.ok()) << scanned.status();
    if (scanned.ok()) response = *scanned;
  }
  Read(const Read&) = delete;

  const ResourceEntry& OnlyEntry() {
    EXPECT_THAT(response.resources, SizeIs(1));
    response.resources.resize(1);
    return response.resources[0];
  }

  const std::string message;
  DiscoveryResponse response;
};

TEST(Envelope, FindsTypeNameAndBytesOfEachResource) {
  const std::string message = Head() + Resource(Any(kClusterUrl, Cluster("pay"))) +
                              Resource(Any(kClusterUrl, Cluster("web"))) + Part(6, Part(1, "cp-1"));
  Read read(message);
  const DiscoveryResponse& response = read.response;
  EXPECT_EQ(response.version_info, "v7");
  EXPECT_EQ(response.type_url, kClusterUrl);
  EXPECT_EQ(response.nonce, "n3");
  EXPECT_EQ(response.control_plane, "cp-1");
  ASSERT_THAT(response.resources, SizeIs(2));
  const ResourceEntry& pay = response.resources[0];
  EXPECT_EQ(pay.name, "pay");
  EXPECT_EQ(pay.type_url, kClusterUrl);
  EXPECT_EQ(pay.body, Cluster("pay"));
  EXPECT_TRUE(pay.has_body);
  EXPECT_FALSE(pay.is_wrapped);
  EXPECT_EQ(pay.problem, "");
  EXPECT_EQ(response.resources[1].name, "web");
}

TEST(Envelope, PointsIntoTheMessage) {
  Read read(Head() + Resource(Any(kClusterUrl, Cluster("pay"))));
  const std::string& message = read.message;
  const ResourceEntry& entry = read.OnlyEntry();
  EXPECT_GE(entry.body.data(), message.data());
  EXPECT_LE(entry.body.data() + entry.body.size(), message.data() + message.size());
}

TEST(Envelope, FindsANameThatIsNotFirstOnTheWire) {
  const std::string body = Part(3, "later fields first") + NumberField(6, 2) + Cluster("pay");
  EXPECT_EQ(Read(Resource(Any(kClusterUrl, body)) + Head()).OnlyEntry().name, "pay");
}

TEST(Envelope, TakesTheLastOfARepeatedSingleField) {
  const std::string message = Part(1, "old") + Part(5, "old") + Part(4, "old") + Head() +
                              Resource(Part(1, "old") + Part(2, Cluster("old")) +
                                       Any(kClusterUrl, Cluster("older") + Cluster("pay")));
  Read read(message);
  const DiscoveryResponse& response = read.response;
  EXPECT_EQ(response.version_info, "v7");
  EXPECT_EQ(response.nonce, "n3");
  EXPECT_EQ(response.resources[0].name, "pay");
  EXPECT_EQ(response.resources[0].problem, "");
}

TEST(Envelope, AsksForTheNameFieldOfTheType) {
  const std::string message =
      Part(4, "type.googleapis.com/acme.Thing") +
      Resource(Any("type.googleapis.com/acme.Thing", Part(1, "no") + Part(9, "yes")));
  std::string asked;
  const auto response = ScanResponse(message, [&asked](absl::string_view type) {
    asked = std::string(type);
    return 9u;
  });
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(asked, "acme.Thing");
  EXPECT_EQ(response->resources[0].name, "yes");
}

TEST(Envelope, UnwrapsResources) {  // R1.80
  const std::string wrapper = Part(3, "pay") + Part(1, "v1") + Part(4, "alias") +
                              Part(6, NumberField(1, 5) + NumberField(2, 500'000'000)) +
                              Part(2, Any(kClusterUrl, Cluster("other")));
  Read read(Head() + Resource(Any(kWrapperUrl, wrapper)));
  const ResourceEntry& entry = read.OnlyEntry();
  EXPECT_EQ(entry.name, "pay");
  EXPECT_EQ(entry.type_url, kClusterUrl);
  EXPECT_EQ(entry.body, Cluster("other"));
  EXPECT_EQ(entry.version, "v1");
  EXPECT_EQ(entry.ttl, absl::Seconds(5.5));
  EXPECT_TRUE(entry.is_wrapped);
  EXPECT_EQ(entry.problem, "");
}

TEST(Envelope, MergesTheHalvesOfAWrappedResourceAsProtobufDoes) {
  const std::string wrapper =
      Part(3, "pay") + Part(2, Part(1, kClusterUrl)) + Part(2, Part(2, Cluster("pay")));
  Read read(Head() + Resource(Any(kWrapperUrl, wrapper)));
  const ResourceEntry& entry = read.OnlyEntry();
  EXPECT_EQ(entry.type_url, kClusterUrl);
  EXPECT_EQ(entry.body, Cluster("pay"));
  EXPECT_EQ(entry.problem, "");
}

TEST(Envelope, AWrapperWithoutANameTakesTheOneInside) {
  const std::string wrapper = Part(2, Any(kClusterUrl, Cluster("pay")));
  EXPECT_EQ(Read(Head() + Resource(Any(kWrapperUrl, wrapper))).OnlyEntry().name, "pay");
}

TEST(Envelope, AHeartbeatHasANameAndATtlAndNoBody) {
  const std::string wrapper = Part(3, "pay") + Part(6, NumberField(1, 5));
  Read read(Head() + Resource(Any(kWrapperUrl, wrapper)));
  const ResourceEntry& entry = read.OnlyEntry();
  EXPECT_EQ(entry.name, "pay");
  EXPECT_FALSE(entry.has_body);
  EXPECT_EQ(entry.problem, "");
}

TEST(Envelope, SkipsUnknownFieldsOfEveryWireType) {  // R1.85
  const std::string unknown = NumberField(100, 1) + Tag(101, 1) + "12345678" + Part(102, "x") +
                              Tag(103, 3) + NumberField(1, 1) + Tag(5, 3) + Part(2, "y") +
                              Tag(5, 4) + Tag(6, 5) + "1234" + Tag(103, 4) + Tag(104, 5) + "1234";
  const std::string body = unknown + Cluster("pay") + unknown;
  const std::string any = unknown + Any(kClusterUrl, body) + unknown;
  EXPECT_EQ(Read(unknown + Head() + Resource(any) + unknown).OnlyEntry().name, "pay");
}

TEST(Envelope, AKnownNumberWithAnotherWireTypeIsAnUnknownField) {
  const std::string body = Cluster("pay") + NumberField(1, 5);
  EXPECT_EQ(Read(Head() + NumberField(2, 5) + Resource(Any(kClusterUrl, body))).OnlyEntry().name,
            "pay");
}

struct BadEntry {
  const char* name;
  std::string resource;
  const char* problem;
  const char* resource_name = "";  // what is still known
};

class EnvelopeEntry : public ::testing::TestWithParam<BadEntry> {};

TEST_P(EnvelopeEntry, HasAProblemOfItsOwnAndLeavesTheOthersAlone) {
  const std::string good = Resource(Any(kClusterUrl, Cluster("web")));
  const std::string message = Head() + good + Resource(GetParam().resource) + good;
  Read read(message);
  const DiscoveryResponse& response = read.response;
  ASSERT_THAT(response.resources, SizeIs(3));
  EXPECT_EQ(response.resources[1].problem, GetParam().problem);
  EXPECT_EQ(response.resources[1].name, GetParam().resource_name);
  for (size_t i : {0u, 2u}) {
    EXPECT_EQ(response.resources[i].name, "web");
    EXPECT_EQ(response.resources[i].problem, "");
  }
}

const BadEntry kBadEntries[] = {
    {"AnotherType",
     Any("type.googleapis.com/envoy.config.listener.v3.Listener", Cluster("pay")),  // R1.17
     "is of type \"type.googleapis.com/envoy.config.listener.v3.Listener\" in a response of type "
     "\"envoy.config.cluster.v3.Cluster\""},
    {"NoType", Part(2, Cluster("pay")),
     "is of type \"\" in a response of type \"envoy.config.cluster.v3.Cluster\""},
    {"NoName", Any(kClusterUrl, ""), "has no name"},
    {"BrokenAny", "\x0a\x7f", "cannot be parsed as google.protobuf.Any"},
    {"BrokenBody", Any(kClusterUrl, Cluster("pay") + "\x12\x7f"),
     "cannot be parsed as envoy.config.cluster.v3.Cluster"},
    {"NameNotUtf8", Any(kClusterUrl, Cluster("p\xff")), "has a name that is not valid UTF-8"},
    {"BrokenWrapper", Any(kWrapperUrl, Part(3, "pay") + "\x12\x7f"),  // R1.81
     "cannot be parsed as envoy.service.discovery.v3.Resource"},
    {"BrokenAnyInWrapper", Any(kWrapperUrl, Part(3, "pay") + Part(2, "\x0a\x7f")),
     "cannot be parsed as envoy.service.discovery.v3.Resource"},
    {"EmptyWrapper", Any(kWrapperUrl, Part(3, "pay")), "has no resource inside", "pay"},  // R1.81
    {"OtherTypeInWrapper",
     Any(kWrapperUrl, Part(3, "pay") + Part(2, Any("type.googleapis.com/acme.Thing", ""))),
     "is of type \"type.googleapis.com/acme.Thing\" in a response of type "
     "\"envoy.config.cluster.v3.Cluster\"",
     "pay"},
    {"WrapperInWrapper", Any(kWrapperUrl, Part(3, "pay") + Part(2, Any(kWrapperUrl, ""))),
     "is of type \"type.googleapis.com/envoy.service.discovery.v3.Resource\" in a response of type "
     "\"envoy.config.cluster.v3.Cluster\"",
     "pay"},
    {"TwoNames",  // R1.84
     Any(kWrapperUrl,
         Part(3, "pay") + Part(8, Part(1, "long")) + Part(2, Any(kClusterUrl, Cluster("pay")))),
     "has both name and resource_name, only one may be set", "pay"},
    {"VersionNotUtf8",
     Any(kWrapperUrl, Part(3, "pay") + Part(1, "\xff") + Part(2, Any(kClusterUrl, Cluster("pay")))),
     "has a version that is not valid UTF-8", "pay"},
};
INSTANTIATE_TEST_SUITE_P(Bad, EnvelopeEntry, ::testing::ValuesIn(kBadEntries),
                         [](const auto& row) { return row.param.name; });

struct BadMessage {
  const char* name;
  std::string message;
};

class BrokenEnvelope : public ::testing::TestWithParam<BadMessage> {};

TEST_P(BrokenEnvelope, IsAClearError) {  // R5.07
  const std::string& message = GetParam().message;
  const absl::StatusOr<DiscoveryResponse> response = Scan(message);
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.status(), absl::InvalidArgumentError(absl::StrCat(
                                   "discovery response of ", message.size(),
                                   " bytes cannot be parsed: truncated or not protobuf")));
  envoy::service::discovery::v3::DiscoveryResponse parsed;
  EXPECT_FALSE(parsed.ParseFromString(message)) << "protobuf takes what the scan refuses";
}

std::string NestedGroups(int depth) {
  std::string message;
  for (int i = 0; i < depth; ++i) message += Tag(100, 3);
  for (int i = 0; i < depth; ++i) message += Tag(100, 4);
  return message;
}

const BadMessage kBrokenMessages[] = {
    {"LengthBeyondTheEnd", Part(1, "v") + Tag(2, 2) + Varint(5) + "1234"},
    {"HugeLength", Tag(2, 2) + Varint(uint64_t{1} << 34)},
    {"LengthOfTenBytes", Tag(2, 2) + std::string(9, '\xff') + "\x01"},
    {"VarintWithoutEnd", Tag(3, 0) + std::string(11, '\xff')},
    {"CutVarint", Tag(3, 0) + "\x80"},
    {"CutTag", "\x80"},
    {"TagOfSixBytes", std::string(5, '\x80') + std::string(1, '\x01')},
    {"FieldZero", std::string("\x02\x00", 2)},
    {"CutFixed64", Tag(100, 1) + "1234567"},
    {"CutFixed32", Tag(100, 5) + "123"},
    {"WireTypeSix", Tag(100, 6)},
    {"WireTypeSeven", Tag(100, 7)},
    {"EndOfNoGroup", Tag(100, 4)},
    {"GroupWithoutEnd", Tag(100, 3) + NumberField(1, 1)},
    {"GroupEndsAsAnother", Tag(100, 3) + Tag(101, 4)},
    {"GroupsTooDeep", NestedGroups(10'000)},
    {"BrokenControlPlane", Part(6, "\x0a\x7f")},
};
INSTANTIATE_TEST_SUITE_P(Bytes, BrokenEnvelope, ::testing::ValuesIn(kBrokenMessages),
                         [](const auto& row) { return row.param.name; });

TEST(Envelope, RefusesTextsThatAreNotUtf8) {
  const std::string reason =
      "discovery response cannot be parsed: its version, nonce, type_url or control plane is not "
      "valid UTF-8";
  for (const std::string& message : {Part(1, "\xc0\xaf"), Part(4, "\xc0\xaf"), Part(5, "\xc0\xaf"),
                                     Part(6, Part(1, "\xc0\xaf"))}) {
    EXPECT_EQ(Scan(message).status(), absl::InvalidArgumentError(reason));
  }
}

TEST(Envelope, AnEmptyMessageIsAnEmptyResponse) {
  EXPECT_EQ(Read("").response, DiscoveryResponse());
}

std::string Error(absl::string_view name, uint64_t code, absl::string_view text) {
  return Part(1, Part(1, name)) + Part(2, NumberField(1, code) + Part(2, text));
}

TEST(Envelope, ReadsResourceErrorsOfBothVariants) {  // R2.01, R2.02, R2.03
  const auto is_error = [](absl::string_view name, int32_t code, absl::string_view text) {
    return AllOf(Field(&ResourceError::name, name), Field(&ResourceError::code, code),
                 Field(&ResourceError::message, text), Field(&ResourceError::problem, ""));
  };
  const std::string sotw = Head() + Part(7, Error("pay", 5, "no such cluster")) +
                           Part(7, Error("web", uint64_t(int64_t{-1}), ""));
  EXPECT_THAT(Read(sotw).response.resource_errors,
              ElementsAre(is_error("pay", 5, "no such cluster"), is_error("web", -1, "")));

  const std::string delta =
      Part(4, kClusterUrl) + Part(9, Error("pay", 7, "denied")) + Part(7, Part(1, "cp-1"));
  const absl::StatusOr<DiscoveryResponse> response = ScanDeltaResponse(delta);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(response->resource_errors, ElementsAre(is_error("pay", 7, "denied")));
  EXPECT_EQ(response->control_plane, "cp-1");
}

TEST(Envelope, SaysWhyAResourceErrorSaysNothing) {
  const std::string message = Head() + Part(7, Part(2, NumberField(1, 5))) +
                              Part(7, Part(1, Part(1, "pay"))) + Part(7, Error("pay", 0, "fine")) +
                              Part(7, "\x0a\x7f") + Part(7, Error("\xff", 5, "")) +
                              Part(7, Error("pay", 5, "\xff"));
  std::vector<std::string> problems;
  const Read read(message);
  for (const ResourceError& error : read.response.resource_errors) {
    problems.push_back(error.problem);
  }
  EXPECT_THAT(problems, ElementsAre("names no resource", "has no error_detail",
                                    "has the code OK, which is no error", "cannot be parsed",
                                    "has a name that is not valid UTF-8",
                                    "has a message that is not valid UTF-8"));
}

TEST(Envelope, ReadsDeltaResponses) {  // R1.66, R1.67
  const std::string entry =
      Part(3, "pay") + Part(1, "v1") + Part(2, Any(kClusterUrl, Cluster("pay")));
  const std::string message = Part(1, "debug") + Part(4, kClusterUrl) + Part(5, "n1") +
                              Part(2, entry) + Part(6, "old") + Part(8, Part(1, "older"));
  const absl::StatusOr<DiscoveryResponse> response = ScanDeltaResponse(message);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->version_info, "debug");
  EXPECT_EQ(response->nonce, "n1");
  EXPECT_THAT(response->removed_resources, ElementsAre("old", "older"));
  ASSERT_THAT(response->resources, SizeIs(1));
  EXPECT_EQ(response->resources[0].name, "pay");
  EXPECT_EQ(response->resources[0].version, "v1");
  EXPECT_EQ(response->resources[0].body, Cluster("pay"));
  EXPECT_EQ(response->resources[0].problem, "");
}

TEST(Envelope, ADeltaEntryHasItsNameFromTheWrapperOnly) {
  const std::string message =
      Part(4, kClusterUrl) + Part(2, Part(2, Any(kClusterUrl, Cluster("pay"))));
  const absl::StatusOr<DiscoveryResponse> response = ScanDeltaResponse(message);
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->resources[0].problem, "has no name");
}

// Wherever a message is cut, the scan says what protobuf says.
TEST(Envelope, AgreesWithProtobufOnEveryTruncation) {
  const std::string message = Head() + Resource(Any(kClusterUrl, Cluster("pay"))) +
                              Part(6, Part(1, "cp")) + Part(7, Error("web", 5, "gone")) +
                              NumberField(3, 1);
  for (size_t length = 0; length <= message.size(); ++length) {
    const std::string cut = message.substr(0, length);
    envoy::service::discovery::v3::DiscoveryResponse parsed;
    const bool protobuf_takes_it = parsed.ParseFromString(cut);
    const absl::StatusOr<DiscoveryResponse> response = Scan(cut);
    EXPECT_EQ(response.ok(), protobuf_takes_it) << length;
    if (!response.ok()) continue;
    EXPECT_EQ(response->resources.size(), static_cast<size_t>(parsed.resources_size()));
    EXPECT_EQ(response->nonce, parsed.nonce());
  }
}

}  // namespace
}  // namespace holdfast
