#include "base/validation_errors.h"

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;

TEST(ValidationErrors, AreFineAtFirst) {
  ValidationErrors errors;
  EXPECT_TRUE(errors.ok());
  EXPECT_EQ(errors.Text(), "");
}

TEST(ValidationErrors, CarryThePathOfTheirField) {
  ValidationErrors errors;
  {
    ValidationErrors::Field hosts(errors, ".virtual_hosts", 2);
    ValidationErrors::Field domain(errors, ".domains", 0);
    errors.Add("must not be empty");
  }
  errors.Add("is no good as a whole");
  EXPECT_THAT(errors.Sorted(),
              ElementsAre(FieldError{"", "is no good as a whole"},
                          FieldError{"virtual_hosts[2].domains[0]", "must not be empty"}));
  EXPECT_EQ(errors.Text(), "is no good as a whole; virtual_hosts[2].domains[0]: must not be empty");
}

TEST(ValidationErrors, AreSortedAsAPersonCounts) {
  ValidationErrors errors;
  for (size_t index : {10u, 9u, 100u}) {
    ValidationErrors::Field field(errors, ".a", index);
    errors.Add("bad");
  }
  EXPECT_THAT(errors.Sorted(), ElementsAre(FieldError{"a[9]", "bad"}, FieldError{"a[10]", "bad"},
                                           FieldError{"a[100]", "bad"}));
}

TEST(ValidationErrors, SayTheSameThingOnce) {
  ValidationErrors errors;
  errors.Add("bad");
  errors.Add("bad");
  EXPECT_EQ(errors.count(), 2u);
  EXPECT_EQ(errors.Text(), "bad");
}

TEST(ValidationErrors, QuoteTwentyAndCountTheRest) {
  ValidationErrors errors;
  for (size_t i = 0; i < 25; ++i) {
    ValidationErrors::Field field(errors, ".a", i);
    errors.Add("bad");
  }
  const std::string text = errors.Text();
  EXPECT_THAT(text, ::testing::StartsWith("a[0]: bad; a[1]: bad; "));
  EXPECT_THAT(text, ::testing::EndsWith("; a[19]: bad; and 5 more"));
}

TEST(ValidationErrors, KeepABoundedNumberAndCountAll) {
  ValidationErrors errors;
  for (size_t i = 0; i < 100'000; ++i) {
    ValidationErrors::Field field(errors, ".a", i);
    errors.Add("bad");
  }
  EXPECT_EQ(errors.count(), 100'000u);
  EXPECT_EQ(errors.Sorted().size(), ValidationErrors::kMostKept);
  EXPECT_THAT(errors.Text(1), ::testing::EndsWith("; and 99999 more"));
}

TEST(ValidationErrors, HaveOnePurseForWhatIsExpensive) {
  ValidationErrors errors;
  EXPECT_TRUE(errors.Spend(ValidationErrors::kMostEffort));
  EXPECT_TRUE(errors.has_effort_left());
  EXPECT_FALSE(errors.Spend(1));
  EXPECT_FALSE(errors.has_effort_left());
  EXPECT_FALSE(errors.Spend(std::numeric_limits<size_t>::max()));
  EXPECT_TRUE(errors.ok()) << "what it means is the caller's to say";
}

TEST(FieldPathBefore, OrdersNumbersInsidePaths) {
  EXPECT_TRUE(FieldPathBefore("a[2].b", "a[10].a"));
  EXPECT_FALSE(FieldPathBefore("a[10].a", "a[2].b"));
  EXPECT_TRUE(FieldPathBefore("a", "a.b"));
  EXPECT_TRUE(FieldPathBefore("a[1]", "b[0]"));
  EXPECT_FALSE(FieldPathBefore("a[1]", "a[1]"));
}

TEST(ValidationErrors, WhatMattersIsKeptBeforeOthers) {
  ValidationErrors errors;
  errors.KeepBeforeOthers([](const FieldError& error) { return error.text == "grave"; });
  for (size_t i = 0; i < ValidationErrors::kMostKept; ++i) {
    const ValidationErrors::Field field(errors, ".a", i);
    errors.Add(i == ValidationErrors::kMostKept - 1 ? "grave" : "light");
  }
  const ValidationErrors::Field field(errors, ".b");
  errors.Add("light");
  EXPECT_EQ(errors.Sorted().back(), (FieldError{"a[999]", "grave"}));
  errors.Add("grave");
  EXPECT_EQ(errors.count(), ValidationErrors::kMostKept + 2);
  const std::vector<FieldError> sorted = errors.Sorted();
  ASSERT_EQ(sorted.size(), ValidationErrors::kMostKept);
  EXPECT_EQ(sorted[997], (FieldError{"a[997]", "light"}));
  EXPECT_EQ(sorted[998], (FieldError{"a[999]", "grave"}));
  EXPECT_EQ(sorted[999], (FieldError{"b", "grave"}));
}

TEST(ValidationErrors, OfThoseThatMatterTheFirstAreKept) {
  ValidationErrors errors;
  errors.KeepBeforeOthers([](const FieldError&) { return true; });
  for (size_t i = 0; i < ValidationErrors::kMostKept + 10; ++i) {
    const ValidationErrors::Field field(errors, ".a", i);
    errors.Add("grave");
  }
  EXPECT_EQ(errors.Sorted().back(), (FieldError{"a[999]", "grave"}));
}

}  // namespace
}  // namespace holdfast
