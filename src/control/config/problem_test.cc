#include "control/config/problem.h"

#include "gtest/gtest.h"

namespace holdfast {
namespace {

TEST(ProblemTest, SaysWhereAndWhat) {
  EXPECT_EQ(TextOf({.kind = Problem::Kind::kError,
                    .file = "conf/pay.yaml",
                    .line = 4,
                    .column = 3,
                    .field = "resources[0].lb_policyy",
                    .text = "unknown field; did you mean lb_policy?"}),
            "conf/pay.yaml:4:3: error: resources[0].lb_policyy: unknown field; did you mean "
            "lb_policy?");
}

TEST(ProblemTest, AWarningSaysSo) {
  EXPECT_EQ(TextOf({.kind = Problem::Kind::kWarning,
                    .file = "pay.yaml",
                    .line = 1,
                    .column = 1,
                    .field = "errors[0]",
                    .text = "is not sent"}),
            "pay.yaml:1:1: warning: errors[0]: is not sent");
}

TEST(ProblemTest, ThePlaceOfAWholeFileIsTheFile) {
  EXPECT_EQ(TextOf({.file = "pay.yaml", .text = "cannot be opened: Permission denied"}),
            "pay.yaml: error: cannot be opened: Permission denied");
}

TEST(ProblemTest, WithoutAFieldTheTextStandsAlone) {
  EXPECT_EQ(TextOf({.file = "pay.yaml", .line = 2, .column = 9, .text = "a tab"}),
            "pay.yaml:2:9: error: a tab");
}

}  // namespace
}  // namespace holdfast
