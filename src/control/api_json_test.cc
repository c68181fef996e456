// What clients can make long is bounded.
#include "control/api_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace holdfast {
namespace {

using testing::HasSubstr;
using testing::Not;

size_t CountOf(absl::string_view part, absl::string_view text) {
  size_t count = 0;
  for (size_t at = text.find(part); at != absl::string_view::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ApiJson, BoundsTheResourcesOfAllClientsTogether) {
  ClientReport client;
  client.resources.resize(3);
  client.more_resources = 1;
  const std::string text = ClientsJson(absl::UnixEpoch(), {}, {{client, client, client}, ""}, 4);
  EXPECT_EQ(CountOf("\"state\":\"good\",\"version\"", text), 4u) << text;
  // Of 3 and 1 more, the first shows 2 and the others 1.
  EXPECT_EQ(CountOf("\"more_resources\":2,", text), 1u) << text;
  EXPECT_EQ(CountOf("\"more_resources\":3,", text), 2u) << text;
}

TEST(ApiJson, GivesToTheOthersWhatAClientDoesNotNeed) {
  ClientReport many;
  many.resources.resize(9);
  ClientReport few;
  few.resources.resize(1);
  const std::string text =
      ClientsJson(absl::UnixEpoch(), {}, {{many, few, {}, many}, ""}, /*most_resources=*/8);
  EXPECT_EQ(CountOf("\"state\":\"good\",\"version\"", text), 8u) << text;
  EXPECT_EQ(CountOf("\"more_resources\":0,", text), 2u) << text;
  EXPECT_EQ(CountOf("\"more_resources\":5,", text), 1u) << text;
  EXPECT_EQ(CountOf("\"more_resources\":6,", text), 1u) << text;
}

TEST(ApiJson, ShowsAllThereIsRoomFor) {
  ClientReport client;
  client.resources.resize(3);
  const std::string text = ClientsJson(absl::UnixEpoch(), {}, {{client, client}, ""}, 6);
  EXPECT_EQ(CountOf("\"more_resources\":0,", text), 2u) << text;
}

TEST(ApiJson, BoundsErrors) {
  EXPECT_THAT(ErrorsJson(absl::UnixEpoch(), {}, {std::vector<NameErrorReport>(3), ""}),
              HasSubstr("\"more_errors\":0"));
  const std::string text =
      ErrorsJson(absl::UnixEpoch(), {}, {std::vector<NameErrorReport>(kMostErrors + 2), ""});
  EXPECT_EQ(CountOf("\"origin\"", text), kMostErrors);
  EXPECT_THAT(text, HasSubstr("\"more_errors\":2"));
}

TEST(ApiJson, SaysWhatIsMissing) {
  const std::string expected = "\"synced\":false,\"incomplete\":\"a worker is missing\",";
  ResourcesReport resources;
  EXPECT_THAT(ClientsJson(absl::UnixEpoch(), {}, {}, 10), Not(HasSubstr("incomplete")));
  EXPECT_THAT(ResourcesJson(absl::UnixEpoch(), {}, resources, false), Not(HasSubstr("incomplete")));
  EXPECT_THAT(ErrorsJson(absl::UnixEpoch(), {}, {}), Not(HasSubstr("incomplete")));
  resources.incomplete = "a worker is missing";
  EXPECT_THAT(ClientsJson(absl::UnixEpoch(), {}, {{}, resources.incomplete}, 10),
              HasSubstr(expected));
  EXPECT_THAT(ResourcesJson(absl::UnixEpoch(), {}, resources, false), HasSubstr(expected));
  EXPECT_THAT(ErrorsJson(absl::UnixEpoch(), {}, {{}, resources.incomplete}), HasSubstr(expected));
}

TEST(ApiJson, BoundsWhatAClientSays) {
  const std::string text(2000, 'x');
  const std::string bounded = absl::StrCat("\"", std::string(1000, 'x'), "… (2000 bytes in all)\"");
  ClientReport client;
  client.client = text;
  client.node = {text, text, text, text, text, text};
  client.types.emplace_back().type = text;
  client.resources.emplace_back().name = text;
  client.resources.back().type = text;
  client.events.emplace_back().name = text;
  client.events.back().type = text;
  const std::string clients = ClientsJson(absl::UnixEpoch(), {}, {{client}, ""}, 10);
  EXPECT_THAT(clients, Not(HasSubstr(std::string(1001, 'x'))));
  EXPECT_EQ(CountOf(bounded, clients), 12u);

  NameErrorReport error;
  error.type = text;
  error.name = text;
  error.clients = {text};
  const std::string errors = ErrorsJson(absl::UnixEpoch(), {}, {{error}, ""});
  EXPECT_THAT(errors, Not(HasSubstr(std::string(1001, 'x'))));
  EXPECT_EQ(CountOf(bounded, errors), 3u);
}

}  // namespace
}  // namespace holdfast
