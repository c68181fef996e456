#include "control/catalog/view.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"

namespace holdfast {
namespace {

constexpr char kType[] = "a.Type";
constexpr int kNotFound = static_cast<int>(absl::StatusCode::kNotFound);
constexpr int kPermissionDenied = static_cast<int>(absl::StatusCode::kPermissionDenied);
constexpr int kInternal = static_cast<int>(absl::StatusCode::kInternal);

ResourcePtr Make(const std::string& name, const std::string& body,
                 const std::string& type = kType) {
  return std::make_shared<const Resource>(type, name, body);
}

ViewPtr ViewOf(std::vector<ResourcePtr> resources, std::map<ResourceKey, NameError> errors = {}) {
  return NextView(
      View(), {.is_synced = true, .resources = std::move(resources), .errors = std::move(errors)});
}

TEST(View, IsSortedAndTheLastOfEqualNamesCounts) {
  const ViewPtr view = ViewOf({Make("rome", "v1"), Make("paris", "v1"), Make("rome", "v2")});
  const TypeView& type = *view->Of(kType);
  ASSERT_EQ(type.resources().size(), 2u);
  EXPECT_EQ((*type.resources().begin())->name(), "paris");
  EXPECT_EQ((*type.Find("rome"))->body(), "v2");
  EXPECT_EQ(type.Find("oslo"), nullptr);
  EXPECT_EQ(type.Find(""), nullptr);
  size_t sotw = 0;
  size_t delta = 0;
  for (const ResourcePtr& one : type.resources()) {
    sotw += one->sotw_field().size();
    delta += one->delta_field().size();
  }
  EXPECT_EQ(type.sotw_bytes(), sotw);
  EXPECT_EQ(type.delta_bytes(), delta);
}

TEST(View, OfAnUnknownTypeIsEmpty) {
  const View view;
  EXPECT_TRUE(view.Of("nothing")->resources().empty());
  EXPECT_EQ(view.Of("nothing")->FindError("x"), nullptr);
  EXPECT_EQ(view.Of("nothing")->version(), std::string(32, '0'));
}

TEST(View, SharesWhatIsAsItWas) {
  const ViewPtr first = ViewOf({Make("paris", "v1"), Make("rome", "v1"), Make("x", "v1", "b.T")});
  const ViewPtr second = NextView(
      *first, {.resources = {Make("paris", "v1"), Make("rome", "v2"), Make("x", "v1", "b.T")}});
  EXPECT_EQ(second->id, first->id + 1);
  EXPECT_TRUE(second->is_synced);  // once read is read
  EXPECT_EQ(second->Of("b.T"), first->Of("b.T"));
  EXPECT_NE(second->Of(kType), first->Of(kType));
  EXPECT_EQ(*second->Of(kType)->Find("paris"), *first->Of(kType)->Find("paris"));
  EXPECT_NE(*second->Of(kType)->Find("rome"), *first->Of(kType)->Find("rome"));
  EXPECT_EQ(ChangesBetween(*first, *second), (Changes{{kType, {"rome"}}}));
}

TEST(View, AStepSaysHowATypeCameFromTheOneBefore) {
  const ViewPtr first = ViewOf({Make("gone", "v1"), Make("other", "v1"), Make("same", "v1")});
  const ViewPtr second =
      NextView(*first, {.resources = {Make("same", "v1"), Make("other", "v2"), Make("new", "v1")}});
  const TypeView& type = *second->Of(kType);
  ASSERT_TRUE(type.step().has_value());
  EXPECT_EQ(type.step()->before, first->Of(kType)->hash());
  const std::vector<ResourcePtr> changed(type.step()->changed->begin(),
                                         type.step()->changed->end());
  EXPECT_EQ(changed, (std::vector<ResourcePtr>{*type.Find("new"), *type.Find("other")}));
  EXPECT_EQ(type.step()->gone, std::vector<std::string>{"gone"});
  EXPECT_EQ(type.step()->changed_bytes,
            changed[0]->delta_field().size() + changed[1]->delta_field().size());
  // What was added up step by step is what would have been made at once.
  const ViewPtr at_once = ViewOf({Make("same", "v1"), Make("other", "v2"), Make("new", "v1")});
  EXPECT_EQ(type.hash(), at_once->Of(kType)->hash());
  EXPECT_EQ(type.sotw_bytes(), at_once->Of(kType)->sotw_bytes());
  EXPECT_EQ(type.delta_bytes(), at_once->Of(kType)->delta_bytes());
}

TEST(View, ChangesAreAllThatDiffers) {
  const ViewPtr first =
      ViewOf({Make("gone", "v1"), Make("same", "v1"), Make("x", "v1", "b.T")},
             {{{kType, "wrong"}, {kInternal, "a"}}, {{kType, "mended"}, {kInternal, "a"}}});
  const ViewPtr second =
      ViewOf({Make("new", "v1"), Make("same", "v1"), Make("mended", "v1"), Make("y", "v1", "c.T")},
             {{{kType, "wrong"}, {kInternal, "b"}}});
  EXPECT_EQ(ChangesBetween(*first, *second),
            (Changes{{kType, {"gone", "mended", "new", "wrong"}}, {"b.T", {"x"}}, {"c.T", {"y"}}}));
  EXPECT_EQ(ChangesBetween(*first, *first), Changes());
}

TEST(View, ALabelIsAVersionAndNoChange) {
  Contents contents{.resources = {Make("paris", "v1")}, .labels = {{kType, "release 7"}}};
  const ViewPtr first = NextView(View(), contents);
  EXPECT_EQ(first->Of(kType)->version(), "release 7");
  contents.labels[kType] = "release 8";
  const ViewPtr second = NextView(*first, contents);
  EXPECT_EQ(second->Of(kType)->version(), "release 8");
  EXPECT_EQ(ChangesBetween(*first, *second), Changes());
  contents.labels.clear();
  EXPECT_EQ(NextView(*first, contents)->Of(kType)->version(), first->Of(kType)->hash().Hex());
}

TEST(View, VersionsKnowNoHistory) {
  const ViewPtr once = ViewOf({Make("a", "1"), Make("b", "1")});
  const ViewPtr twice = NextView(*ViewOf({Make("b", "2"), Make("c", "1")}),
                                 {.resources = {Make("b", "1"), Make("a", "1")}});
  EXPECT_EQ(once->Of(kType)->version(), twice->Of(kType)->version());
}

TEST(View, AnAbsenceWithdrawsAResource) {  // R2.33
  for (const int code : {kNotFound, kPermissionDenied}) {
    const ViewPtr view = ViewOf({Make("paris", "v1")}, {{{kType, "paris"}, {code, "no"}}});
    EXPECT_EQ(view->Of(kType)->Find("paris"), nullptr);
    ASSERT_NE(view->Of(kType)->FindError("paris"), nullptr);
    EXPECT_EQ(view->Of(kType)->FindError("paris")->code, code);
  }
}

TEST(View, AnyOtherErrorIsKeptBackWhileThereIsAResource) {  // R2.33, R2.36
  const ViewPtr view = ViewOf({Make("paris", "v1")}, {{{kType, "paris"}, {kInternal, "no"}},
                                                      {{kType, "rome"}, {kInternal, "no"}}});
  EXPECT_NE(view->Of(kType)->Find("paris"), nullptr);
  EXPECT_EQ(view->Of(kType)->FindError("paris"), nullptr);
  EXPECT_NE(view->Of(kType)->FindError("rome"), nullptr);
}

TEST(NameErrorText, ThatFitsIsKept) {
  const std::string longest(kMostErrorText, 'x');
  EXPECT_EQ(MakeNameError(kInternal, longest), (NameError{kInternal, longest}));
  EXPECT_EQ(MakeNameError(kInternal, ""), (NameError{kInternal, ""}));
}

TEST(NameErrorText, IsCutBetweenCharacters) {
  for (const std::string character : {"x", "é", "€", "😀"}) {
    for (size_t shift = 0; shift < 5; ++shift) {
      std::string text(shift, '-');
      while (text.size() <= kMostErrorText) text += character;
      const std::string cut = MakeNameError(kInternal, text).message;
      EXPECT_LE(cut.size(), kMostErrorText);
      EXPECT_GT(cut.size() + character.size(), kMostErrorText);
      EXPECT_TRUE(IsUtf8(cut)) << character << shift;
      EXPECT_TRUE(absl::EndsWith(cut, "…"));
      EXPECT_TRUE(absl::StartsWith(text, cut.substr(0, cut.size() - 3)));
    }
  }
}

TEST(NameErrorText, IsAlwaysUtf8) {
  EXPECT_EQ(MakeNameError(kInternal, "caf\xe9!").message, "caf\uFFFD!");
  const std::string broken(5000, '\xff');
  const std::string text = MakeNameError(kInternal, broken).message;
  EXPECT_LE(text.size(), kMostErrorText);
  EXPECT_TRUE(IsUtf8(text));
}

// What was served and is gone is known to be gone, whatever is in the part that nobody could read.
TEST(View, RemembersWhatWentWhileAPartCouldNeverBeRead) {  // R2.41
  const auto next = [](const ViewPtr& view, const std::string& never_read,
                       std::vector<ResourcePtr> resources) {
    return NextView(
        *view, {.is_synced = true, .never_read = never_read, .resources = std::move(resources)});
  };
  ViewPtr view = NextView(View(), {.resources = {Make("oslo", "v1"), Make("x", "v1", "b.T")}});
  EXPECT_FALSE(view->KnowsAbsence(kType, "rome")) << "nothing has been read";
  // What was saved, and is in none of the files that can be read.
  view = next(view, "\"b.yaml\"", {Make("paris", "v1"), Make("rome", "v1")});
  EXPECT_TRUE(view->KnowsAbsence(kType, "oslo"));
  EXPECT_TRUE(view->KnowsAbsence("b.T", "x"));
  EXPECT_FALSE(view->KnowsAbsence(kType, "bonn"));
  EXPECT_TRUE(view->IsUnknown(kType, "bonn"));
  EXPECT_FALSE(view->IsUnknown(kType, "paris"));
  EXPECT_FALSE(view->IsUnknown(kType, "oslo"));
  // It stays so, whatever else changes.
  view = next(view, "\"b.yaml\"", {Make("rome", "v1")});
  view = next(view, "\"b.yaml\"", {Make("rome", "v2")});
  view = next(view, "\"b.yaml\" and 1 more files", {Make("rome", "v2")});
  EXPECT_TRUE(view->KnowsAbsence(kType, "oslo"));
  EXPECT_TRUE(view->KnowsAbsence(kType, "paris"));
  EXPECT_FALSE(view->KnowsAbsence(kType, "bonn"));
  // Until it is served again, and gone again.
  view = next(view, "\"b.yaml\"", {Make("oslo", "v1")});
  EXPECT_FALSE(view->KnowsAbsence(kType, "oslo"));
  EXPECT_TRUE(view->KnowsAbsence(kType, "rome"));
  view = next(view, "\"b.yaml\"", {});
  EXPECT_TRUE(view->KnowsAbsence(kType, "oslo"));
  // When all is read, nothing is to be remembered.
  view = next(view, "", {});
  EXPECT_TRUE(view->KnowsAbsence(kType, "bonn"));
  EXPECT_TRUE(view->deleted.empty());
  view = next(view, "\"c.yaml\"", {});
  EXPECT_FALSE(view->KnowsAbsence(kType, "oslo")) << "it may be in the new file";
}

TEST(View, RemembersABoundedNumberOfDeletedNames) {
  Contents all{.is_synced = true, .never_read = "\"b.yaml\""};
  constexpr size_t kMore = 10;
  for (size_t i = 0; i < kMostDeleted + kMore; ++i) {
    all.resources.push_back(Make(absl::StrCat("n", i), "v1", i % 2 == 0 ? kType : "b.T"));
  }
  ViewPtr view = NextView(View(), std::move(all));
  for (int step = 0; step < 2; ++step) {
    view = NextView(*view, {.is_synced = true, .never_read = "\"b.yaml\""});
    EXPECT_EQ(view->deleted.at(kType).size() + view->deleted.at("b.T").size(), kMostDeleted);
  }
}

}  // namespace
}  // namespace holdfast
