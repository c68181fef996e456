// Answers that carry nothing but a type and a nonce are read without protobuf. Whatever the bytes
// are, protobuf's own parser decides what is right.
#include <string>

#include "envoy/service/discovery/v3/discovery.pb.h"
#include "gtest/gtest.h"
#include "wire/ads.h"
#include "wire/parse_message.h"

namespace holdfast {
namespace {

void ExpectAsProtobufReadsIt(const std::string& bytes) {
  envoy::service::discovery::v3::DeltaDiscoveryRequest message;
  const bool is_read = ParseMessageQuietly(bytes, message);
  const auto request = ParseDeltaRequest(bytes);
  ASSERT_EQ(request.ok(), is_read) << testing::PrintToString(bytes);
  if (!is_read) return;
  EXPECT_EQ(request->type_url, message.type_url());
  EXPECT_EQ(request->response_nonce, message.response_nonce());
  EXPECT_EQ(request->node.has_value(), message.has_node());
  EXPECT_EQ(request->error_detail.has_value(), message.has_error_detail());
  EXPECT_EQ(request->subscribe.size(),
            static_cast<size_t>(message.resource_names_subscribe().size()));
  EXPECT_EQ(request->unsubscribe.size(),
            static_cast<size_t>(message.resource_names_unsubscribe().size()));
  EXPECT_EQ(request->initial_resource_versions.size(),
            static_cast<size_t>(message.initial_resource_versions().size()));
}

TEST(PlainAnswer, IsReadAsProtobufReadsIt) {
  DeltaDiscoveryRequest answer;
  answer.type_url = "type.googleapis.com/a.B";
  answer.response_nonce = "17";
  const std::string bytes = Encode(answer);
  EXPECT_EQ(*ParseDeltaRequest(bytes), answer);
  ExpectAsProtobufReadsIt(bytes + bytes);
  for (size_t at = 0; at <= bytes.size(); ++at) {
    ExpectAsProtobufReadsIt(bytes.substr(0, at));
    for (int value = 0; value < 256; ++value) {
      const char byte = static_cast<char>(value);
      ExpectAsProtobufReadsIt(std::string(bytes).insert(at, 1, byte));
      if (at == bytes.size()) continue;
      std::string changed = bytes;
      changed[at] = byte;
      ExpectAsProtobufReadsIt(changed);
    }
  }
}

}  // namespace
}  // namespace holdfast
