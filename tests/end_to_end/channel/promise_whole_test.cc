// What fails a whole channel though nothing is wrong with any resource (R11.05): there is no way
// from its name to a cluster.
#include <gtest/gtest.h>

#include <string>

#include "tests/end_to_end/channel/promise_scene.h"

namespace holdfast {
namespace {

std::string RoutesForElsewhere() {
  return FromText("envoy.config.route.v3.RouteConfiguration",
                  "name: \"pay-routes\" virtual_hosts { name: \"vh\" domains: \"elsewhere\" "
                  "routes { match { prefix: \"\" } route { cluster: \"pay\" } } }");
}

// R11.05, R11.36, R11.40
TEST(PromiseOfTheWhole, RoutesOfOthersFailCalls) {
  Scene scene(Routes(), {});
  scene.PutAll();
  scene.ExpectOk();
  scene.Put(Routes(), RoutesForElsewhere());
  const std::string words =
      "UNAVAILABLE: target \"xds:///pay\": route configuration \"pay-routes\": no virtual host "
      "speaks for the authority \"pay\" (their domains are \"elsewhere\"); calls fail until one "
      "does ";
  scene.ExpectTurn("OK", words + "(node \"web-1\")");
  scene.ExpectState(GRPC_CHANNEL_TRANSIENT_FAILURE);
  // An error of theirs is no reason of its own, but may be why these are still the routes.
  scene.PutError(13, "r");
  const std::string with_error = absl::StrCat(
      words, "(route configuration \"pay-routes\": xds server \"", scene.xds().address(),
      "\" answered INTERNAL: r; keeping version 3 (node \"web-1\"))");
  scene.ExpectTurn(words + "(node \"web-1\")", with_error);
  scene.PutGood();
  scene.ExpectTurn(with_error, "OK");
}

// R11.05, R11.40: a listener of a server is none to call.
TEST(PromiseOfTheWhole, AListenerOfAServerFailsCalls) {
  Scene scene(Listeners(), {});
  scene.PutOthers();
  scene.Put(Listeners(),
            FromText("envoy.config.listener.v3.Listener",
                     "name: \"pay\" address { socket_address { address: \"10.0.0.1\" port_value: "
                     "80 } }"));
  const std::string words = scene.FailureWords(
      "version 2 was rejected: this build does not support listeners of gRPC servers (without "
      "api_listener) yet");
  scene.ExpectNow(words);
  scene.ExpectState(GRPC_CHANNEL_TRANSIENT_FAILURE);
  scene.PutGood();
  scene.ExpectTurn(words, "OK");
}

}  // namespace
}  // namespace holdfast
