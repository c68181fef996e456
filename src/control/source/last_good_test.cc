#include "control/source/last_good.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

const char kType[] = "envoy.config.cluster.v3.Cluster";

ResourceKey Key(std::string name) { return {kType, std::move(name)}; }

// A file as it was read, built up in a test.
class File {
 public:
  explicit File(absl::string_view name) {
    file_.path = absl::StrCat("conf/", name);
    file_.is_readable = true;
  }
  File Has(std::string name, std::string body) && {
    file_.resources.push_back(
        {std::make_shared<const Resource>(kType, std::move(name), body), Place{1, 1, "r"}});
    return std::move(*this);
  }
  File HasInvalid(std::string name, std::string text) && {
    file_.invalid.push_back({Key(std::move(name)), Place{4, 3, "resources[0]"}, std::move(text)});
    return std::move(*this);
  }
  File Says(std::string name, int code, std::string text) && {
    file_.errors.push_back({Key(std::move(name)), {code, std::move(text)}, Place{}});
    return std::move(*this);
  }
  File HasUnread(std::string name, bool may_deny = true) && {
    file_.unread_errors.push_back(
        {Key(std::move(name)), Place{9, 3, "errors[0]"}, "no such code", may_deny});
    return std::move(*this).HasUnreadError();
  }
  File HasUnreadError() && {
    file_.has_unread_errors = true;
    return std::move(*this);
  }
  File Labels(std::string label) && {
    file_.labels[kType] = std::move(label);
    return std::move(*this);
  }
  File HasAccessRule() && {
    file_.access_refusal = "rules";
    return std::move(*this);
  }
  File HasUnnamed() && {
    file_.has_unnamed = true;
    return std::move(*this);
  }
  File Broken() && {
    ConfigFile broken;
    broken.path = file_.path;
    file_ = std::move(broken);
    return std::move(*this);
  }
  const ConfigFile& get() const { return file_; }

 private:
  ConfigFile file_;
};

// A directory over time: each step is all files as they are read.
class Directory {
 public:
  void Step(std::initializer_list<File> files) {
    std::vector<ConfigFile> read;
    for (const File& file : files) read.push_back(file.get());
    Advanced next = Advance(good_, read);
    good_ = std::move(next.good);
    never_read_ = std::move(next.never_read);
    said_ = std::move(next.consequences);
    contents_ = ContentsOf(good_, /*is_synced=*/true);
  }
  // "pay=v1" for each.
  std::vector<std::string> Served() const {
    std::vector<std::string> texts;
    for (const ResourcePtr& resource : contents_.resources) {
      texts.push_back(absl::StrCat(resource->name(), "=", resource->body()));
    }
    return texts;
  }
  const std::map<ResourceKey, NameError>& errors() const { return contents_.errors; }
  const std::vector<std::string>& said() const { return said_; }
  const Contents& contents() const { return contents_; }
  const LastGood& good() const { return good_; }
  const std::vector<std::string>& never_read() const { return never_read_; }

 private:
  LastGood good_;
  std::vector<std::string> never_read_;
  std::vector<std::string> said_;
  Contents contents_;
};

TEST(LastGood, WhatIsGoodIsServed) {
  Directory directory;
  directory.Step({File("a.yaml").Has("pay", "v1").Says("billing", 7, "ask").Labels("spring"),
                  File("b.yaml").Has("web", "v1")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v1", "web=v1"));
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("billing"), NameError{7, "ask"})));
  EXPECT_THAT(directory.contents().labels, ElementsAre(Pair(kType, "spring")));
  EXPECT_THAT(directory.said(), IsEmpty());
  EXPECT_TRUE(directory.contents().is_synced);
}

TEST(LastGood, AFileThatCannotBeReadKeepsAllItLastSaid) {
  Directory directory;
  directory.Step({File("a.yaml").Has("pay", "v1").Says("billing", 7, "ask").Labels("spring"),
                  File("b.yaml").Has("web", "v1")});
  directory.Step({File("a.yaml").Broken(), File("b.yaml").Has("web", "v2")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v1", "web=v2"));
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("billing"), NameError{7, "ask"})));
  EXPECT_THAT(directory.contents().labels, ElementsAre(Pair(kType, "spring")));
  EXPECT_THAT(directory.said(),
              ElementsAre("conf/a.yaml: serving what it last said: 1 resources and 1 errors"));
  // Nothing of it is lost, however long it takes.
  directory.Step({File("a.yaml").Broken(), File("b.yaml").Has("web", "v2")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v1", "web=v2"));
  directory.Step({File("a.yaml").Has("pay", "v2")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v2"));
  EXPECT_THAT(directory.errors(), IsEmpty());
  EXPECT_THAT(directory.contents().labels, IsEmpty());
  EXPECT_THAT(directory.said(), IsEmpty());
}

TEST(LastGood, AFileThatNeverWasReadableGivesNothingAndHoldsUpNobody) {
  Directory directory;
  directory.Step({File("a.yaml").Broken(), File("b.yaml").Has("web", "v1")});
  EXPECT_THAT(directory.Served(), ElementsAre("web=v1"));
  EXPECT_THAT(directory.said(),
              ElementsAre("conf/a.yaml: nothing of it is served: it never was readable"));
  EXPECT_THAT(directory.never_read(), ElementsAre("a.yaml"));
  // Nor do rules make it known.
  directory.Step({File("a.yaml").Broken(), File("rules.yaml").HasAccessRule()});
  EXPECT_THAT(directory.never_read(), ElementsAre("a.yaml"));
  directory.Step({File("a.yaml").Broken(), File("rules.yaml")});
  EXPECT_THAT(directory.never_read(), ElementsAre("a.yaml"));
  directory.Step({File("a.yaml")});
  EXPECT_THAT(directory.never_read(), IsEmpty());
  directory.Step({File("a.yaml").Broken()});
  EXPECT_THAT(directory.never_read(), IsEmpty()) << "it said that there is nothing";
}

TEST(LastGood, AnInvalidResourceKeepsItsLastGoodVersion) {
  Directory directory;
  directory.Step({File("a.yaml").Has("pay", "v1").Has("web", "v1")});
  directory.Step({File("a.yaml").HasInvalid("pay", "no such field").Has("web", "v2")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v1", "web=v2"));
  EXPECT_THAT(directory.errors(), IsEmpty());
  EXPECT_THAT(directory.said(),
              ElementsAre("conf/a.yaml:4:3: resources[0]: envoy.config.cluster.v3.Cluster "
                          "\"pay\": serving the last good version"));
}

TEST(LastGood, AnInvalidResourceThatNeverWasGoodIsWithheldWithTheReason) {
  Directory directory;
  directory.Step({File("a.yaml").HasInvalid("pay", "no such field")});
  EXPECT_THAT(directory.Served(), IsEmpty());
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("pay"), NameError{13, "no such field"})));
  EXPECT_THAT(directory.said(),
              ElementsAre("conf/a.yaml:4:3: resources[0]: envoy.config.cluster.v3.Cluster "
                          "\"pay\": withheld: it never was good; clients are told INTERNAL"));
  // The file breaks altogether: its names are still not those of something that does not exist.
  directory.Step({File("a.yaml").Broken()});
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("pay"), NameError{13, "no such field"})));
  directory.Step({File("a.yaml").Has("pay", "v1")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v1"));
  EXPECT_THAT(directory.errors(), IsEmpty());
}

TEST(LastGood, AnErrorThatWithdrawsCountsMoreThanAWithheldResource) {
  for (const int code : {5, 7}) {
    Directory directory;
    directory.Step({File("a.yaml").Says("pay", code, "ask"),
                    File("b.yaml").HasInvalid("pay", "no such field")});
    EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("pay"), NameError{code, "ask"})));
  }
}

// An error that passes is not sent for what is defined: whoever asks hears what is wrong with it.
TEST(LastGood, AnErrorThatPassesCountsLessThanAWithheldResource) {
  Directory directory;
  directory.Step({File("a.yaml").Says("pay", 14, "busy").Says("web", 14, "busy"),
                  File("b.yaml").HasInvalid("pay", "first"), File("c.yaml").HasInvalid("pay", "")});
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("pay"), NameError{13, "first"}),
                                              Pair(Key("web"), NameError{14, "busy"})));
  directory.Step({File("a.yaml").Broken()});
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("pay"), NameError{14, "busy"}),
                                              Pair(Key("web"), NameError{14, "busy"})));
}

TEST(LastGood, AnErrorThatPassesStaysWhileItCannotBeRead) {
  Directory directory;
  directory.Step({File("a.yaml").Says("pay", 14, "busy")});
  directory.Step({File("a.yaml").HasUnread("pay")});
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("pay"), NameError{14, "busy"})));
}

TEST(LastGood, WhatIsGoneIsDeleted) {
  Directory directory;
  directory.Step({File("a.yaml").Has("pay", "v1").Has("web", "v1"),
                  File("b.yaml").Has("api", "v1").Says("x", 5, "")});
  directory.Step({File("a.yaml").Has("web", "v1")});
  EXPECT_THAT(directory.Served(), ElementsAre("web=v1"));
  EXPECT_THAT(directory.errors(), IsEmpty());
  // Deleted is forgotten: what comes back broken never was good.
  directory.Step({File("a.yaml").HasInvalid("pay", "typo")});
  EXPECT_THAT(directory.Served(), IsEmpty());
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("pay"), NameError{13, "typo"})));
}

TEST(LastGood, AResourceThatMovesAndBreaksKeepsItsVersion) {
  Directory directory;
  directory.Step({File("a.yaml").Has("pay", "v1"), File("b.yaml")});
  directory.Step({File("a.yaml"), File("b.yaml").HasInvalid("pay", "typo")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v1"));
  directory.Step({File("b.yaml").Broken()});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v1"));
  directory.Step({File("b.yaml")});
  EXPECT_THAT(directory.Served(), IsEmpty());
}

TEST(LastGood, DefinedTwiceTheLastGoodVersionStays) {
  Directory directory;
  directory.Step({File("a.yaml").Has("pay", "v1")});
  directory.Step({File("a.yaml").HasInvalid("pay", "defined twice"),
                  File("b.yaml").HasInvalid("pay", "defined twice")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v1"));
  EXPECT_THAT(directory.errors(), IsEmpty());
  EXPECT_EQ(directory.said().size(), 2u);
  directory.Step({File("a.yaml"), File("b.yaml").Has("pay", "v2")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v2"));
}

TEST(LastGood, WhatIsReadNowGoesBeforeWhatABrokenFileLastSaid) {
  Directory directory;
  directory.Step({File("a.yaml").Has("pay", "v1").Says("x", 7, "old")});
  directory.Step({File("a.yaml").Broken(), File("b.yaml").Has("pay", "v2").Says("x", 5, "new")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v2"));
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("x"), NameError{5, "new"})));
  // Now it belongs to the other file, and is deleted with it.
  directory.Step({File("a.yaml").Broken()});
  EXPECT_THAT(directory.Served(), IsEmpty());
  EXPECT_THAT(directory.errors(), IsEmpty());
}

TEST(LastGood, WhatIsMissingMayBeWhatHasNoNameNow) {
  Directory directory;
  directory.Step({File("a.yaml").Has("pay", "v1").Has("web", "v1").Says("x", 7, "ask")});
  directory.Step({File("a.yaml").Has("web", "v2").HasUnnamed()});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v1", "web=v2"));
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("x"), NameError{7, "ask"})));
  EXPECT_THAT(directory.said(),
              ElementsAre("conf/a.yaml: still saying what it no longer does, 1 errors: they may be "
                          "what cannot be read now",
                          "conf/a.yaml: still serving what it no longer has, 1 resources: they may "
                          "be what has no known type or name now"));
  // Unless it is somewhere else now.
  directory.Step({File("a.yaml").HasUnnamed(), File("b.yaml").Has("pay", "v3")});
  EXPECT_THAT(directory.Served(), ElementsAre("web=v2", "pay=v3"));
  directory.Step({File("a.yaml"), File("b.yaml").Has("pay", "v3")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v3"));
  EXPECT_THAT(directory.errors(), IsEmpty());
}

// To forget a denial would open what it closed.
TEST(LastGood, AnErrorThatCannotBeReadKeepsWhatWasSaidBefore) {
  Directory directory;
  directory.Step({File("a.yaml").Has("billing", "v1").Says("billing", 7, "ask").Says("x", 5, "")});
  for (int i = 0; i < 2; ++i) {
    // Whether or not its name is known; LintTogether has seen to the resource.
    directory.Step({i == 0
                        ? File("a.yaml").HasInvalid("billing", "no such code").HasUnread("billing")
                        : File("a.yaml").Has("billing", "v2").HasUnreadError()});
    EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("billing"), NameError{7, "ask"}),
                                                Pair(Key("x"), NameError{5, ""})));
    EXPECT_EQ(directory.said().at(0),
              "conf/a.yaml: still saying what it no longer does, 2 errors: they may be what cannot "
              "be read now");
  }
  // What is read now counts, here and elsewhere.
  directory.Step({File("a.yaml").HasUnreadError().Says("x", 7, "now"),
                  File("b.yaml").Says("billing", 5, "gone")});
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("billing"), NameError{5, "gone"}),
                                              Pair(Key("x"), NameError{7, "now"})));
  directory.Step({File("a.yaml"), File("b.yaml")});
  EXPECT_THAT(directory.errors(), IsEmpty());
}

TEST(LastGood, AnErrorThatMovesAndCannotBeReadStays) {
  Directory directory;
  directory.Step({File("a.yaml").Has("billing", "v1").Says("billing", 7, "ask"), File("b.yaml")});
  directory.Step(
      {File("a.yaml").HasInvalid("billing", "no such code"), File("b.yaml").HasUnread("billing")});
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("billing"), NameError{7, "ask"})));
  directory.Step({File("a.yaml").HasInvalid("billing", "no such code"), File("b.yaml").Broken()});
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("billing"), NameError{7, "ask"})));
}

TEST(LastGood, WhatMayBeDeniedAndNeverWasServedIsWithheld) {
  Directory directory;
  for (int i = 0; i < 2; ++i) {  // It does not wear off.
    directory.Step({File("a.yaml").HasInvalid("billing", "no such code"),
                    File("b.yaml").HasUnread("billing").HasUnread("x").HasUnread("y", false)});
    EXPECT_THAT(directory.Served(), IsEmpty());
    EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("billing"), NameError{13, "no such code"}),
                                                Pair(Key("x"), NameError{13, "no such code"})));
    EXPECT_EQ(directory.said().back(),
              "conf/b.yaml:9:3: errors[0]: envoy.config.cluster.v3.Cluster \"x\": withheld: it may "
              "be denied; clients are told INTERNAL");
  }
  directory.Step({File("a.yaml").Has("billing", "v1"), File("b.yaml")});
  EXPECT_THAT(directory.Served(), ElementsAre("billing=v1"));
  EXPECT_THAT(directory.errors(), IsEmpty());
  // Who had it keeps it until the entry says something.
  directory.Step(
      {File("a.yaml").HasInvalid("billing", "no such code"), File("b.yaml").HasUnread("billing")});
  EXPECT_THAT(directory.Served(), ElementsAre("billing=v1"));
  EXPECT_THAT(directory.errors(), IsEmpty());
}

// Rules that are not understood may be about any name of the directory.
TEST(LastGood, WithAnAccessRuleAnywhereNothingNewIsServed) {
  Directory directory;
  directory.Step({File("a.yaml").Has("pay", "v1").Has("old", "v1").Labels("spring"),
                  File("b.yaml").Has("moved", "v1").Says("x", 7, "ask")});
  for (int i = 0; i < 2; ++i) {  // It does not wear off.
    directory.Step({File("a.yaml").Has("pay", "v2").Has("web", "v1").Labels("summer"),
                    File("c.yaml").Has("moved", "v2").Says("x", 5, "no").Says("y", 5, "secret"),
                    File("rules.yaml").HasAccessRule()});
    EXPECT_THAT(directory.Served(), ElementsAre("old=v1", "pay=v1", "moved=v1"));
    EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("web"), NameError{13, "rules"}),
                                                Pair(Key("x"), NameError{13, "rules"}),
                                                Pair(Key("y"), NameError{13, "rules"})));
    EXPECT_THAT(directory.contents().labels, ElementsAre(Pair(kType, "spring")));
    EXPECT_THAT(
        directory.said(),
        ElementsAre(
            "conf/a.yaml: serving what was served of it before: 2 resources and 0 errors",
            i == 0 ? "conf/c.yaml: serving what was served of it before: 0 resources and 0 errors"
                   : "conf/c.yaml: serving what was served of it before: 1 resources and 0 errors",
            "conf/rules.yaml: serving what was served of it before: 0 resources and 0 errors",
            "conf/a.yaml: withheld: 1 names that were not served before; clients are told INTERNAL",
            "conf/c.yaml: withheld: 2 names that were not served before; clients are told "
            "INTERNAL"));
  }
  // The file with the rule breaks: it still has it, for all that is known.
  directory.Step({File("a.yaml").Has("pay", "v2"), File("rules.yaml").Broken()});
  EXPECT_THAT(directory.Served(), ElementsAre("old=v1", "pay=v1"));
  directory.Step({File("a.yaml").Has("pay", "v2"), File("rules.yaml")});
  EXPECT_THAT(directory.Served(), ElementsAre("pay=v2"));
  EXPECT_THAT(directory.errors(), IsEmpty());
  EXPECT_THAT(directory.said(), IsEmpty());
}

TEST(LastGood, ErrorsThatWereServedStayUnderAnAccessRule) {
  Directory directory;
  directory.Step({File("a.yaml").Says("x", 7, "ask")});
  directory.Step({File("a.yaml").Says("x", 5, "no").HasInvalid("pay", "typo").HasAccessRule()});
  EXPECT_THAT(directory.errors(), ElementsAre(Pair(Key("pay"), NameError{13, "typo"}),
                                              Pair(Key("x"), NameError{7, "ask"})));
}

TEST(LastGood, TheLastFileWithALabelCounts) {
  Directory directory;
  directory.Step({File("a.yaml").Labels("one"), File("b.yaml").Labels("two")});
  EXPECT_THAT(directory.contents().labels, ElementsAre(Pair(kType, "two")));
}

TEST(LastGood, EqualContentStaysTheObjectItWas) {
  Directory directory;
  directory.Step({File("a.yaml").Has("pay", "v1").Has("web", "v1")});
  const std::vector<ResourcePtr> before = directory.contents().resources;
  const LastGood good = directory.good();
  directory.Step({File("a.yaml").Has("pay", "v1").Has("web", "v2")});
  EXPECT_EQ(directory.contents().resources.at(0), before.at(0));
  EXPECT_NE(directory.contents().resources.at(1), before.at(1));
  EXPECT_NE(directory.good(), good);
  directory.Step({File("a.yaml").Has("pay", "v1").Has("web", "v1")});
  EXPECT_EQ(directory.good(), good);
}

}  // namespace
}  // namespace holdfast
