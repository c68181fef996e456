// Views that came about commit by commit, each speaking of a few names, against the view that is
// made at once of all there is.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "control/catalog/view.h"

namespace holdfast {
namespace {

const char* const kTypes[] = {"a.Type", "b.Type"};

ResourcePtr Make(const ResourceKey& key, const std::string& body) {
  return std::make_shared<const Resource>(key.type, key.name, body);
}

// All that clients could see, a line each.
std::vector<std::string> LinesOf(const View& view) {
  std::vector<std::string> lines = {absl::StrCat("synced ", view.is_synced)};
  for (const auto& [type, of_type] : view.types) {
    lines.push_back(absl::StrCat(type, " ", of_type->version(), " ", of_type->sotw_bytes(), " ",
                                 of_type->delta_bytes(), " ", of_type->resources().size(), " ",
                                 of_type->errors().size()));
    for (const ResourcePtr& one : of_type->resources()) {
      lines.push_back(absl::StrCat(type, "/", one->name(), "=", one->body()));
    }
    for (const auto& [name, error] : of_type->errors()) {
      lines.push_back(absl::StrCat(type, "/", name, "!", error.code));
    }
  }
  return lines;
}

// What the source has, and what it says of some names.
struct Model {
  std::map<ResourceKey, ResourcePtr> resources;
  std::map<ResourceKey, NameError> errors;

  Contents All() const {
    Contents contents{.is_synced = true, .errors = errors};
    for (const auto& [key, resource] : resources) contents.resources.push_back(resource);
    return contents;
  }
  Contents Only(const std::set<ResourceKey>& keys) const {
    Contents contents{.is_synced = true, .only = keys};
    for (const ResourceKey& key : keys) {
      if (resources.contains(key)) contents.resources.push_back(resources.at(key));
      if (errors.contains(key)) contents.errors.emplace(key, errors.at(key));
    }
    return contents;
  }
};

class ViewModel : public testing::TestWithParam<uint64_t> {};

TEST_P(ViewModel, CommitsOfAFewNamesMakeTheViewOfAll) {
  std::mt19937_64 random(GetParam());
  const auto below = [&random](size_t count) { return random() % count; };
  Model model;
  ViewPtr view = std::make_shared<const View>();
  ViewPtr at_once = view;
  for (int step = 0; step < 150; ++step) {
    std::set<ResourceKey> touched;
    for (size_t left = below(15) == 0 ? 300 : below(6); left > 0; --left) {
      const ResourceKey key{kTypes[below(2)], absl::StrCat("n", below(400))};
      touched.insert(key);
      switch (below(step / 50 % 2 == 0 ? 8 : 4)) {
        case 0:
        case 1:
          model.resources.erase(key);
          break;
        case 2:
          model.errors.erase(key);
          break;
        case 3:
          model.errors[key] = {below(2) == 0 ? 5 : 13, absl::StrCat("no ", below(3))};
          break;
        default:
          model.resources[key] = Make(key, absl::StrCat("v", below(5)));
      }
    }
    // Now and then everything is said, which may be what is served already.
    const ViewPtr before = view;
    view = NextView(*before, below(10) == 0 ? model.All() : model.Only(touched));
    const ViewPtr before_at_once = at_once;
    at_once = NextView(View(), model.All());
    ASSERT_EQ(LinesOf(*view), LinesOf(*at_once)) << "seed " << GetParam() << " step " << step;
    ASSERT_EQ(view->id, before->id + 1);
    const Changes changes = ChangesBetween(*before, *view);
    ASSERT_EQ(changes, ChangesBetween(*before_at_once, *at_once))
        << "seed " << GetParam() << " step " << step;
    for (const char* const type : kTypes) {
      // A type that did not change is the same object, and a step leads from the one before.
      if (!changes.contains(type)) {
        ASSERT_EQ(view->Of(type), before->Of(type));
      } else if (view->types.contains(type)) {
        ASSERT_EQ(view->Of(type)->step()->before, before->Of(type)->hash());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ViewModel, testing::Range<uint64_t>(1, 4));

TEST(View, OneOfTenThousandCostsAChunk) {
  const std::string type = kTypes[0];
  Contents all{.is_synced = true, .labels = {{type, "release 7"}}};
  for (int i = 0; i < 10'000; ++i) {
    all.resources.push_back(Make({type, absl::StrCat("n", i)}, "v1"));
  }
  const ViewPtr before = NextView(View(), std::move(all));
  const ResourceKey key{type, "n777"};
  const ViewPtr after = NextView(*before, {.resources = {Make(key, "v2")}, .only = {{key}}});
  const auto& old_chunks = before->Of(type)->resources().chunks();
  const auto& new_chunks = after->Of(type)->resources().chunks();
  ASSERT_EQ(old_chunks.size(), new_chunks.size());
  size_t made = 0;
  for (size_t i = 0; i < new_chunks.size(); ++i) made += old_chunks[i] == new_chunks[i] ? 0 : 1;
  EXPECT_EQ(made, 1u);
  EXPECT_EQ(after->Of(type)->version(), "release 7");
  EXPECT_EQ(ChangesBetween(*before, *after), (Changes{{type, {"n777"}}}));
  // Neither does what is said again cost anything.
  EXPECT_EQ(NextView(*after, {.resources = {Make(key, "v2")}, .only = {{key}}})->Of(type),
            after->Of(type));
}

}  // namespace
}  // namespace holdfast
