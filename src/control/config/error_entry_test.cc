#include "control/config/error_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "control/config/config_file.h"
#include "control/config/problem.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

ConfigFile Read(absl::string_view text) {
  return ReadConfigFile("pay.yaml", text, *Schema::Embedded());
}

std::vector<std::string> TextsOf(const ConfigFile& file) {
  std::vector<std::string> texts;
  for (const Problem& problem : file.problems) texts.push_back(TextOf(problem));
  return texts;
}

std::vector<std::string> UnreadOf(const ConfigFile& file) {
  std::vector<std::string> texts;
  for (const UnreadError& entry : file.unread_errors) {
    texts.push_back(
        absl::StrCat(entry.key.name, entry.may_deny ? ": " : " is not denied: ", entry.text));
  }
  return texts;
}

TEST(ErrorEntries, AreRead) {
  const ConfigFile file = Read(R"(
errors:
- {type: cds, name: billing, code: PERMISSION_DENIED, message: "ask #payments"}
- {type: type.googleapis.com/envoy.config.listener.v3.Listener, name: l, code: 5}
)");
  EXPECT_THAT(TextsOf(file), IsEmpty());
  ASSERT_THAT(file.errors, SizeIs(2));
  EXPECT_EQ(file.errors[0].key, (ResourceKey{std::string(kClusterTypeName), "billing"}));
  EXPECT_EQ(file.errors[0].error, (NameError{7, "ask #payments"}));
  EXPECT_EQ(file.errors[0].place.line, 3);
  EXPECT_EQ(file.errors[0].place.field, "errors[0]");
  EXPECT_EQ(file.errors[1].key, (ResourceKey{std::string(kListenerTypeName), "l"}));
  EXPECT_EQ(file.errors[1].error.code, 5);
}

TEST(ErrorEntries, MistakesHaveTheirPlace) {
  const ConfigFile file = Read(R"(
errors:
- {type: cds, name: a, code: OK}
- {type: cds, name: a, code: NOT_FUND}
- {type: cds, name: a, code: 17}
- {type: cds, name: "", code: NOT_FOUND}
- {type: cds, name: "*", code: NOT_FOUND}
- {type: xds, name: a, code: NOT_FOUND}
- {type: cds, name: "xdstp:nonsense", code: NOT_FOUND, mesage: x}
- {}
)");
  EXPECT_THAT(
      TextsOf(file),
      ElementsAre(
          "pay.yaml:3:30: error: errors[0].code: must not be OK: that is no error",
          "pay.yaml:4:30: error: errors[1].code: unknown status code \"NOT_FUND\"; did you mean "
          "NOT_FOUND?",
          "pay.yaml:5:30: error: errors[2].code: unknown status code \"17\"",
          "pay.yaml:6:21: error: errors[3].name: must not be empty",
          "pay.yaml:7:21: error: errors[4].name: must not be \"*\", with which clients ask for "
          "everything",
          "pay.yaml:8:10: error: errors[5].type: must be lds, rds, cds, eds or a type URL (got "
          "\"xds\")",
          StartsWith("pay.yaml:9:21: error: errors[6].name: "),
          "pay.yaml:9:56: error: errors[6].mesage: unknown key; did you mean message?",
          "pay.yaml:10:3: error: errors[7].type: is missing",
          "pay.yaml:10:3: error: errors[7].name: is missing",
          "pay.yaml:10:3: error: errors[7].code: is missing"));
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_TRUE(file.has_unread_errors);
  EXPECT_THAT(UnreadOf(file),
              ElementsAre("a: " + TextOf(file.problems[0]), "a: " + TextOf(file.problems[1]),
                          "a: " + TextOf(file.problems[2])));
}

// Whether it withdraws the resource is known as soon as its code is.
TEST(ErrorEntries, OneThatCannotBeReadMayDeny) {
  for (const auto& [entry, may_deny] :
       std::vector<std::pair<std::string, bool>>{{"code: PERMISSION_DENID", true},
                                                 {"code: OK", true},
                                                 {"message: x", true},
                                                 {"code: PERMISSION_DENIED, mesage: x", true},
                                                 {"code: NOT_FOUND, message: []", true},
                                                 {"code: UNAVAILABLE, mesage: x", false}}) {
    const ConfigFile file = Read(absl::StrCat("errors: [{type: cds, name: pay, ", entry, "}]\n"));
    ASSERT_THAT(file.problems, SizeIs(1)) << entry;
    ASSERT_THAT(file.unread_errors, SizeIs(1)) << entry;
    EXPECT_EQ(file.unread_errors[0].key, (ResourceKey{std::string(kClusterTypeName), "pay"}));
    EXPECT_EQ(file.unread_errors[0].may_deny, may_deny) << entry;
    EXPECT_EQ(file.unread_errors[0].text, TextOf(file.problems[0]));
    EXPECT_EQ(file.unread_errors[0].place.field, "errors[0]");
    EXPECT_TRUE(file.has_unread_errors);
    EXPECT_FALSE(file.has_unnamed) << "no resource";
  }
}

// To leave it out would open what it closes.
TEST(ErrorEntries, CountAlsoInADocumentThatIsNotServed) {
  for (const char* const key : {"nods", "access"}) {
    const ConfigFile file =
        Read(absl::StrCat(key, ": 1\nerrors: [{type: cds, name: pay, code: PERMISSION_DENIED}]\n"));
    EXPECT_THAT(file.problems, SizeIs(1)) << key;
    ASSERT_THAT(file.errors, SizeIs(1)) << key;
    EXPECT_EQ(file.errors[0].key, (ResourceKey{std::string(kClusterTypeName), "pay"}));
    EXPECT_EQ(file.errors[0].error.code, 7);
    EXPECT_FALSE(file.has_unread_errors) << key;
  }
  // For whom it is meant is not understood: neither to be told to all nor to be forgotten.
  const ConfigFile file =
      Read("nodes: {id: a}\nerrors: [{type: cds, name: pay, code: PERMISSION_DENIED}]\n");
  EXPECT_THAT(file.errors, IsEmpty());
  EXPECT_THAT(UnreadOf(file), ElementsAre("pay: " + TextOf(file.problems.at(0))));
}

}  // namespace
}  // namespace holdfast
