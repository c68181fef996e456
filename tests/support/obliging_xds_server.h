// An xDS server that serves what a test puts into it, to whoever asks, and lets the test say what
// no server should: a real gRPC server on loopback, state of the world.
//
//   ObligingXdsServer xds;
//   xds.Put("cds", "pay", ClusterBytes("pay"));
//   ... a client subscribes to cluster "pay" and has it ...
//   xds.Put("cds", "pay", BadClusterBytes("pay"));
//   xds.WaitForNack("cds");
//   xds.PutError("eds", "pay", 7, "ask #payments");   // TP3
//   xds.Kill();                                       // connections break, new ones are refused
//   xds.Restart();
//
// TYPE is "lds", "rds", "cds" or "eds". Every change goes at once, as a new version, to the streams
// that asked for one of that type. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace holdfast {

class ObligingXdsServer {
 public:
  ObligingXdsServer();
  ~ObligingXdsServer();
  ObligingXdsServer(const ObligingXdsServer&) = delete;
  ObligingXdsServer& operator=(const ObligingXdsServer&) = delete;

  // "127.0.0.1:40123", also while it is dead.
  const std::string& address() const;

  // Takes the place of an error of that name.
  void Put(absl::string_view type, const std::string& name, std::string bytes);
  // Takes the place of a resource of that name.
  void PutError(absl::string_view type, const std::string& name, int32_t code, std::string message);
  void Remove(absl::string_view type, const std::string& name);
  // Between these, changes are collected; then they go out, one response a type.
  void Hold();
  void LetGo();

  // To every stream: a response of a type that nobody knows; bytes that are no response.
  void SendUnknownType();
  void SendGarbage();

  // Until a client rejected the newest version of that type; its words.
  std::string WaitForNack(absl::string_view type);
  // Until a client accepted the newest version of that type.
  void WaitForAck(absl::string_view type);
  // Until a client asks for this name.
  void WaitForSubscription(absl::string_view type, const std::string& name);

  // Every stream ends with this status, also those to come, before any response.
  void RefuseStreams(const absl::Status& status);
  void AcceptStreams();

  void Kill();
  // REQUIRES: it was killed.
  void Restart();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace holdfast
