#include "bootstrap/name_template.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace holdfast {
namespace {

constexpr absl::string_view kType = "envoy.config.listener.v3.Listener";

// Authorities "a" and "", one default template.
BootstrapConfig With(absl::string_view default_template) {
  BootstrapConfig bootstrap;
  bootstrap.client_default_listener_resource_name_template = std::string(default_template);
  bootstrap.authorities["a"].client_listener_resource_name_template =
      absl::StrCat("xdstp://a/", kType, "/client/%s?twice=%s");
  bootstrap.authorities[""].client_listener_resource_name_template =
      absl::StrCat("xdstp:///", kType, "/empty/%s");
  bootstrap.authorities["b c"].client_listener_resource_name_template =
      absl::StrCat("xdstp://b%20c/", kType, "/%s");
  bootstrap.authorities["d"].client_listener_resource_name_template = "xdstp://d/%s";
  return bootstrap;
}

std::string NewStyle(absl::string_view authority, absl::string_view id) {
  return absl::StrCat("xdstp://", authority, "/", kType, "/", id);
}

struct TargetRow {
  absl::string_view target;
  std::string default_template;
  std::string listener;
  absl::string_view data_plane_authority;
};

const TargetRow kTargets[] = {
    // The default template, old style: inserted verbatim.
    {"xds:pay", "%s", "pay", "pay"},     // R7.41
    {"xds:/pay", "%s", "pay", "pay"},    // R7.42
    {"xds:///pay", "%s", "pay", "pay"},  // R7.41, R7.42
    {"XDS:pay", "%s", "pay", "pay"},     // schemes have no case
    {"xds:pay.example.com:443", "%s", "pay.example.com:443", "pay.example.com:443"},  // R7.43
    {"xds:///team/pay", "%s", "team/pay", "team%2Fpay"},                              // R7.43
    {"xds:////pay", "%s", "/pay", "%2Fpay"},                   // only one "/" is stripped
    {"xds:///two%20words", "%s", "two words", "two%20words"},  // R7.41
    {"xds:///%5B::1%5D:80", "%s", "[::1]:80", "[::1]:80"},     // R7.43
    {"xds:///[::1]:80", "%s", "[::1]:80", "[::1]:80"},         // R7.43
    {"xds:///pay?query#fragment", "%s", "pay", "pay"},         //
    {"xds:pay", "team/%s/%s", "team/pay/pay", "pay"},          // every %s
    {"xds:pay", "fixed", "fixed", "pay"},                      // none
    {"xds:100%25s", "%s", "100%s", "100%25s"},                 // not filled again
    // The default template, new style: percent-encoded, and the entry's own template not used.
    {"xds:pay", NewStyle("a", "%s"), NewStyle("a", "pay"), "pay"},                      // R7.41
    {"xds:///team/pay", NewStyle("a", "%s"), NewStyle("a", "team/pay"), "team%2Fpay"},  // R7.42
    {"xds:///a%20b[c]%25", NewStyle("a", "%s"), NewStyle("a", "a%20b%5Bc%5D%25"),
     "a%20b[c]%25"},  // R7.42
    {"xds:///-._~!$&'()*+,;=:@", NewStyle("a", "%s"), NewStyle("a", "-._~!$&'()*+,;=:@"),
     "-._~!$&'()*+,;=:@"},  // R7.42
    {"xds:///\xC3\xA9%3F%23", NewStyle("a", "%s"), NewStyle("a", "%C3%A9%3F%23"),
     "%C3%A9%3F%23"},                                                       // R7.42
    {"xds:pay", NewStyle("", "%s"), NewStyle("", "pay"), "pay"},            // R7.41
    {"xds:pay", NewStyle("b%20c", "%s"), NewStyle("b%20c", "pay"), "pay"},  // R7.41
    // An authority in the target: its own template.
    {"xds://a/pay", "%s", NewStyle("a", "client/pay?twice=pay"), "pay"},  // R7.40
    {"xds://a/team/p y", "%s", NewStyle("a", "client/team/p%20y?twice=team/p%20y"),
     "team%2Fp%20y"},                                                       // R7.40, R7.42, R7.43
    {"xds://%61/pay", "%s", NewStyle("a", "client/pay?twice=pay"), "pay"},  // R7.40
    {"xds://b%20c/pay", "%s", NewStyle("b%20c", "pay"), "pay"},             // R7.40
    // A path that is itself a new-style name, with the plain template.
    {"xds:xdstp://a/envoy.config.listener.v3.Listener/pay", "%s", NewStyle("a", "pay"),
     "xdstp:%2F%2Fa%2Fenvoy.config.listener.v3.Listener%2Fpay"},  // R7.41
};

TEST(NameTemplate, NamesTheListenerOfATarget) {
  for (const TargetRow& row : kTargets) {
    const absl::StatusOr<TargetNames> names = NamesOfTarget(row.target, With(row.default_template));
    ASSERT_TRUE(names.ok()) << row.target << ": " << names.status();
    EXPECT_EQ(names->listener, row.listener) << row.target;
    EXPECT_EQ(names->data_plane_authority, row.data_plane_authority) << row.target;
  }
}

struct BadTargetRow {
  absl::string_view target;
  std::string default_template;
  absl::Status error;
};

const BadTargetRow kBadTargets[] = {
    {"", "%s", absl::InvalidArgumentError("target \"\": must begin with \"xds:\"")},
    {"pay", "%s", absl::InvalidArgumentError("target \"pay\": must begin with \"xds:\"")},
    {"xds", "%s", absl::InvalidArgumentError("target \"xds\": must begin with \"xds:\"")},
    {"dns:///pay", "%s",
     absl::InvalidArgumentError("target \"dns:///pay\": must begin with \"xds:\"")},
    {"xds:", "%s",
     absl::InvalidArgumentError("target \"xds:\": must name a service after the last \"/\"")},
    {"xds:///", "%s",
     absl::InvalidArgumentError("target \"xds:///\": must name a service after the last \"/\"")},
    {"xds://a", "%s",
     absl::InvalidArgumentError("target \"xds://a\": must name a service after the last \"/\"")},
    {"xds:///team/", "%s",
     absl::InvalidArgumentError(
         "target \"xds:///team/\": must name a service after the last \"/\"")},
    {"xds:///p%2", "%s",
     absl::InvalidArgumentError(
         "target \"xds:///p%2\": \"%\" must be followed by two hexadecimal digits")},
    {"xds://%zz/pay", "%s",
     absl::InvalidArgumentError(
         "target \"xds://%zz/pay\": \"%\" must be followed by two hexadecimal digits")},
    {"xds:///p%FF", "%s", absl::InvalidArgumentError("target \"xds:///p%FF\": must be UTF-8")},
    {"xds:///\xC3", "%s", absl::InvalidArgumentError("target \"xds:///\\xc3\": must be UTF-8")},
    {"xds://b/pay", "%s",  // R7.40
     absl::InvalidArgumentError(
         "target \"xds://b/pay\": authority \"b\" is not in authorities of the bootstrap")},
    {"xds:pay", NewStyle("b", "%s"),  // R7.45
     absl::FailedPreconditionError(
         "target \"xds:pay\": bootstrap: client_default_listener_resource_name_template makes "
         "\"xdstp://b/envoy.config.listener.v3.Listener/pay\", but authority \"b\" is not in "
         "authorities")},
    {"xds:pay", "xdstp://a/%s",
     absl::FailedPreconditionError(
         "target \"xds:pay\": bootstrap: client_default_listener_resource_name_template makes a "
         "bad listener name: \"xdstp://a/pay\": is a name of type \"pay\" where "
         "\"envoy.config.listener.v3.Listener\" is needed")},
    {"xds://d/pay", "%s",
     absl::FailedPreconditionError(
         "target \"xds://d/pay\": bootstrap: "
         "authorities[\"d\"].client_listener_resource_name_template makes a bad listener name: "
         "\"xdstp://d/pay\": is a name of type \"pay\" where "
         "\"envoy.config.listener.v3.Listener\" is needed")},
    // A new-style name that the target itself gives is the target's mistake.
    {"xds:xdstp://b/envoy.config.listener.v3.Listener/pay", "%s",  // R7.45
     absl::InvalidArgumentError("target \"xds:xdstp://b/envoy.config.listener.v3.Listener/pay\": "
                                "authority \"b\" is not in "
                                "authorities of the bootstrap")},
    {"xds:xdstp://a/pay", "%s",
     absl::InvalidArgumentError(
         "target \"xds:xdstp://a/pay\": \"xdstp://a/pay\": is a name of type \"pay\" where "
         "\"envoy.config.listener.v3.Listener\" is needed")},
    // Wildcards.
    {"xds:///*", "%s",  // R1.55
     absl::InvalidArgumentError(
         "target \"xds:///*\": the listener must not be a wildcard (got \"*\")")},
    {"xds:///%2A", NewStyle("a", "%s"),  // R1.55
     absl::InvalidArgumentError("target \"xds:///%2A\": the listener must not be a wildcard (got "
                                "\"xdstp://a/envoy.config.listener.v3.Listener/*\")")},
    {"xds:///team/*", NewStyle("a", "%s"),  // R1.55
     absl::InvalidArgumentError(
         "target \"xds:///team/*\": the listener must not be a wildcard (got "
         "\"xdstp://a/envoy.config.listener.v3.Listener/team/*\")")},
};

TEST(NameTemplate, RefusesATargetNobodyAnswersFor) {
  for (const BadTargetRow& row : kBadTargets) {
    EXPECT_EQ(NamesOfTarget(row.target, With(row.default_template)).status(), row.error)
        << row.target;
  }
}

TEST(NameTemplate, RefusesAnEnormousName) {
  const std::string most(size_t{64} << 10, 'x');
  EXPECT_TRUE(NamesOfTarget(absl::StrCat("xds:", most), With("%s")).ok());
  EXPECT_EQ(NamesOfTarget("xds:pay", With(absl::StrCat(most, "%s"))).status(),
            absl::InvalidArgumentError(
                "target \"xds:pay\": client_default_listener_resource_name_template makes a "
                "listener name of 65539 bytes, longer than the limit of 65536 bytes"));
  // Not made first: this one would have 300 GB.
  std::string many;
  for (int i = 0; i < 1'000'000; ++i) many += "%s";
  EXPECT_EQ(
      NamesOfTarget(absl::StrCat("xds:", std::string(300'000, 'x')), With(many)).status().code(),
      absl::StatusCode::kInvalidArgument);
}

TEST(NameTemplate, NamesTheListenerOfAServer) {
  struct Row {
    std::string name_template;
    absl::string_view address;
    std::string listener;
  };
  const Row kTable[] = {
      {"grpc/server?a=%s", "0.0.0.0:8080", "grpc/server?a=0.0.0.0:8080"},  // R7.44
      {"grpc/server?a=%s", "[::]:80", "grpc/server?a=[::]:80"},            // R7.44: verbatim
      {"%s and %s", "[::]:80", "[::]:80 and [::]:80"},                     // R7.44: every %s
      {NewStyle("a", "server/%s"), "[::]:80", NewStyle("a", "server/%5B::%5D:80")},  // R7.44
      {NewStyle("a", "%s?b=c"), "0.0.0.0:80", NewStyle("a", "0.0.0.0:80?b=c")},      // R7.44
  };
  for (const Row& row : kTable) {
    BootstrapConfig bootstrap = With("%s");
    bootstrap.server_listener_resource_name_template = row.name_template;
    const absl::StatusOr<std::string> listener = ListenerOfServer(row.address, bootstrap);
    ASSERT_TRUE(listener.ok()) << row.name_template << ": " << listener.status();
    EXPECT_EQ(*listener, row.listener);
  }
}

TEST(NameTemplate, RefusesAServerWithoutATemplate) {  // R7.44
  EXPECT_EQ(ListenerOfServer("[::]:80", With("%s")).status(),
            absl::FailedPreconditionError("bootstrap: server_listener_resource_name_template: "
                                          "missing, but a gRPC server needs it"));
}

TEST(NameTemplate, RefusesAServerOfAWildcardOrAnEnormousName) {  // R1.55
  BootstrapConfig bootstrap = With("%s");
  bootstrap.server_listener_resource_name_template = "*";
  EXPECT_EQ(ListenerOfServer("[::]:80", bootstrap).status(),
            absl::InvalidArgumentError(
                "server \"[::]:80\": the listener must not be a wildcard (got \"*\")"));
  bootstrap.server_listener_resource_name_template = std::string(100'000, 'x');
  EXPECT_EQ(ListenerOfServer("[::]:80", bootstrap).status(),
            absl::InvalidArgumentError(
                "server \"[::]:80\": server_listener_resource_name_template makes a listener name "
                "of 100000 bytes, longer than the limit of 65536 bytes"));
}

TEST(NameTemplate, RefusesAServerOfAnUnknownAuthority) {  // R7.45
  BootstrapConfig bootstrap = With("%s");
  bootstrap.server_listener_resource_name_template = NewStyle("b", "%s");
  EXPECT_EQ(ListenerOfServer("[::]:80", bootstrap).status(),
            absl::FailedPreconditionError(
                "server \"[::]:80\": bootstrap: server_listener_resource_name_template makes "
                "\"xdstp://b/envoy.config.listener.v3.Listener/%5B::%5D:80\", but authority \"b\" "
                "is not in authorities"));
}

}  // namespace
}  // namespace holdfast
