#include "channel/config/resolution_note.h"

#include <gtest/gtest.h>

#include "channel/config/config_conversation_test.h"

namespace holdfast {
namespace {

constexpr bool kNotAmbient = false;

struct Row {
  const char* name;
  std::vector<NotePart> parts;
  std::string node_id;
  std::string note;
};

class NoteTable : public testing::TestWithParam<Row> {};

// R11.30, R11.31: what notes are made of. R11.32: how they are put together.
TEST_P(NoteTable, Says) {
  EXPECT_EQ(ResolutionNote(GetParam().parts, GetParam().node_id), GetParam().note);
}

INSTANTIATE_TEST_SUITE_P(
    ResolutionNote, NoteTable,
    testing::ValuesIn(std::vector<Row>{
        {"NothingIsWrong", {}, "web-1", "xDS node ID: web-1"},
        {"NobodySaidWhoWeAre", {}, "", "xDS node ID: none, the bootstrap sets no node.id"},
        {"AllFourInTheirOrder",
         {{Lds(), "a"}, {Rds("r"), "b"}, {Cds("c"), "d"}, {Eds("e"), "f"}},
         "web-1",
         "listener \"pay\": a; route configuration \"r\": b; cluster \"c\": d; endpoints \"e\": f"},
        {"NamesComeOnce",
         {{Cds("c"), "cluster \"c\": bad; keeping version 4"}},
         "web-1",
         "cluster \"c\": bad; keeping version 4"},
        {"AnotherNameInFrontIsText",
         {{Cds("c"), "cluster \"other\": bad"}},
         "web-1",
         "cluster \"c\": cluster \"other\": bad"},
        {"TheNodeComesOnceAndLast",
         {{Lds(), "listener \"pay\": a (node \"web-1\")"}, {Eds("e"), "b (node \"web-1\")"}},
         "web-1",
         "listener \"pay\": a; endpoints \"e\": b (node \"web-1\")"},
        {"AnotherNodeIsText",
         {{Lds(), "a (node \"web-2\")"}},
         "web-1",
         "listener \"pay\": a (node \"web-2\")"},
        {"OneTroubleOfManyIsSaidOnce",
         {{Lds(), "xds server \"cp\": cannot be reached (node \"web-1\")"},
          {Rds("r"), "xds server \"cp\": cannot be reached (node \"web-1\")"},
          {Cds("c"), "cluster \"c\": bad (node \"web-1\")"},
          {Eds("e"), "xds server \"cp\": cannot be reached (node \"web-1\")"}},
         "web-1",
         "listener \"pay\", route configuration \"r\": xds server \"cp\": cannot be reached; "
         "cluster \"c\": bad; endpoints \"e\": xds server \"cp\": cannot be reached (node "
         "\"web-1\")"},
        {"WhatIsNoAmbientErrorLeavesTheNodeId",
         {{Eds("e"), "endpoints \"e\": deleted (node \"web-1\")", kNotAmbient}},
         "web-1",
         "endpoints \"e\": deleted; xDS node ID: web-1"},
        {"LongTextsAreCut",
         {{Cds("c"), std::string(3000, 'x')}},
         "web-1",
         absl::StrCat("cluster \"c\": ", std::string(1000, 'x'), "… (3000 bytes in all)")},
        {"TextsOfOthersStayOneLine", {{Cds("c"), "one\ntwo"}}, "web-1", "cluster \"c\": one two"},
    }),
    [](const testing::TestParamInfo<Row>& row) { return row.param.name; });

}  // namespace
}  // namespace holdfast
