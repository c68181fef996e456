#include "app/watch_event.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error_detail.h"

namespace holdfast {
namespace {

const absl::Time kNow = absl::FromUnixMillis(1770091506789);  // 2026-02-03T04:05:06.789Z

ErrorDetail Denied() {
  ErrorDetail detail;
  detail.code = absl::StatusCode::kPermissionDenied;
  detail.cause = Cause::kServerError;
  detail.text = "ask \"#payments\"";
  detail.type = "cluster";
  detail.resource = "pay";
  detail.consequence = "keeping version 41";
  detail.node_id = "web-1";
  return detail;
}

WatchEvent Event(WatchEvent::Kind kind, std::string version, absl::Status status) {
  WatchEvent event;
  event.kind = kind;
  event.type = "cds";
  event.name = "pay";
  event.version = std::move(version);
  event.status = std::move(status);
  event.server = "127.0.0.1:18000";
  event.time = kNow;
  return event;
}
WatchEvent Value() { return Event(WatchEvent::Kind::kResourceChanged, "7f3a", absl::OkStatus()); }
WatchEvent Error() { return Event(WatchEvent::Kind::kResourceChanged, "", ToStatus(Denied())); }
WatchEvent AmbientError() {
  return Event(WatchEvent::Kind::kAmbientError, "41", ToStatus(Denied()));
}
WatchEvent AllClear() { return Event(WatchEvent::Kind::kAmbientError, "41", absl::OkStatus()); }

TEST(WatchEvent, JsonOfAValue) {
  EXPECT_EQ(JsonLine(Value()),
            R"({"event":"resource_changed","type":"cds","name":"pay","version":"7f3a",)"
            R"("server":"127.0.0.1:18000","time":"2026-02-03T04:05:06.789Z"})");
}

TEST(WatchEvent, JsonOfAnError) {
  EXPECT_EQ(JsonLine(Error()),
            R"({"event":"resource_changed","type":"cds","name":"pay",)"
            R"("error":{"code":"PERMISSION_DENIED","message":"cluster \"pay\": ask \"#payments\"; )"
            R"-(keeping version 41 (node \"web-1\")"},"reason":"server_error",)-"
            R"("server":"127.0.0.1:18000","time":"2026-02-03T04:05:06.789Z"})");
}

TEST(WatchEvent, JsonOfAnAmbientErrorAndItsEnd) {
  const std::string line = JsonLine(AmbientError());
  EXPECT_EQ(line.substr(0, line.find("\"message\"")),
            R"({"event":"ambient_error","type":"cds","name":"pay",)"
            R"("error":{"code":"PERMISSION_DENIED",)");
  EXPECT_EQ(JsonLine(AllClear()),
            R"({"event":"ambient_error","type":"cds","name":"pay","error":null,)"
            R"("server":"127.0.0.1:18000","time":"2026-02-03T04:05:06.789Z"})");
}

TEST(WatchEvent, JsonNamesASecondWatcher) {
  WatchEvent event = Value();
  event.watcher = 2;
  EXPECT_EQ(JsonLine(event),
            R"({"event":"resource_changed","type":"cds","name":"pay","watcher":2,"version":"7f3a",)"
            R"("server":"127.0.0.1:18000","time":"2026-02-03T04:05:06.789Z"})");
}

TEST(WatchEvent, JsonOfAStatusWithoutDetailHasNoReason) {
  WatchEvent event = Event(WatchEvent::Kind::kResourceChanged, "", absl::InternalError("odd"));
  EXPECT_EQ(JsonLine(event), R"({"event":"resource_changed","type":"cds","name":"pay",)"
                             R"("error":{"code":"INTERNAL","message":"odd"},)"
                             R"("server":"127.0.0.1:18000","time":"2026-02-03T04:05:06.789Z"})");
}

TEST(WatchEvent, TableLinesStandUnderTheirHeader) {
  const TableStyle style = {.resource_width = 9};
  EXPECT_EQ(TableHeader(style), "TIME                      EVENT      RESOURCE   DETAIL");
  EXPECT_EQ(TableLine(Value(), style),
            "2026-02-03T04:05:06.789Z  ✔ updated  cds/pay    version 7f3a");
  EXPECT_EQ(TableLine(Error(), style),
            "2026-02-03T04:05:06.789Z  ✖ failed   cds/pay    PERMISSION_DENIED (server_error): "
            "ask \"#payments\"; keeping version 41");
  EXPECT_EQ(TableLine(AmbientError(), style),
            "2026-02-03T04:05:06.789Z  ▲ keeping  cds/pay    PERMISSION_DENIED (server_error): "
            "ask \"#payments\"; keeping version 41");
  EXPECT_EQ(TableLine(AllClear(), style),
            "2026-02-03T04:05:06.789Z  ✔ cleared  cds/pay    version 41");
}

TEST(WatchEvent, AWideTableHasTheServerAndTheWholeText) {
  const TableStyle style = {.is_wide = true, .resource_width = 9};
  EXPECT_EQ(TableHeader(style),
            "TIME                      EVENT      RESOURCE   SERVER                  DETAIL");
  EXPECT_EQ(TableLine(Error(), style),
            "2026-02-03T04:05:06.789Z  ✖ failed   cds/pay    127.0.0.1:18000         "
            "PERMISSION_DENIED (server_error): cluster \"pay\": ask \"#payments\"; keeping version "
            "41 (node \"web-1\")");
}

TEST(WatchEvent, ColourAddsToTheWord) {
  EXPECT_EQ(TableLine(Value(), {.has_colour = true, .resource_width = 9}),
            "2026-02-03T04:05:06.789Z  \x1b[32m✔ updated\x1b[0m  cds/pay    version 7f3a");
}

TEST(WatchEvent, TextOfOthersCannotMoveTheCursor) {
  WatchEvent event = Value();
  event.name = "pay\x1b[2J\n";
  event.version = "1\x1b[2J";
  EXPECT_EQ(TableLine(event, {.resource_width = 9}),
            "2026-02-03T04:05:06.789Z  ✔ updated  cds/pay [2J   version 1 [2J");
}

}  // namespace
}  // namespace holdfast
