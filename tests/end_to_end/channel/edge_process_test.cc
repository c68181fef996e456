// Channels of a whole process: those that cannot work say what to do, and a process may end
// whatever its channels are doing. See channel_exit_main.cc.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tests/end_to_end/channel/channel_under_test.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;

struct Ended {
  int code = -1;
  std::vector<std::string> lines;
};

// `environment` as a shell writes it.
Ended RunProgram(absl::string_view environment, absl::string_view how, absl::string_view target) {
  const std::string command =
      absl::StrCat("env -u GRPC_XDS_BOOTSTRAP -u GRPC_XDS_BOOTSTRAP_CONFIG HOLDFAST_LOG=error ",
                   environment, " timeout -s KILL ", absl::ToInt64Seconds(kPatience) + 10,
                   " " HOLDFAST_CHANNEL_PROGRAM " ", how, " '", target, "'");
  std::FILE* const output = ::popen(command.c_str(), "r");
  EXPECT_NE(output, nullptr);
  std::string text;
  char buffer[4096];
  for (size_t size; (size = std::fread(buffer, 1, sizeof(buffer), output)) > 0;) {
    text.append(buffer, size);
  }
  const int status = ::pclose(output);
  Ended ended;
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  if (!text.empty()) text.pop_back();
  if (!text.empty()) ended.lines = absl::StrSplit(text, '\n');
  return ended;
}

std::string Config(absl::string_view json) {
  return absl::StrCat("GRPC_XDS_BOOTSTRAP_CONFIG='", json, "'");
}
std::string ConfigFor(absl::string_view address,
                      absl::string_view credentials = R"({"type":"insecure"})") {
  return Config(absl::StrCat(R"({"xds_servers":[{"server_uri":")", address,
                             R"(","channel_creds":[)", credentials, R"(]}],"node":{"id":"n"}})"));
}

struct Situation {
  std::string name;
  std::string environment;
  std::string how;
  std::string target;
  std::string text;

  friend void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.name; }
};

class BadSetup : public testing::TestWithParam<Situation> {};

const std::vector<Situation>& Situations() {
  const std::string good = ConfigFor("127.0.0.1:1");
  static const auto& situations = *new std::vector<Situation>{
      {"NoBootstrap", "", "report", "xds:///pay",
       R"(target "xds:///pay": no xDS bootstrap: set GRPC_XDS_BOOTSTRAP to the path of a JSON )"
       R"(file, or GRPC_XDS_BOOTSTRAP_CONFIG to the JSON itself)"},
      {"BootstrapFileThatIsNotThere", "GRPC_XDS_BOOTSTRAP=/nonexistent/b.json", "report",
       "xds:///pay",
       R"(target "xds:///pay": GRPC_XDS_BOOTSTRAP: "/nonexistent/b.json": cannot be opened: No )"
       R"(such file or directory)"},
      {"BootstrapThatIsNoJson", Config("{"), "report", "xds:///pay",
       R"(target "xds:///pay": GRPC_XDS_BOOTSTRAP_CONFIG: bootstrap: line 1, column 2: expected a )"
       R"(key in quotes (got the end of the text))"},
      {"BootstrapWithoutServers", Config("{}"), "report", "xds:///pay",
       R"(target "xds:///pay": GRPC_XDS_BOOTSTRAP_CONFIG: bootstrap: xds_servers: missing in the )"
       R"(object at line 1, column 1)"},
      {"MissingTlsFile",
       ConfigFor("127.0.0.1:1",
                 R"({"type":"tls","config":{"ca_certificate_file":"/nonexistent/ca.pem"}})"),
       "report", "xds:///pay",
       R"(target "xds:///pay": xds server "127.0.0.1:1": channel_creds: ca_certificate_file: )"
       R"("/nonexistent/ca.pem": cannot be opened: No such file or directory)"},
      {"UnknownAuthority", good, "report", "xds://nowhere/pay",
       R"(target "xds://nowhere/pay": authority "nowhere" is not in authorities of the bootstrap)"},
      {"TargetWithoutScheme", good, "report", "pay", R"(target "pay": must begin with "xds:")"},
      {"TargetOfAnotherScheme", good, "report", "dns:///pay",
       R"(target "dns:///pay": must begin with "xds:")"},
      {"TargetWithoutName", good, "report", "xds:///",
       R"(target "xds:///": must name a service after the last "/")"},
      {"EmptyTarget", good, "report", "", R"(target "": must begin with "xds:")"},
      {"NoCredentials", good, "report-null", "xds:///pay",
       R"(target "xds:///pay": there are no channel credentials: pass )"
       R"(grpc::InsecureChannelCredentials() or grpc::SslCredentials())"},
      {"XdsCredentials", good, "report-xds", "xds:///pay",
       R"(target "xds:///pay": XdsCredentials are not yet supported by this build: pass the )"
       R"(credentials for the endpoints themselves, as grpc::SslCredentials())"},
  };
  return situations;
}

INSTANTIATE_TEST_SUITE_P(, BadSetup, testing::ValuesIn(Situations()),
                         [](const auto& row) { return row.param.name; });

// Also for a call that waits for readiness: nothing is worth waiting for.
TEST_P(BadSetup, FailsEveryCallAtOnceAndSaysWhatToDo) {
  const Situation& situation = GetParam();
  const absl::Time begin = absl::Now();
  const Ended ended = RunProgram(situation.environment, situation.how, situation.target);
  EXPECT_EQ(ended.code, 0);
  const std::string line = absl::StrCat("UNAVAILABLE: ", situation.text);
  EXPECT_THAT(ended.lines, ElementsAre(line, line));
  EXPECT_LT(absl::Now() - begin, kPatience / 2);
}

// R9.02
TEST(ProcessOfAChannel, ShowsTheTargetAsTheScopeOfItsClient) {
  Backend backend;
  ObligingXdsServer xds;
  PutPay(xds, {backend.address()});
  const Ended ended = RunProgram(ConfigFor(xds.address()), "scopes", "xds:///pay");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.lines, ElementsAre("xds:///pay: 4 resources"));
}

class ChannelExit : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Ways, ChannelExit,
                         testing::Values("static", "leaked", "live-sync", "live-async",
                                         "live-callback", "live-ready-sync", "live-ready-async",
                                         "live-ready-callback", "queued-sync", "queued-async",
                                         "queued-callback", "queued-ready-sync",
                                         "queued-ready-async", "queued-ready-callback", "reaction",
                                         "picker", "thread"),
                         [](const auto& row) {
                           return absl::StrReplaceAll(row.param, {{"-", "_"}});
                         });

TEST_P(ChannelExit, WithLiveChannelsAndCallsIsClean) {
  const std::string& how = GetParam();
  const bool is_silent = absl::StartsWith(how, "queued-") || how == "thread";
  Backend backend;
  ObligingXdsServer xds;
  if (!is_silent) PutPay(xds, {backend.address()});
  if (how == "picker") {
    // The other process knows it, this one does not need to.
    xds.Put("cds", "pay", ClusterBytes("pay", R"pb(
              load_balancing_policy {
                policies {
                  typed_extension_config {
                    name: "exit"
                    typed_config {
                      [type.googleapis.com/xds.type.v3.TypedStruct] {
                        type_url: "type.googleapis.com/holdfast.test.Exit"
                      }
                    }
                  }
                }
              })pb"));
  }
  EXPECT_EQ(RunProgram(ConfigFor(xds.address()), how, "xds:///pay").code, 0);
}

// Nobody is left who would end a call's wait, not even its deadline: it ends with the reason.
TEST(ProcessOfAChannel, EndsTheWaitsOfItsCallsWithItself) {
  ScriptedAdsServer silent;
  const absl::Time begin = absl::Now();
  const Ended ended = RunProgram(ConfigFor(silent.address()), "joined", "xds:///pay");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.lines,
              ElementsAre("UNAVAILABLE: target \"xds:///pay\": the process is exiting, and nobody "
                          "would end this call's wait"));
  EXPECT_LT(absl::Now() - begin, kPatience / 2);
}
TEST(ProcessOfAChannel, EndsTheWaitsOfCallsThatFailWithItself) {
  ObligingXdsServer xds;
  PutPay(xds, {});
  const absl::Time begin = absl::Now();
  const Ended ended = RunProgram(ConfigFor(xds.address()), "joined-ready", "xds:///pay");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(
      ended.lines,
      ElementsAre(testing::StartsWith("UNAVAILABLE: cluster \"pay\": it has no endpoints")));
  EXPECT_LT(absl::Now() - begin, kPatience / 2);
}

}  // namespace
}  // namespace holdfast
