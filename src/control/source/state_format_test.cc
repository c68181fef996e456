#include "control/source/state_format.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "control/catalog/content_hash.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

const char kType[] = "envoy.config.cluster.v3.Cluster";
constexpr size_t kFormatAt = 8;
constexpr size_t kSizeAt = 16;
constexpr size_t kChecksumAt = 24;
constexpr size_t kFilesAt = 40;

void Put(GoodFile& file, const std::string& name, absl::string_view body,
         std::optional<absl::Duration> ttl = std::nullopt) {
  file.resources[{kType, name}] = std::make_shared<const Resource>(kType, name, body, ttl);
}

LastGood Everything() {
  LastGood good;
  GoodFile& file = good["pay.yaml"];
  Put(file, "pay", absl::string_view("\0body", 5));
  Put(file, "web", "", absl::Seconds(315'576'000'000) + absl::Nanoseconds(7));
  file.errors[{kType, "billing"}] = {7, "ask #payments"};
  file.withheld[{kType, "api"}] = {13, "no such field"};
  file.labels[kType] = "spring";
  file.access_refusal = "pay.yaml:1:1: error: access: is not supported yet";
  good["empty.yaml"];
  return good;
}

void PutNumber(std::string& bytes, size_t at, uint64_t number) {
  for (size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(number >> (8 * i));
}

// Makes size and checksum right again, so that what is behind them is looked at.
void Sign(std::string& bytes) {
  const ContentHash checksum = HashOf(absl::string_view(bytes).substr(kFilesAt));
  PutNumber(bytes, kSizeAt, bytes.size() - kFilesAt);
  PutNumber(bytes, kChecksumAt, checksum.high);
  PutNumber(bytes, kChecksumAt + 8, checksum.low);
}

TEST(StateFormat, EverythingComesBack) {
  const LastGood good = Everything();
  const std::string bytes = EncodeState(good);
  const absl::StatusOr<LastGood> read = DecodeState(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, good);
  const Resource& web = *read->at("pay.yaml").resources.at({kType, "web"});
  EXPECT_EQ(web.ttl(), absl::Seconds(315'576'000'000) + absl::Nanoseconds(7));
  EXPECT_EQ(read->at("pay.yaml").resources.at({kType, "pay"})->body(),
            absl::string_view("\0body", 5));
  EXPECT_EQ(EncodeState(*read), bytes);
  EXPECT_EQ(*DecodeState(EncodeState(LastGood())), LastGood());
}

TEST(StateFormat, WhatResourcesReferToIsKnownAgain) {
  LastGood good;
  // A cluster of type EDS (field 2, value 3) that fetches its endpoints by ADS.
  Put(good["a.yaml"], "pay", absl::string_view("\x0a\x03pay\x10\x03\x1a\x04\x0a\x02\x1a\x00", 13));
  const absl::StatusOr<LastGood> read = DecodeState(EncodeState(good));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(
      read->at("a.yaml").resources.at({kType, "pay"})->children(),
      testing::ElementsAre(ResourceKey{"envoy.config.endpoint.v3.ClusterLoadAssignment", "pay"}));
}

TEST(StateFormat, CutOffAnywhereItIsRefused) {
  const std::string bytes = EncodeState(Everything());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const absl::Status status = DecodeState(bytes.substr(0, size)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << size;
    EXPECT_THAT(std::string(status.message()), HasSubstr("not what was written: "));
  }
  EXPECT_EQ(DecodeState(bytes + "x").status().code(), absl::StatusCode::kDataLoss);
}

TEST(StateFormat, CutOffAnywhereAndSignedItIsRefusedAllTheSame) {
  const std::string bytes = EncodeState(Everything());
  for (size_t size = kFilesAt; size < bytes.size(); ++size) {
    std::string cut = bytes.substr(0, size);
    Sign(cut);
    const absl::Status status = DecodeState(cut).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << size;
    EXPECT_THAT(std::string(status.message()), HasSubstr("its lists do not add up")) << size;
  }
}

TEST(StateFormat, AnyBitThatFlipsIsNoticed) {
  const std::string bytes = EncodeState(Everything());
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      const absl::StatusCode code = DecodeState(flipped).status().code();
      const bool is_format = at >= kFormatAt && at < kSizeAt;
      EXPECT_EQ(code,
                is_format ? absl::StatusCode::kFailedPrecondition : absl::StatusCode::kDataLoss)
          << at << " " << bit;
    }
  }
}

// What the checksum cannot notice must still do no harm: a length is never trusted.
TEST(StateFormat, HugeNumbersAnywhereDoNoHarm) {
  const LastGood good = Everything();
  const std::string bytes = EncodeState(good);
  for (const uint64_t number : {~uint64_t{0}, uint64_t{1} << 63, uint64_t{1} << 40, uint64_t{0}}) {
    for (size_t at = kFilesAt; at + 8 <= bytes.size(); ++at) {
      std::string changed = bytes;
      PutNumber(changed, at, number);
      Sign(changed);
      const absl::StatusOr<LastGood> read = DecodeState(changed);
      if (!read.ok()) {
        EXPECT_EQ(read.status().code(), absl::StatusCode::kDataLoss) << at;
      }
    }
  }
}

TEST(StateFormat, AnotherFormatIsNotGuessedAt) {
  std::string bytes = EncodeState(Everything());
  PutNumber(bytes, kFormatAt, 1);
  const absl::Status status = DecodeState(bytes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "of format 1, and this release reads format 2 only");
}

}  // namespace
}  // namespace holdfast
