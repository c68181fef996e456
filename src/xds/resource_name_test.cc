#include "xds/resource_name.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr absl::string_view kCluster = "envoy.config.cluster.v3.Cluster";

ResourceName Name(absl::string_view text) {
  absl::StatusOr<ResourceName> name = ResourceName::Parse(text, kCluster);
  EXPECT_TRUE(name.ok()) << name.status();
  return name.ok() ? *name : ResourceName();
}

std::string ErrorOf(absl::string_view text) {
  const absl::StatusOr<ResourceName> name = ResourceName::Parse(text, kCluster);
  EXPECT_FALSE(name.ok()) << text;
  if (name.ok()) return "";
  EXPECT_EQ(name.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(name.status().message());
}

TEST(ResourceName, OldStyleNamesAreTakenAsTheyAre) {
  for (const char* text : {"pay", "", "xdstp", "a/b?c=d#e", "%zz", "http://x", "*"}) {
    const ResourceName name = Name(text);
    EXPECT_TRUE(name.is_old_style());
    EXPECT_EQ(name.id(), text);
    EXPECT_EQ(name.Text(), text);
    EXPECT_EQ(name.AuthorityLabel(), "#old");
    EXPECT_FALSE(name.is_glob());
  }
}

TEST(ResourceName, XdstpNamesHaveParts) {  // R1.90
  const ResourceName name = Name(
      "xdstp://prod.example/envoy.config.cluster.v3.Cluster/team/pay?zone=b&env=x%26y#entry=q");
  EXPECT_EQ(name.authority(), "prod.example");
  EXPECT_EQ(name.id(), "team/pay");
  EXPECT_THAT(name.parameters(), ElementsAre(Pair("env", "x&y"), Pair("zone", "b")));
  EXPECT_EQ(name.Text(),
            "xdstp://prod.example/envoy.config.cluster.v3.Cluster/team/pay?env=x%26y&zone=b");
}

TEST(ResourceName, WithoutAuthorityIsNotOldStyle) {
  const ResourceName empty = Name("xdstp:///envoy.config.cluster.v3.Cluster/pay");
  EXPECT_EQ(empty.authority(), "");
  EXPECT_EQ(empty.AuthorityLabel(), "");
  EXPECT_NE(empty, Name("pay"));
  EXPECT_EQ(empty, Name("xdstp:/envoy.config.cluster.v3.Cluster/pay"));
}

TEST(ResourceName, ParametersAreComparedAsAMap) {  // R1.91
  EXPECT_EQ(Name("xdstp://a/envoy.config.cluster.v3.Cluster/x?b=2&a=1"),
            Name("xdstp://a/envoy.config.cluster.v3.Cluster/x?a=1&b=2"));
  EXPECT_NE(Name("xdstp://a/envoy.config.cluster.v3.Cluster/x?a=1"),
            Name("xdstp://a/envoy.config.cluster.v3.Cluster/x"));
}

TEST(ResourceName, TheCanonicalFormIsForXdstpNamesOfTheType) {  // R1.91
  EXPECT_EQ(CanonicalName("xdstp://a/envoy.config.cluster.v3.Cluster/x?b=2&a=1#entry=q", kCluster),
            "xdstp://a/envoy.config.cluster.v3.Cluster/x?a=1&b=2");
  for (const char* text : {"pay?b=2&a=1", "", "xdstp:", "xdstp://a/another.Type/x?b=2&a=1"}) {
    EXPECT_EQ(CanonicalName(text, kCluster), text);
  }
}

TEST(ResourceName, ARepeatedParameterKeepsItsLastValue) {  // R1.92
  EXPECT_EQ(Name("xdstp://a/envoy.config.cluster.v3.Cluster/x?k=1&k=2"),
            Name("xdstp://a/envoy.config.cluster.v3.Cluster/x?k=2"));
}

TEST(ResourceName, ReservedParametersAreRefused) {  // R1.93
  EXPECT_EQ(ErrorOf("xdstp://a/envoy.config.cluster.v3.Cluster/x?xds.node=1"),
            "\"xdstp://a/envoy.config.cluster.v3.Cluster/x?xds.node=1\": parameter \"xds.node\" "
            "must not begin with \"xds.\", which xDS keeps for itself");
}

TEST(ResourceName, AnotherTypeInThePathIsMalformed) {  // R1.94
  EXPECT_EQ(ErrorOf("xdstp://a/envoy.config.listener.v3.Listener/x"),
            "\"xdstp://a/envoy.config.listener.v3.Listener/x\": is a name of type "
            "\"envoy.config.listener.v3.Listener\" where \"envoy.config.cluster.v3.Cluster\" is "
            "needed");
  EXPECT_EQ(ErrorOf("xdstp:"),
            "\"xdstp:\": is a name of type \"\" where \"envoy.config.cluster.v3.Cluster\" is "
            "needed");
  EXPECT_EQ(ErrorOf("xdstp://a/envoy.config.cluster.v3.Cluster"),
            "\"xdstp://a/envoy.config.cluster.v3.Cluster\": has no id after the resource type");
  EXPECT_EQ(ErrorOf("xdstp://a/envoy.config.cluster.v3.Cluster/"),
            "\"xdstp://a/envoy.config.cluster.v3.Cluster/\": has no id after the resource type");
}

TEST(ResourceName, DirectivesAreIgnoredButNotRepeated) {  // R1.95
  EXPECT_EQ(Name("xdstp://a/envoy.config.cluster.v3.Cluster/x#alt=xdstp://b/T/y,entry=z"),
            Name("xdstp://a/envoy.config.cluster.v3.Cluster/x"));
  EXPECT_EQ(ErrorOf("xdstp://a/envoy.config.cluster.v3.Cluster/x#entry=1,entry=2"),
            "\"xdstp://a/envoy.config.cluster.v3.Cluster/x#entry=1,entry=2\": directive \"entry\" "
            "must not appear twice");
}

TEST(ResourceName, SpellingOfPercentEncodingDoesNotMatter) {  // R1.91
  EXPECT_EQ(Name("xdstp://a/envoy.config.cluster.v3.Cluster/%41%2d%c3%a9 b"),
            Name("xdstp://a/envoy.config.cluster.v3.Cluster/A-%C3%A9%20b"));
  EXPECT_EQ(Name("xdstp://a/envoy.config.cluster.v3.Cluster/%41 b").Text(),
            "xdstp://a/envoy.config.cluster.v3.Cluster/A%20b");
}

TEST(ResourceName, AnEncodedSlashIsNoBorder) {
  EXPECT_NE(Name("xdstp://a/envoy.config.cluster.v3.Cluster/x%2Fy"),
            Name("xdstp://a/envoy.config.cluster.v3.Cluster/x/y"));
}

TEST(ResourceName, BadPercentEncodingIsNamed) {
  EXPECT_EQ(ErrorOf("xdstp://a/envoy.config.cluster.v3.Cluster/x%2"),
            "\"xdstp://a/envoy.config.cluster.v3.Cluster/x%2\": \"%\" in the path \"x%2\" must be "
            "followed by two hexadecimal digits");
  EXPECT_EQ(ErrorOf("xdstp://a/envoy.config.cluster.v3.Cluster/x?k=%zz"),
            "\"xdstp://a/envoy.config.cluster.v3.Cluster/x?k=%zz\": \"%\" in the parameter \"%zz\" "
            "must be followed by two hexadecimal digits");
}

TEST(ResourceName, TextIsAFixedPoint) {
  for (const char* text : {"xdstp://a%2Fb/envoy.config.cluster.v3.Cluster/p%2F/q?x=/?&y=%3D%26",
                           "xdstp:/envoy.config.cluster.v3.Cluster/x"}) {
    const ResourceName name = Name(text);
    EXPECT_EQ(Name(name.Text()), name) << text;
    EXPECT_EQ(Name(name.Text()).Text(), name.Text()) << text;
  }
}

TEST(ResourceName, NoAuthorityHasTheLabelOfOldStyleNames) {
  const ResourceName name = Name("xdstp://%23old/envoy.config.cluster.v3.Cluster/x");
  EXPECT_EQ(name.authority(), "#old");
  EXPECT_EQ(name.AuthorityLabel(), "%23old");
}

TEST(ResourceName, PartsMustBeUtf8) {
  EXPECT_EQ(
      ErrorOf("xdstp://%FF/envoy.config.cluster.v3.Cluster/x"),
      "\"xdstp://%FF/envoy.config.cluster.v3.Cluster/x\": the authority \"%FF\" is not UTF-8");
  EXPECT_EQ(ErrorOf("xdstp://a/envoy.config.cluster.v3.Cluster/x?k=%FF"),
            "\"xdstp://a/envoy.config.cluster.v3.Cluster/x?k=%FF\": the parameter \"%FF\" is not "
            "UTF-8");
}

TEST(ResourceName, GlobsEndInAStarSegment) {  // R1.97
  EXPECT_TRUE(Name("xdstp://a/envoy.config.cluster.v3.Cluster/foo/*").is_glob());
  EXPECT_TRUE(Name("xdstp://a/envoy.config.cluster.v3.Cluster/*").is_glob());
  EXPECT_FALSE(Name("xdstp://a/envoy.config.cluster.v3.Cluster/foo*").is_glob());
  EXPECT_FALSE(Name("foo/*").is_glob());
}

TEST(ResourceName, GlobsMatchTheirDirectoryWithEqualParameters) {  // R1.97, R1.99
  const ResourceName glob = Name("xdstp://a/envoy.config.cluster.v3.Cluster/foo/*?some=thing");
  const auto matches = [&glob](absl::string_view rest) {
    return glob.Matches(
        Name(std::string("xdstp://a/envoy.config.cluster.v3.Cluster/") + std::string(rest)));
  };
  EXPECT_TRUE(matches("foo/bar?some=thing"));
  EXPECT_FALSE(matches("foo/bar"));
  EXPECT_FALSE(matches("foo/bar?some=other"));
  EXPECT_FALSE(matches("foo/bar/baz?some=thing"));
  EXPECT_FALSE(matches("foo/?some=thing"));
  EXPECT_FALSE(matches("fo/bar?some=thing"));
  EXPECT_FALSE(matches("foo/*?some=thing"));
  EXPECT_FALSE(glob.Matches(Name("xdstp://b/envoy.config.cluster.v3.Cluster/foo/bar?some=thing")));
  EXPECT_FALSE(Name("foo/*").Matches(Name("foo/bar")));
}

TEST(PercentDecode, UndoesTheEncoding) {
  EXPECT_EQ(PercentDecode("plain"), "plain");
  EXPECT_EQ(PercentDecode("50%25%2f%2F"), "50%//");
  EXPECT_EQ(PercentDecode("%ff%00x"), std::string("\xff\0x", 3));
  EXPECT_EQ(PercentDecode(PercentEncodePath("a b/ü%", false)), "a b/ü%");
}

TEST(PercentDecode, NeedsTwoDigitsAfterAPercentSign) {
  for (const char* text : {"%", "a%", "%4", "a%4", "%g0", "%0g", "%%41", "% 41"}) {
    EXPECT_EQ(PercentDecode(text), std::nullopt) << text;
  }
}

TEST(ResourceName, HugeNamesAreQuotedInPart) {
  const std::string huge = "xdstp://a/" + std::string(1 << 20, 'x');
  EXPECT_LT(ErrorOf(huge).size(), 1000u);
}

}  // namespace
}  // namespace holdfast
