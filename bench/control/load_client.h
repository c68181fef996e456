// Many ADS streams that do what clients do, as cheaply as a client can: they ask once, and answer
// each response. Nothing of a response is read but its version and nonce.
//
//   LoadClient client({.address = address, .variant = Variant::kDelta, .streams = 1000, …});
//   client.AwaitResponses(1000);
//
// A thread of its own serves all streams. Whatever fails, or does not come in time, ends the
// process. Thread-safe.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "control/session/session_types.h"

namespace grpc {
class Channel;
}

namespace holdfast {

// The node of a request that asks for something; those that only answer have none.
inline constexpr char kAskingNode[] = "bench-of-the-control-plane";

// A connection of its own, without encryption and without a limit on what it receives.
std::shared_ptr<grpc::Channel> ConnectTo(const std::string& address);
// Of ADS.
const char* MethodOf(Variant variant);
// Asks for these names, or with none for everything.
grpc::ByteBuffer AskFor(Variant variant, const std::string& type_url,
                        const std::vector<std::string>& names,
                        const std::string& node = kAskingNode);
// Of a client with LoadOptions::has_own_nodes.
std::string NodeOfStream(int stream);

struct LoadOptions {
  std::string address;
  Variant variant = Variant::kSotw;
  std::string type_url;
  int streams = 0;
  int streams_per_connection = 10;
  // What the stream of this number asks for; null, or no names: everything.
  std::function<std::vector<std::string>(int stream)> names_of;
  bool has_own_nodes = false;  // each stream is a client of its own; else all are one
};

class LoadClient {
 public:
  explicit LoadClient(LoadOptions options);
  // Ends all streams.
  ~LoadClient();
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;

  // So many have come since the start, and their answers were sent.
  void AwaitResponses(int64_t count) const;
  int64_t responses() const;
  int64_t bytes() const;
  // When the newest response came.
  absl::Time newest() const;

  // Responses are rejected from now on.
  void Reject();

 private:
  class State;
  const std::unique_ptr<State> state_;
};

}  // namespace holdfast
