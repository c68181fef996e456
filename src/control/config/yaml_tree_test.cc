#include "control/config/yaml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "control/config/config_file.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// "2:5 text", or "" if the text could be read.
std::string ErrorOf(absl::string_view text) {
  YamlTree tree;
  const std::optional<YamlError> error = tree.Read(text);
  if (!error.has_value()) return "";
  return absl::StrCat(error->place.line, ":", error->place.column, " ", error->text);
}

std::string Repeated(absl::string_view text, size_t times) {
  std::string repeated;
  for (size_t i = 0; i < times; ++i) absl::StrAppend(&repeated, text);
  return repeated;
}

TEST(YamlTree, EveryNodeKnowsItsPlace) {
  YamlTree tree;
  ASSERT_EQ(tree.Read("a: 1\nb:\n  - x\n  - {c: \"d\"}\n"), std::nullopt);
  const std::vector<YamlNode> documents = tree.documents();
  ASSERT_THAT(documents, SizeIs(1));
  const YamlNode root = documents[0];
  ASSERT_TRUE(root.is_map());
  ASSERT_EQ(root.size(), 2u);
  EXPECT_EQ(root.key(1).text(), "b");
  EXPECT_EQ(root.key(1).place(), (YamlPlace{2, 1}));
  EXPECT_EQ(root.value(0).place(), (YamlPlace{1, 4}));
  EXPECT_FALSE(root.value(0).is_quoted());
  const YamlNode list = *root.Find("b");
  ASSERT_TRUE(list.is_sequence());
  EXPECT_EQ(list.element(0).place(), (YamlPlace{3, 5}));
  const YamlNode inner = *list.element(1).Find("c");
  EXPECT_EQ(inner.text(), "d");
  EXPECT_EQ(inner.place(), (YamlPlace{4, 9}));
  EXPECT_TRUE(inner.is_quoted());
}

TEST(YamlTree, JsonIsYaml) {
  YamlTree tree;
  ASSERT_EQ(tree.Read("{\n\t\"a\": [1, true, null, \"x\\u00e4\\/\"],\n\t\"b\": {}\n}"),
            std::nullopt);
  const YamlNode list = *tree.documents()[0].Find("a");
  EXPECT_EQ(list.element(0).KindText(), "a number");
  EXPECT_EQ(list.element(1).KindText(), "true or false");
  EXPECT_EQ(list.element(2).KindText(), "null");
  EXPECT_EQ(list.element(3).text(), "xä/");
  EXPECT_EQ(tree.documents()[0].Find("b")->size(), 0u);
}

TEST(YamlTree, DocumentsMayBeManyOrNone) {
  YamlTree none;
  EXPECT_EQ(none.Read(""), std::nullopt);
  EXPECT_THAT(none.documents(), IsEmpty());
  YamlTree comment;
  EXPECT_EQ(comment.Read("# nothing\n"), std::nullopt);
  YamlTree three;
  EXPECT_EQ(three.Read("a: 1\n---\n---\nb: 2\n"), std::nullopt);
  ASSERT_THAT(three.documents(), SizeIs(3));
  EXPECT_TRUE(three.documents()[1].is_null());
  EXPECT_EQ(three.documents()[2].key(0).place(), (YamlPlace{4, 1}));
}

TEST(YamlTree, AnAliasIsWhatItStandsFor) {
  YamlTree tree;
  ASSERT_EQ(tree.Read("a: &x {k: v}\nb: *x\nc: [*x, *x]\n"), std::nullopt);
  const YamlNode root = tree.documents()[0];
  EXPECT_EQ(root.Find("b")->Find("k")->text(), "v");
  EXPECT_EQ(root.Find("b")->place(), (YamlPlace{1, 4}));
  EXPECT_EQ(root.Find("c")->size(), 2u);
}

TEST(YamlTree, KeysThatAreThereTwiceAreFound) {
  YamlTree tree;
  ASSERT_EQ(tree.Read("a: 1\nb: 2\na: 3\n"), std::nullopt);
  const std::vector<YamlNode> repeated = tree.documents()[0].RepeatedKeys();
  ASSERT_THAT(repeated, SizeIs(1));
  EXPECT_EQ(repeated[0].place(), (YamlPlace{3, 1}));
}

struct TypeRow {
  absl::string_view text;
  YamlScalarType type;
};

TEST(YamlTree, PlainScalarsMeanWhatYaml12Says) {
  using enum YamlScalarType;
  for (const TypeRow& row : std::vector<TypeRow>{{"true", kBool},
                                                 {"FALSE", kBool},
                                                 {"yes", kString},
                                                 {"on", kString},
                                                 {"1", kNumber},
                                                 {"-1", kNumber},
                                                 {"+1", kNumber},
                                                 {"1.", kNumber},
                                                 {".5", kNumber},
                                                 {"1e3", kNumber},
                                                 {"1.5E-3", kNumber},
                                                 {"0x1f", kNumber},
                                                 {"0o17", kNumber},
                                                 {".inf", kNumber},
                                                 {"-.INF", kNumber},
                                                 {".nan", kNumber},
                                                 {".", kString},
                                                 {"-", kString},
                                                 {"1e", kString},
                                                 {"0x", kString},
                                                 {"0xg", kString},
                                                 {"0o8", kString},
                                                 {"1_000", kString},
                                                 {"1.2.3", kString},
                                                 {"127.0.0.1:80", kString},
                                                 {"1s", kString},
                                                 {"nan", kString},
                                                 {"", kString}}) {
    EXPECT_EQ(TypeOfPlainScalar(row.text), row.type) << row.text;
  }
}

TEST(YamlTree, MistakesHaveAPlaceAndAReason) {
  EXPECT_EQ(ErrorOf("a: [1, 2\n"), "2:1 not YAML: end of sequence flow not found");
  EXPECT_EQ(ErrorOf("a: b: c\n"), "1:5 not YAML: illegal map value");
  EXPECT_EQ(ErrorOf("a:\n\tb: 1\n"), "2:3 this line is indented with a tab; YAML wants spaces");
  EXPECT_EQ(ErrorOf("a:\n\t- 1\n"), "2:2 this line is indented with a tab; YAML wants spaces");
  EXPECT_EQ(ErrorOf("a: *x\n"), "1:4 not YAML: the referenced anchor is not defined");
  EXPECT_EQ(ErrorOf("a: &x [*x]\n"), "1:8 this alias stands for what it is part of");
  EXPECT_EQ(ErrorOf("? [a]\n: b\n"), "1:3 a key must be a string");
  EXPECT_EQ(ErrorOf("{: b}\n"), "1:2 a key is missing before \":\"");
  EXPECT_EQ(ErrorOf("a: !mine b\n"), "1:4 unknown tag \"!mine\"");
}

// yaml-cpp would find empty nodes there for ever.
TEST(YamlTree, MoreValuesThanTextAreRefused) {
  const std::string why =
      " not YAML: more values than text; is there a \",\", \"[\" or \"{\" too many?";
  EXPECT_EQ(ErrorOf(","), "1:1" + why);
  EXPECT_EQ(ErrorOf(",a"), "1:1" + why);
  EXPECT_EQ(ErrorOf("  ,ces\": [{\"@type\"owaurces\": [{\"@type\": \""), "1:3" + why);
  // As much as a text can say is not too much.
  EXPECT_EQ(ErrorOf("[[],[],{},[]]"), "");
  EXPECT_EQ(ErrorOf("- - - -\n- {a,b,c}\n- ? a\n"), "");
  EXPECT_EQ(ErrorOf("---\n---\n---\n"), "");
}

struct QuoteRow {
  absl::string_view text;
  absl::string_view place;  // of the quote that is never closed; "" if all are
};

TEST(YamlTree, AQuoteThatIsNeverClosedIsFoundWhereItOpens) {
  for (const QuoteRow& row : std::vector<QuoteRow>{
           {"a: \"web\n", "1:4"},
           {"a: 'web\n", "1:4"},
           {"a: \"web", "1:4"},
           {"a: 'web", "1:4"},
           {"a: \"\n", "1:4"},
           {"a: '", "1:4"},
           {"a: \"web\r\n", "1:4"},
           {"a: \"web\n\n   ", "1:4"},
           {"b: 1\na: \"web\n- c: []\n  d: other\n", "2:4"},
           {"a: \"web\\\"\n", "1:4"},
           {"a: \"web\\\\\\\"\n", "1:4"},
           {"a: 'it''s\n", "1:4"},
           {"a: 'web''\n", "1:4"},
           {"a: \"it's\n", "1:4"},
           {"a: \"web # no comment\n", "1:4"},
           {"- x\n- \"web\n", "2:3"},
           {"\"web\n", "1:1"},
           {"? \"web\n", "1:3"},
           {"a: {b: \"web}\n", "1:8"},
           {"a: [1, 'web]\n", "1:8"},
           {"a: [1, 'web]", "1:8"},
           {"a: ä\nü: \"web\n", "2:5"},
           {"a: &x \"web\n", "1:7"},
           {"a: !!str 'web\n", "1:10"},
           {"a: &x\n  !!str # why\n  'web\n", "3:3"},
           {"a: \"web\"\n", ""},
           {"a: 'web'", ""},
           {"a: \"web\\\\\"\n", ""},
           {"a: 'it''s'\n", ""},
           {"a: ''\n", ""},
           {"a: \"two\n  lines\"\n", ""},
           {"a: 'two\n\n  lines' # it's\n", ""},
           {"a: it's\n", ""},
           {"a: 5\" pipe\n", ""},
           {"a: b # don't\n", ""},
           {"# don't\n", ""},
           {"a: |\n  \"web\n", ""},
           {"a: >-\n  'web", ""},
           {"a: \"b\"\nc: &x |\n  \"web\n", ""},
           {"\"a\":\n", ""},
           {"a: !!str it's\n", ""},
           {"a: &x' b\n", ""},
       }) {
    EXPECT_EQ(ErrorOf(row.text),
              row.place.empty() ? "" : absl::StrCat(row.place, " this quote is never closed"))
        << row.text;
  }
}

TEST(YamlTree, BytesThatAreNoTextAreRefused) {
  EXPECT_EQ(ErrorOf("a: 1\nb: \xff\n"), "2:4 not UTF-8; a configuration must be text in UTF-8");
  EXPECT_EQ(ErrorOf(absl::string_view("a: \0", 4)),
            "1:4 control character 00 (hex); a configuration must be text");
  EXPECT_EQ(ErrorOf("\x7f"
                    "ELF"),
            "1:1 control character 7f (hex); a configuration must be text");
  EXPECT_EQ(ErrorOf("a: \x04\nb: 1"),
            "1:4 control character 04 (hex); a configuration must be text");
  EXPECT_EQ(ErrorOf("\xef\xbb\xbf"
                    "a: 1"),
            "");
}

TEST(YamlTree, AliasBombsGoOffHarmlessly) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string inner = absl::StrCat("*a", i - 1);
    absl::StrAppend(&bomb, "a", i, ": &a", i, " [", inner, Repeated("," + inner, 9), "]\n");
  }
  EXPECT_EQ(ErrorOf(bomb),
            "6:14 up to here aliases make 345685 keys and values of 311122 bytes out of a file of "
            "1710 bytes; write out what they stand for");
  EXPECT_EQ(ErrorOf(absl::StrCat(bomb, "#", std::string(100'000, 'x'))),
            "7:18 more than 4000000 keys and values in a file, counted as often as aliases repeat "
            "them");

  const std::string wide =
      absl::StrCat("a: &a ", std::string(1 << 20, 'x'), "\nb: [", Repeated("*a,", 1000), "*a]\n");
  EXPECT_EQ(ErrorOf(wide),
            "2:305 up to here aliases make 106 keys and values of 106954754 bytes out of a file of "
            "1051591 bytes; write out what they stand for");
  EXPECT_EQ(ErrorOf(absl::StrCat(wide, "#", std::string(1 << 20, 'x'))),
            "2:383 more than 134217728 bytes of keys and values in a file, counted as often as "
            "aliases repeat them");
}

TEST(YamlTree, AFewRepetitionsAreNoBomb) {
  EXPECT_EQ(ErrorOf(absl::StrCat("a: &a [", Repeated("x,", 90), "x]\nb: [", Repeated("*a,", 900),
                                 "*a]\n")),
            "");
}

TEST(YamlTree, DepthIsBounded) {
  EXPECT_EQ(ErrorOf(Repeated("[", 100) + Repeated("]", 100)), "");
  EXPECT_EQ(ErrorOf(Repeated("[", 101) + Repeated("]", 101)),
            "1:101 nested more than 100 levels deep");
  EXPECT_EQ(ErrorOf(Repeated("[", 100'000)), "1:101 nested more than 100 levels deep");
  // yaml-cpp takes the lists for keys of maps, so that each is two levels.
  EXPECT_EQ(ErrorOf("# YAML\n" + Repeated("[", 100'000)), "2:51 nested more than 100 levels deep");
  EXPECT_EQ(ErrorOf("a: " + Repeated("[", 100'000)), "1:54 nested more than 100 levels deep");
  EXPECT_EQ(ErrorOf(Repeated("{\"a\": ", 100'000)), "1:596 nested more than 100 levels deep");
  EXPECT_EQ(ErrorOf(Repeated("- ", 100'000)), "1:201 nested more than 100 levels deep");
  // Sixty levels, by alias below sixty others.
  EXPECT_EQ(ErrorOf(absl::StrCat("a: &a ", Repeated("[", 60), Repeated("]", 60),
                                 "\nb: ", Repeated("[", 60), "*a", Repeated("]", 60))),
            "2:64 nested more than 100 levels deep");
}

TEST(YamlTree, SizeIsBounded) {
  EXPECT_EQ(ErrorOf(std::string(kMostFileBytes + 1, ' ')),
            "0:0 is 67108865 bytes, at most 67108864 are read; split it");
}

TEST(YamlTree, HostileFilesOfFiftyMegabytesEndInAnError) {
  EXPECT_EQ(ErrorOf("[" + Repeated("1,", 25'000'000)),
            "1:8000000 more than 4000000 keys and values in a file, counted one by one");
  EXPECT_EQ(ErrorOf("[" + Repeated("a,", 25'000'000)),
            "1:1 more than 300000 values in one [...], {...} or text near here; write them in "
            "lines of their own, or the whole file in JSON");
}

TEST(YamlTree, ABigFileIsReadInEitherForm) {
  constexpr int kMany = 100'000;
  YamlTree json;
  EXPECT_EQ(
      json.Read(absl::StrCat("{\"a\":[0", Repeated(",{\"b\":\"\\ud83d\\ude00\"}", kMany), "]}")),
      std::nullopt);
  const YamlNode list = *json.documents()[0].Find("a");
  EXPECT_EQ(list.size(), size_t{kMany + 1});
  EXPECT_EQ(list.element(kMany).Find("b")->text(), "😀");
  YamlTree yaml;
  EXPECT_EQ(yaml.Read(absl::StrCat("a:\n", Repeated("- {b: [c, d]}\n", kMany))), std::nullopt);
  EXPECT_EQ(yaml.documents()[0].Find("a")->size(), size_t{kMany});
}

}  // namespace
}  // namespace holdfast
