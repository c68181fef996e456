#include "runtime/grpc_ads_transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/end_to_end/runtime/obedient_server.h"
#include "tests/end_to_end/runtime/transport_session.h"
#include "tests/end_to_end/runtime/tunnel.h"

namespace holdfast {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr StreamId kFirst(1);
constexpr StreamId kSecond(2);

GrpcAdsTransportOptions OptionsFor(const std::string& server_uri) {
  GrpcAdsTransportOptions options;
  options.server_uri = server_uri;
  options.credentials = grpc::InsecureChannelCredentials();
  return options;
}

class GrpcAdsTransportTest : public testing::Test {
 protected:
  GrpcAdsTransportTest() { server_.Start(); }

  GrpcAdsTransportOptions Options() const { return OptionsFor(server_.address()); }

  ObedientServer server_;
};

TEST_F(GrpcAdsTransportTest, SendsAndReads) {  // R1.01
  TransportSession session(Options());
  session.Open(kFirst);
  session.Send(kFirst, "nothing");
  EXPECT_EQ(session.NextNews(), "sent #1");
  session.Send(kFirst, "method");
  session.Read(kFirst);
  EXPECT_EQ(session.NextAnswer(),
            "message #1: /envoy.service.discovery.v3.AggregatedDiscoveryService/"
            "StreamAggregatedResources");
  session.Close(kFirst);
  // Before the call has started; and reading before there is anything to read.
  session.Do([](AdsTransport& transport) {
    transport.Open(kSecond);
    transport.Read(kSecond);
    transport.Send(kSecond, "say at once");
  });
  EXPECT_EQ(session.NextAnswer(), "message #2: at once");
}

TEST_F(GrpcAdsTransportTest, ReadsOneMessageForEachThatIsAskedFor) {
  TransportSession session(Options());
  session.Open(kFirst);
  session.Send(kFirst, "say one");
  EXPECT_EQ(session.NextNews(), "sent #1");
  session.Send(kFirst, "say two");
  EXPECT_EQ(session.NextNews(), "sent #1");
  session.Read(kFirst);
  EXPECT_EQ(session.NextAnswer(), "message #1: one");
  // Had the second come unasked, it would be the next news.
  session.Send(kFirst, "nothing");
  EXPECT_EQ(session.NextNews(), "sent #1");
  session.Read(kFirst);
  EXPECT_EQ(session.NextAnswer(), "message #1: two");
}

TEST_F(GrpcAdsTransportTest, CarriesMessagesOfAnySize) {
  TransportSession session(Options());
  session.Ask(kFirst, "say ");
  EXPECT_EQ(session.NextAnswer(), "message #1: ");
  // Longer than gRPC allows by itself, and in many slices.
  const std::string text = std::string(6'000'000, 'a') + "end";
  session.Read(kFirst);
  session.Send(kFirst, absl::StrCat("say ", text));
  EXPECT_TRUE(session.NextAnswer() == absl::StrCat("message #1: ", text));
  session.Read(kFirst);
  session.Send(kFirst, "");
  EXPECT_EQ(session.NextAnswer(), "message #1: what is ?");
}

TEST_F(GrpcAdsTransportTest, SaysThatAResponseIsTooLong) {
  GrpcAdsTransportOptions options = Options();
  options.most_response_bytes = 1000;
  TransportSession session(options);
  session.Ask(kFirst, "say-many 1000");
  EXPECT_THAT(session.NextAnswer(), StartsWith("message #1: xxx"));
  session.Read(kFirst);
  session.Send(kFirst, "say-many 1001");
  EXPECT_THAT(session.NextAnswer(),
              AllOf(StartsWith("closed #1: RESOURCE_EXHAUSTED: "), HasSubstr("1001 vs. 1000"),
                    Not(EndsWith("(channel failing)"))));
}

TEST_F(GrpcAdsTransportTest, CallsItselfWhatItIsTold) {
  GrpcAdsTransportOptions options = Options();
  options.user_agent_prefix = "holdfast/1";
  TransportSession session(options);
  session.Ask(kFirst, "user-agent");
  EXPECT_THAT(session.NextAnswer(), StartsWith("message #1: holdfast/1 grpc-c++/"));
}

TEST_F(GrpcAdsTransportTest, TellsHowTheServerEndedTheStream) {  // R4.33
  TransportSession session(Options());
  session.Ask(kFirst, "end 7 not for you");
  EXPECT_EQ(session.NextAnswer(), "closed #1: PERMISSION_DENIED: not for you");
  // The connection was there all the time: no "channel ready" in between.
  session.Ask(kSecond, "end 0 ");
  EXPECT_EQ(session.NextAnswer(), "closed #2: OK");
  session.Ask(StreamId(3), "say still here");
  EXPECT_EQ(session.NextAnswer(), "message #3: still here");
}

TEST_F(GrpcAdsTransportTest, KeepsWhatTheServerSaysInOneLine) {
  TransportSession session(Options());
  session.Ask(kFirst, absl::StrCat("end 2 one\ntwo\x1b", std::string(5000, 'x')));
  EXPECT_THAT(session.NextAnswer(),
              AllOf(StartsWith("closed #1: UNKNOWN: one two xxx"), HasSubstr("bytes in all)")));
}

// The end is found by reading, so that what came before it is not lost.
TEST_F(GrpcAdsTransportTest, DeliversMessagesThatCameBeforeTheEnd) {
  TransportSession session(Options());
  session.Open(kFirst);
  session.Send(kFirst, "say last words");
  EXPECT_EQ(session.NextNews(), "sent #1");
  session.Send(kFirst, "end 14 going down");
  session.Read(kFirst);
  EXPECT_EQ(session.NextAnswer(), "message #1: last words");
  session.Read(kFirst);
  EXPECT_EQ(session.NextAnswer(), "closed #1: UNAVAILABLE: going down");
}

TEST_F(GrpcAdsTransportTest, TellsWhyItCannotConnectAndWhenItCan) {  // R4.32, R4.33
  server_.Stop();
  TransportSession session(Options());
  session.Ask(kFirst, "say too early");
  EXPECT_THAT(session.NextAnswer(),
              AllOf(StartsWith("closed #1: UNAVAILABLE: "),
                    HasSubstr("failed to connect to all addresses"), HasSubstr(server_.address()),
                    HasSubstr("Connection refused"), EndsWith("(channel failing)")));
  // While the channel waits for its next attempt, streams fail at once and for the same reason.
  session.Ask(kSecond, "say too early");
  EXPECT_THAT(session.NextAnswer(),
              AllOf(StartsWith("closed #2: UNAVAILABLE: "), HasSubstr("Connection refused"),
                    EndsWith("(channel failing)")));
  server_.Start();
  EXPECT_EQ(session.NextAnswer(), "channel ready");
  session.Ask(StreamId(3), "say at last");
  EXPECT_EQ(session.NextAnswer(), "message #3: at last");
}

TEST_F(GrpcAdsTransportTest, TellsThatTheConnectionWasCut) {  // R4.33
  Tunnel tunnel(server_.port());
  TransportSession session(OptionsFor(tunnel.address()));
  session.Ask(kFirst, "say hello");
  EXPECT_EQ(session.NextAnswer(), "message #1: hello");
  session.Read(kFirst);
  tunnel.Cut();
  EXPECT_THAT(session.NextAnswer(),
              AllOf(StartsWith("closed #1: UNAVAILABLE: "), HasSubstr("Connection reset by peer")));
}

TEST_F(GrpcAdsTransportTest, ReconnectsWhenTheServerRestarts) {  // R4.32
  TransportSession session(Options());
  session.Ask(kFirst, "say hello");
  EXPECT_EQ(session.NextAnswer(), "message #1: hello");
  session.Read(kFirst);
  server_.Stop();
  EXPECT_THAT(session.NextAnswer(), StartsWith("closed #1: UNAVAILABLE: "));
  server_.Start();
  EXPECT_EQ(session.NextAnswer(), "channel ready");
  session.Ask(kSecond, "say hello again");
  EXPECT_EQ(session.NextAnswer(), "message #2: hello again");
}

TEST_F(GrpcAdsTransportTest, ReconnectsAfterAStreamThatWeClosed) {
  TransportSession session(Options());
  session.Ask(kFirst, "say hello");
  EXPECT_EQ(session.NextAnswer(), "message #1: hello");
  session.Close(kFirst);
  server_.Stop();
  server_.Start();
  EXPECT_EQ(session.NextAnswer(), "channel ready");
}

TEST_F(GrpcAdsTransportTest, SaysNothingOfAStreamThatWasClosed) {
  TransportSession session(Options());
  session.Do([](AdsTransport& transport) {
    // At each stage: starting, with operations waiting for that, and with both pending.
    transport.Open(kFirst);
    transport.Close(kFirst);
    transport.Open(kSecond);
    transport.Send(kSecond, "say something");
    transport.Read(kSecond);
    transport.Close(kSecond);
    transport.Open(StreamId(3));
    transport.Read(StreamId(3));
    transport.Send(StreamId(3), "nothing");
  });
  EXPECT_EQ(session.NextNews(), "sent #3");
  session.Do([](AdsTransport& transport) {
    transport.Send(StreamId(3), "say something");
    transport.Close(StreamId(3));
  });
  session.Ask(StreamId(4), "say something else");
  EXPECT_EQ(session.NextAnswer(), "message #4: something else");
}

TEST_F(GrpcAdsTransportTest, MayBeDestroyedInsideAnyNews) {
  for (const char* news : {"sent", "message", "closed"}) {
    TransportSession session(Options());
    session.DestroyAt(news);
    session.Do([&](AdsTransport& transport) {
      transport.Open(kFirst);
      transport.Send(kFirst, news == std::string("closed") ? "end 14 over" : "say hello");
      transport.Read(kFirst);
    });
    while (session.HasTransport()) EXPECT_THAT(session.NextNews(), HasSubstr("#1"));
  }
  server_.Stop();
  TransportSession session(Options());
  session.DestroyAt("channel ready");
  session.Open(kFirst);
  EXPECT_THAT(session.NextAnswer(), StartsWith("closed #1: UNAVAILABLE: "));
  server_.Start();
  EXPECT_EQ(session.NextAnswer(), "channel ready");
  EXPECT_FALSE(session.HasTransport());
}

// With operations pending, at moments that differ; the sanitizers and the end of each loop, which
// waits for all of them, are the proof.
TEST_F(GrpcAdsTransportTest, MayBeDestroyedAtAnyTime) {
  for (int round = 0; round < 50; ++round) {
    TransportSession session(Options());
    if (round % 5 == 0) continue;
    session.Ask(kFirst, "say hello");
    if (round % 5 == 1) continue;
    EXPECT_EQ(session.NextAnswer(), "message #1: hello");
    if (round % 5 == 2) continue;
    session.Read(kFirst);
    if (round % 5 == 3) continue;
    session.Close(kFirst);
  }
  server_.Stop();
  for (int round = 0; round < 10; ++round) {
    TransportSession session(Options());
    session.Open(kFirst);
    if (round % 2 == 0) {
      EXPECT_THAT(session.NextAnswer(), StartsWith("closed #1: UNAVAILABLE: "));
    }
  }
}

TEST(GrpcAdsTransport, SaysThatAUriIsUnusable) {
  TransportSession session(OptionsFor("ipv4:not an address"));
  session.Open(kFirst);
  EXPECT_THAT(session.NextAnswer(),
              AllOf(StartsWith("closed #1: "), HasSubstr("server_uri: no target that gRPC can use "
                                                         "(got \"ipv4:not an address\"): ")));
  session.Open(kSecond);
  EXPECT_THAT(session.NextAnswer(), StartsWith("closed #2: "));
}

// Something listens there, but it is no gRPC server.
TEST(GrpcAdsTransport, SaysThatTheServerHungUp) {  // R4.33
  uint16_t port = 0;
  const int listener = BoundSocket(port);
  ASSERT_EQ(listen(listener, 16), 0);
  std::thread hangs_up([listener] {
    for (int connection; (connection = accept(listener, nullptr, nullptr)) >= 0;) close(connection);
  });
  {
    TransportSession session(OptionsFor(absl::StrCat("127.0.0.1:", port)));
    session.Ask(kFirst, "say hello");
    EXPECT_THAT(session.NextAnswer(),
                AllOf(StartsWith("closed #1: UNAVAILABLE: "), HasSubstr("last error: "),
                      EndsWith("(channel failing)")));
  }
  shutdown(listener, SHUT_RDWR);
  hangs_up.join();
  close(listener);
}

}  // namespace
}  // namespace holdfast
