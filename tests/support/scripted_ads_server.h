// An xDS server that does what a test says: a real gRPC server on loopback, state of the world
// only.
//
//   ScriptedAdsServer server;
//   ... a client with server.address() in its bootstrap watches cluster "pay" ...
//   auto stream = server.NextStream();
//   EXPECT_THAT(stream->NextRequest().resource_names, ElementsAre("pay"));
//   stream->Send(TestResponse(ClusterType(), "1").Resource(kPay).Bytes());
//   server.Kill();       // connections break and new ones are refused
//   server.Restart();    // on the same port
//
// It speaks bytes, so it can send what no server should. It never speaks by itself: a test that
// sends nothing has a silent server.
//
// All waiting is bounded: what does not come within kPatience fails the test. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "xds/discovery.h"

namespace holdfast {

class ReservedPort;

// One call of a client. It stays usable after the call ended: what was received is still there, and
// what is sent goes nowhere.
class ScriptedStream {
 public:
  struct State;
  explicit ScriptedStream(std::shared_ptr<State> state);

  // "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"
  const std::string& method() const;

  // The next request that was not returned yet.
  DiscoveryRequest NextRequest();
  // The next one that is as wanted; those before it are passed over.
  DiscoveryRequest NextRequest(const std::function<bool(const DiscoveryRequest&)>& wanted);
  // All that came so far, returned or not.
  std::vector<DiscoveryRequest> Requests() const;

  // A message, of any bytes.
  void Send(std::string message);
  // Ends the call, after what was sent before.
  void Finish(const absl::Status& status);
  // From the next message on the server does not read: the client's messages pile up at its side.
  void StopReading();

  // Until the client ended the call or its connection broke.
  void WaitUntilClosed();

 private:
  std::shared_ptr<State> state_;
};

class ScriptedAdsServer {
 public:
  // PEM. Without a certificate the server speaks plain text.
  struct Options {
    std::string certificate;
    std::string private_key;
  };

  explicit ScriptedAdsServer(Options options);
  ScriptedAdsServer() : ScriptedAdsServer(Options()) {}
  ~ScriptedAdsServer();
  ScriptedAdsServer(const ScriptedAdsServer&) = delete;
  ScriptedAdsServer& operator=(const ScriptedAdsServer&) = delete;

  // "127.0.0.1:40123". Nobody else gets this port while the object lives, also not while the server
  // is dead.
  const std::string& address() const;

  // The next stream that was not returned yet.
  std::shared_ptr<ScriptedStream> NextStream();

  void Kill();
  // REQUIRES: it was killed.
  void Restart();

 private:
  class NewStreams;
  class Life;

  const Options options_;
  const std::unique_ptr<ReservedPort> port_;
  const std::unique_ptr<NewStreams> streams_;
  std::unique_ptr<Life> life_;  // null: it is dead
};

}  // namespace holdfast
