// The client protocol itself, state of the world, with watchers that remember what they were told.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "client/protocol/protocol.h"
#include "tests/simulation/joint/joint_client.h"
#include "tests/simulation/joint/joint_server.h"

namespace holdfast {

class SotwJointClient final : public JointClient {
 public:
  SotwJointClient(uint64_t seed, bool fail_on_data_errors, Chance& chance, JointServer& server,
                  Findings& findings);

  void ChangeInterest(absl::Time now) override;
  bool Pass(absl::Time now) override;
  void LoseStream(absl::Time now) override;
  std::optional<absl::Time> NextWake() const override;
  void Wake(absl::Time now) override;
  std::string Ignorance() const override;

 private:
  struct Watcher {
    int type;
    int name;
    std::optional<int> content;
    SharedError error;
  };

  void Tell(absl::Time now, const Event& event);
  void Do(absl::Time now, const Effect& effect);
  bool DeliverResponse(absl::Time now);
  void StreamIsGone();

  Chance& chance_;
  JointServer& server_;
  Findings& findings_;
  Protocol protocol_;

  std::map<WatchId, Watcher> watchers_;
  uint64_t last_watch_ = 0;
  std::map<TimerId, absl::Time> timers_;

  StreamId stream_;             // not set: none
  uint64_t server_stream_ = 0;  // 0: the server cannot be reached
  std::optional<DiscoveryRequest> in_flight_;
  std::deque<DiscoveryRequest> to_server_;
  bool is_reading_ = false;
  bool calls_watchers_ = false;  // in this step
  bool waits_for_watchers_ = false;
};

}  // namespace holdfast
