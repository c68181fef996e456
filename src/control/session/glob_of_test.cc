#include "control/session/glob_of.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

TEST(GlobOf, ANameIsInOneCollectionAtMost) {  // R1.99
  EXPECT_EQ(GlobOf("xdstp://x/T/paris"), "xdstp://x/T/*");
  EXPECT_EQ(GlobOf("xdstp://x/T/eu/west/paris"), "xdstp://x/T/eu/west/*");
  EXPECT_EQ(GlobOf("xdstp:///T/eu/paris?a=1&b=x/y"), "xdstp:///T/eu/*?a=1&b=x/y");
  for (const char* const none :
       {"paris", "", "*", "eu/paris", "xdstp://x/T/*", "xdstp://x/T/eu/*?a=1", "xdstp://x/T/eu/",
        "xdstp://x/T/eu/?a=1"}) {
    EXPECT_EQ(GlobOf(none), "") << none;
  }
}

TEST(GlobOf, MembersBeginWithTheDirectory) {
  EXPECT_EQ(DirectoryOf("xdstp://x/T/*"), "xdstp://x/T/");
  EXPECT_EQ(DirectoryOf("xdstp://x/T/eu/*?a=1&b=x/y"), "xdstp://x/T/eu/");
}

}  // namespace
}  // namespace holdfast
