// xRFC TP3 from the bytes on the wire to the watcher's ear, where the bytes are not what a server
// of ours would write.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/protocol/conversation_test.h"
#include "tests/spec/a88_play.h"
#include "tests/support/wire_bytes.h"

namespace holdfast {
namespace {

using absl::StatusCode;

// Alice has a real cluster, "paris", of version 1.
class Tp3Wire : public testing::Test {
 protected:
  Tp3Wire() : talk_(ServerFeatures{.fail_on_data_errors = true}) {
    talk_.Watch("alice", ClusterType(), "paris");
    talk_.Settle();
    Receive("1", Field(2, Any(Url("envoy.config.cluster.v3.Cluster"), Paris())));
  }

  static std::string Url(absl::string_view type_name) {
    return absl::StrCat(kTypeUrlPrefix, type_name);
  }
  static std::string Paris() {
    return FromText("envoy.config.cluster.v3.Cluster",
                    R"(name: "paris" type: EDS eds_cluster_config { eds_config { ads {} } })");
  }
  static std::string Status(uint64_t code, absl::string_view message) {
    return NumberField(1, code) + Field(2, message);
  }
  // An entry of resource_errors: field 7.
  static std::string Error(absl::string_view name, absl::string_view rest) {
    return Field(7, absl::StrCat(Field(1, Field(1, name)), rest));
  }
  // In envoy.service.discovery.v3.Resource.
  static std::string Wrapped(absl::string_view name, absl::string_view rest) {
    return Field(
        2, Any(Url("envoy.service.discovery.v3.Resource"), absl::StrCat(Field(3, name), rest)));
  }

  Lines Receive(absl::string_view version, absl::string_view rest) {
    const std::string bytes =
        absl::StrCat(Field(1, version), Field(4, Url("envoy.config.cluster.v3.Cluster")),
                     Field(5, absl::StrCat("n", version)), rest);
    const absl::StatusOr<DiscoveryResponse> read = ReadResponse(bytes);
    if (!read.ok()) return Lines({read.status().ToString()});
    const Lines lines = talk_.Tell(ResponseReceived{talk_.stream(), *read});
    talk_.Settle();
    return lines;
  }
  std::string NackIn(const Lines& lines) {
    for (const std::string& line : lines.StartingWith("send").lines) {
      const size_t nack = line.find("NACK 3: ");
      if (nack != std::string::npos) return line.substr(nack);
    }
    return "";
  }
  bool IsKept() { return talk_.Shown(ClusterType(), "paris").bytes != nullptr; }

  Conversation talk_;
};

TEST_F(Tp3Wire, FieldSevenHoldsErrors) {  // R2.01, R2.02, R2.10, R2.19
  const Lines lines = Receive("2", Error("paris", Field(2, Status(14, "ask #net"))));
  EXPECT_EQ(lines.For("alice"), Lines({Ambient("alice", StatusCode::kUnavailable,
                                               "cluster \"paris\": ask #net; keeping version 1")}));
  EXPECT_EQ(NackIn(lines), "");
}

TEST_F(Tp3Wire, ACodeIsAnyNumber) {  // R2.14
  const Lines lines =
      Receive("2", Error("paris", Field(2, Status(static_cast<uint64_t>(-7), "ask #net"))));
  EXPECT_EQ(lines.For("alice"),
            Lines({Ambient("alice", StatusCode::kUnknown,
                           "cluster \"paris\": status code -7: ask #net; keeping version 1")}));
}

TEST_F(Tp3Wire, AnErrorThatIsNoneIsRejected) {  // R2.20, R2.22, DEC-07
  EXPECT_EQ(NackIn(Receive("2", Error("paris", ""))),
            "NACK 3: resource_errors[0] cluster \"paris\": has no error_detail");
  EXPECT_TRUE(IsKept());
  EXPECT_EQ(NackIn(Receive("3", Error("paris", Field(2, Status(0, "fine"))))),
            "NACK 3: resource_errors[0] cluster \"paris\": has the code OK, which is no error");
  EXPECT_TRUE(IsKept());
  EXPECT_EQ(NackIn(Receive("4", Error("", Field(2, Status(5, "gone"))))),
            "NACK 3: resource_errors[0]: names no resource");
  EXPECT_TRUE(IsKept());
}

TEST_F(Tp3Wire, AnErrorInsideAWrapperIsNotRead) {  // R2.42
  const Lines lines = Receive(
      "2", Wrapped("paris", Field(2, Any(Url("google.rpc.Status"), Status(14, "ask #net")))));
  EXPECT_EQ(NackIn(lines),
            "NACK 3: resources[0] cluster \"paris\": is of type "
            "\"type.googleapis.com/google.rpc.Status\" in a response of type "
            "\"envoy.config.cluster.v3.Cluster\"");
  EXPECT_EQ(talk_.Shown(ClusterType(), "paris").cache_state, "nacked");
}

TEST_F(Tp3Wire, AResourceInsideAWrapperIsRead) {  // R1.80
  const Lines lines = Receive(
      "2", Wrapped("paris", Field(2, Any(Url("envoy.config.cluster.v3.Cluster"), Paris()))));
  EXPECT_EQ(lines.For("alice"), Lines());  // It is the same as before.
  EXPECT_EQ(NackIn(lines), "");
  EXPECT_EQ(*talk_.Shown(ClusterType(), "paris").bytes, Paris());
}

TEST_F(Tp3Wire, AnEmptyWrapperIsRejected) {  // R1.81
  EXPECT_EQ(NackIn(Receive("2", Wrapped("paris", ""))),
            "NACK 3: resources[0] cluster \"paris\": has no resource inside");
  // With a TTL of 1 s it would be a heartbeat, had we asked for those.
  EXPECT_EQ(NackIn(Receive("3", Wrapped("paris", Field(6, NumberField(1, 1))))),
            "NACK 3: resources[0] cluster \"paris\": has no resource inside");
}

}  // namespace
}  // namespace holdfast
