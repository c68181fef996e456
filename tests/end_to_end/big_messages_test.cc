// Much of everything: large responses, many names, long texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/end_to_end/client_under_test.h"
#include "tests/support/wire_bytes.h"
#include "wire/ads.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

constexpr size_t kManyNames = 10'000;

std::string NameOf(size_t number) { return absl::StrCat("cluster-", number); }

TEST(EndToEndBig, AResponseOfTenMegabytesIsRead) {
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  TestResponse response(ClusterType(), "1");
  response.Resource(ClusterBytes("pay"));
  // A field that we do not read: alt_stat_name.
  const std::string padding = Field(28, std::string(1'000'000, 'x'));
  for (int i = 0; i < 10; ++i) {
    response.Resource(ClusterBytes(absl::StrCat("other-", i)) + padding);
  }
  ASSERT_GT(response.Bytes().size(), size_t{10'000'000});
  stream->Send(response.Bytes());
  EXPECT_THAT(alice.Next(), OfKind(Heard::kValue));
  EXPECT_EQ(stream->NextRequest().version_info, "1");
}

TEST(EndToEndBig, AResponseAboveTheLimitIsHeardAndNamesTheLimit) {
  ScriptedAdsServer server;
  XdsClientOptions options = QuickOptions();
  options.most_response_bytes = 1000;
  auto client = ClientOf(BootstrapFor(server.address()), options);
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(std::string(2000, '\x07'));
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.kind, Heard::kError);
  EXPECT_EQ(heard.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(heard.cause(), Cause::kConnectivity);
  EXPECT_THAT(heard.text(), HasSubstr("2000"));
  EXPECT_THAT(heard.text(), HasSubstr("1000"));
  // The next stream may be better.
  const auto next = server.NextStream();
  next->NextRequest();
  next->Send(TestResponse(ClusterType(), "1").Resource(ClusterBytes("pay")).Bytes());
  EXPECT_EQ(alice.Next(Heard::kValue).kind, Heard::kValue);
}

TEST(EndToEndBig, TenThousandNamesOneByOneMeltIntoFewRequests) {  // R1.20 R1.30
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  std::vector<Watching> watching;
  for (size_t i = 0; i < kManyNames; ++i) watching.push_back(WatchCluster(*client, NameOf(i)));
  const auto stream = server.NextStream();
  stream->NextRequest(
      [](const auto& request) { return request.resource_names.size() == kManyNames; });
  size_t sent_bytes = 0;
  for (const DiscoveryRequest& request : stream->Requests()) sent_bytes += Encode(request).size();
  EXPECT_LE(sent_bytes, size_t{2'000'000}) << stream->Requests().size() << " requests";

  TestResponse response(ClusterType(), "1");
  for (size_t i = 0; i < kManyNames; ++i) response.Resource(ClusterBytes(NameOf(i)));
  stream->Send(response.Bytes());
  for (Watching& one : watching) ASSERT_THAT(one.Next(), OfKind(Heard::kValue));

  // All of them bad at once: one NACK, of a size that a server will read.
  TestResponse bad(ClusterType(), "2");
  for (size_t i = 0; i < kManyNames; ++i) bad.Resource(BadClusterBytes(NameOf(i)));
  stream->Send(bad.Bytes());
  const DiscoveryRequest nack =
      stream->NextRequest([](const auto& request) { return request.error_detail.has_value(); });
  EXPECT_THAT(nack.error_detail->message, HasSubstr("cluster \"cluster-0\""));
  EXPECT_THAT(nack.error_detail->message, HasSubstr("; and "));
  EXPECT_LE(nack.error_detail->message.size(), size_t{257} << 10);
  for (Watching& one : watching) ASSERT_THAT(one.Next(), OfKind(Heard::kAmbientError));
}

TEST(EndToEndBig, AnErrorTextOfAMegabyteIsCut) {
  ScriptedAdsServer server;
  auto client = ClientOf(BootstrapFor(server.address()));
  Watching alice = WatchCluster(*client, "pay");
  const auto stream = server.NextStream();
  stream->NextRequest();
  stream->Send(TestResponse(ClusterType(), "1")
                   .Error("pay", 13, absl::StrCat("out of ideas\n", std::string(1'000'000, 'x')))
                   .Bytes());
  const Heard heard = alice.Next();
  EXPECT_EQ(heard.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(heard.text(), HasSubstr("out of ideas xxx"));
  EXPECT_THAT(heard.text(), HasSubstr("1000013 bytes in all"));
  EXPECT_LE(heard.text().size(), size_t{17} << 10);
  EXPECT_LE(SnapshotOf(*client, "pay").error->text.size(), size_t{17} << 10);
}

}  // namespace
}  // namespace holdfast
