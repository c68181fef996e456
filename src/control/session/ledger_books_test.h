// What a session reports of its client, for tests: a line for each resource.
//
//   "good pay=v2"   "waiting pay=v2 runs v1"   "held_back pay=v2 runs v1: 3 why"   "failed pay: 5
//   why"
//
// After "=" is what is served, after "runs" what the client runs, each by its content.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/session/session_conversation_test.h"

namespace holdfast {

class Books {
 public:
  explicit Books(Variant variant, SessionOptions options = {}, bool is_synced = true)
      : talk(variant, options, is_synced) {}

  using Lines = std::vector<std::string>;
  Lines Of(absl::string_view type, bool with_good = true) {
    Lines lines;
    for (const TypeReport& one : Report(with_good).types) {
      if (one.type != LongType(type)) continue;
      for (const NameReport& name : one.names) lines.push_back(LineOf(one.type, name));
      EXPECT_EQ(one.more_names, 0u);
      CheckCounts(one);
      CheckEachAlone(one);
    }
    return lines;
  }
  std::string Counts(absl::string_view type) {
    for (const TypeReport& one : Report(false).types) {
      if (one.type != LongType(type)) continue;
      return absl::StrCat(one.counts.good, " good, ", one.counts.waiting, " waiting, ",
                          one.counts.held_back, " held back, ", one.counts.failed, " failed");
    }
    return "not asked for";
  }
  Lines Events() {
    Lines lines;
    for (const LedgerEvent& event : Report(false).events) {
      lines.push_back(absl::StrCat(NameOfKind(event.kind), " ", ShortType(event.type), "/",
                                   event.name, event.message.empty() ? "" : ": ", event.message));
    }
    return lines;
  }
  SessionReport Report(bool with_good) { return talk.session().Report({.with_good = with_good}); }

  Talk talk;

 private:
  // Whoever asks for one name hears the same.
  void CheckEachAlone(const TypeReport& type) {
    for (const NameReport& name : type.names) {
      if (talk.view().Of(type.type)->Find(name.name) == nullptr) continue;
      const std::vector<ResourceKey> only = {{type.type, name.name}};
      for (const TypeReport& one : talk.session().Report({.only = &only}).types) {
        if (one.type != type.type || name.state == DeliveryState::kGood) {
          EXPECT_EQ(one.names.size(), 0u) << name.name;
          continue;
        }
        ASSERT_EQ(one.names.size(), 1u) << name.name;
        EXPECT_EQ(LineOf(one.type, one.names[0]), LineOf(type.type, name));
        EXPECT_EQ(one.names[0].since, name.since) << name.name;
      }
    }
  }
  static std::string NameOfKind(ClientEvent::Kind kind) {
    constexpr const char* kNames[] = {"connected", "nack", "ack_after_nack", "error", "deleted"};
    return kNames[static_cast<int>(kind)];
  }
  std::string LineOf(const std::string& type, const NameReport& name) const {
    constexpr const char* kNames[] = {"good", "waiting", "held_back", "failed"};
    std::string line = absl::StrCat(kNames[static_cast<int>(name.state)], " ", name.name);
    const ResourcePtr* const served = talk.view().Of(type)->Find(name.name);
    EXPECT_EQ(name.version, served == nullptr ? "" : (*served)->version());
    if (served != nullptr) absl::StrAppend(&line, "=", (*served)->body());
    if (name.state != DeliveryState::kGood && name.runs != nullptr) {
      absl::StrAppend(&line, " runs ",
                      name.runs->resource == nullptr ? name.runs->version
                                                     : std::string(name.runs->resource->body()));
    }
    if (name.state == DeliveryState::kGood) {
      EXPECT_EQ(name.runs == nullptr ? "nothing" : name.runs->version, name.version);
    }
    if (name.error.has_value()) {
      absl::StrAppend(&line, ": ", name.error->code, " ", name.error->message);
    }
    return line;
  }
  static void CheckCounts(const TypeReport& type) {
    DeliveryCounts counts;
    for (const NameReport& name : type.names) {
      counts.waiting += name.state == DeliveryState::kWaiting ? 1 : 0;
      counts.held_back += name.state == DeliveryState::kHeldBack ? 1 : 0;
      counts.failed += name.state == DeliveryState::kFailed ? 1 : 0;
    }
    EXPECT_EQ(type.counts.waiting, counts.waiting);
    EXPECT_EQ(type.counts.held_back, counts.held_back);
    EXPECT_EQ(type.counts.failed, counts.failed);
  }
};

using Lines = Books::Lines;

inline constexpr char kNoRome[] =
    ": 5 no cluster \"rome\" in the configuration of the control plane";

}  // namespace holdfast
