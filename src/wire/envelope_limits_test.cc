// What the scan does with a response that it can read but will not hold.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/wire_bytes.h"
#include "wire/envelope.h"

namespace holdfast {
namespace {

constexpr char kClusterUrl[] = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

std::string Head() { return Field(1, "v7") + Field(4, kClusterUrl) + Field(5, "n3"); }

absl::StatusOr<DiscoveryResponse> Scan(absl::string_view message) {
  return ScanResponse(message, [](absl::string_view) { return 1u; });
}

// A response that was read but cannot be used: what is left of it, and why.
DiscoveryResponse HeadWith(absl::string_view problem) {
  return {.version_info = "v7",
          .type_url = kClusterUrl,
          .nonce = "n3",
          .problem = std::string(problem)};
}

TEST(EnvelopeLimits, ARemovedNameThatIsNotUtf8CanBeNacked) {  // R1.12
  const std::string entry = Field(2, Field(3, "pay") + Field(2, Any(kClusterUrl, Field(1, "pay"))));
  for (const std::string& removed : {Field(6, "a\xff"), Field(8, Field(1, "a\xff"))}) {
    const std::string message = entry + Field(6, "fine") + removed + Head();
    const absl::StatusOr<DiscoveryResponse> response = ScanDeltaResponse(message);
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(*response, HeadWith("delta discovery response removes \"a\\xff\", a name that is not "
                                  "valid UTF-8"));
  }
}

TEST(EnvelopeLimits, AVersionThatIsTooLongCanBeNacked) {  // R1.12
  const std::string head = Field(4, kClusterUrl) + Field(5, "n3");
  EXPECT_EQ(Scan(head + Field(1, std::string(4096, 'v')))->problem, "");
  const std::string message = head + Field(1, std::string(4097, 'v'));
  const absl::StatusOr<DiscoveryResponse> response = Scan(message);
  ASSERT_TRUE(response.ok()) << response.status();
  DiscoveryResponse expected =
      HeadWith("discovery response has a version_info of 4097 bytes, the most accepted is 4096");
  expected.version_info = "";
  EXPECT_EQ(*response, expected);
}

TEST(EnvelopeLimits, WhatCannotBeAnsweredForItsLengthIsRefused) {
  const absl::Status refused = absl::InvalidArgumentError(
      "discovery response cannot be used: its type_url or nonce is longer than 4096 bytes");
  EXPECT_EQ(Scan(Field(4, kClusterUrl) + Field(5, std::string(4097, 'n'))).status(), refused);
  EXPECT_EQ(Scan(Field(5, "n3") + Field(4, std::string(4097, 't'))).status(), refused);
}

std::string EmptyEntries(size_t count) {
  std::string entries;
  for (size_t i = 0; i < count; ++i) entries += std::string("\x12\x00", 2);
  return entries;
}

TEST(EnvelopeLimits, MoreEntriesThanItWillHoldCanBeNacked) {  // R1.12
  // The head comes last: it is found although nothing before it is kept.
  const std::string message = EmptyEntries(kMostEntries) + Field(7, "") + Field(7, "") + Head();
  const absl::StatusOr<DiscoveryResponse> sotw = Scan(message);
  ASSERT_TRUE(sotw.ok()) << sotw.status();
  EXPECT_EQ(*sotw,
            HeadWith("discovery response has 1000002 entries, the most accepted is 1000000"));

  const std::string delta =
      EmptyEntries(kMostEntries - 2) + Field(6, "") + Field(8, "") + Field(9, "") + Head();
  const absl::StatusOr<DiscoveryResponse> response = ScanDeltaResponse(delta);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(*response,
            HeadWith("delta discovery response has 1000001 entries, the most accepted is 1000000"));
}

TEST(EnvelopeLimits, TooManyEntriesDoNotHideThatItIsBroken) {  // R5.07
  const std::string message = EmptyEntries(kMostEntries + 1) + Head() + "\x0a\x7f";
  EXPECT_EQ(Scan(message).status(), absl::InvalidArgumentError(absl::StrCat(
                                        "discovery response of ", message.size(),
                                        " bytes cannot be parsed: truncated or not protobuf")));
}

TEST(EnvelopeLimits, AsManyEntriesAsItWillHoldAreRead) {
  const std::string message = EmptyEntries(kMostEntries) + Head();
  const absl::StatusOr<DiscoveryResponse> response = Scan(message);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->problem, "");
  EXPECT_EQ(response->resources.size(), kMostEntries);
}

TEST(EnvelopeLimits, ExplainsTheFirstThousandBrokenEntries) {
  std::string message = Head();
  for (int i = 0; i < 1001; ++i) message += Field(2, Any(kClusterUrl, ""));
  const absl::StatusOr<DiscoveryResponse> response = Scan(message);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->resources[999].problem, "has no name");
  EXPECT_EQ(response->resources[1000].problem, "is broken too");
}

}  // namespace
}  // namespace holdfast
