// A client of a control plane that does what a test says: ADS streams over a real connection, state
// of the world and delta, good and bad.
//
//   AdsTestClient client(address);
//   auto stream = client.OpenSotw();
//   stream->Ask(kClusterTypeName, {"pay"});
//   AdsAnswer answer = stream->Next();
//   stream->Ack(answer);
//
// It reads only when a test says Next(), so a test that does not is a client that does not read.
// All waiting is bounded: what does not come within kPatience fails the test. Not thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "control/session/session_types.h"
#include "xds/discovery.h"

namespace grpc {
class Channel;
}

namespace holdfast {

// A response, all of it copied.
struct AdsAnswer {
  std::string type;  // without prefix
  std::string version;
  std::string nonce;
  std::string control_plane;
  std::map<std::string, std::string> resources;  // name -> body
  std::vector<std::string> removed;
  std::map<std::string, std::pair<int, std::string>> errors;  // name -> code, message
};

class AdsTestStream {
 public:
  ~AdsTestStream();
  AdsTestStream(const AdsTestStream&) = delete;
  AdsTestStream& operator=(const AdsTestStream&) = delete;

  // SotW: these are the names of the type from now on. Delta: they are added.
  void Ask(absl::string_view type, std::vector<std::string> names);
  void Ack(const AdsAnswer& answer);
  void Nack(const AdsAnswer& answer, absl::string_view why);
  // Any bytes.
  void Send(const std::string& message);

  // Fails the test if the stream ends instead.
  AdsAnswer Next();
  // Passes over all answers until this one.
  AdsAnswer NextWhere(const std::function<bool(const AdsAnswer&)>& wanted);
  // How the server ended the stream; passes over what it said before.
  absl::Status End();

 private:
  friend class AdsTestClient;
  struct State;
  explicit AdsTestStream(std::unique_ptr<State> state);
  void Answer(const AdsAnswer& answer, const WireStatus* error);

  const std::unique_ptr<State> state_;
};

class AdsTestClient {
 public:
  // A connection of its own, without encryption. Responses may have so many bytes; -1: any number.
  explicit AdsTestClient(const std::string& address, std::string node_id = "web-1",
                         int most_bytes = -1);

  std::unique_ptr<AdsTestStream> OpenSotw();
  std::unique_ptr<AdsTestStream> OpenDelta();

 private:
  std::unique_ptr<AdsTestStream> Open(Variant variant);

  const std::string node_id_;
  const std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace holdfast
