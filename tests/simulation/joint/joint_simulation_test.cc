// Control sessions and clients together, over a network that loses what it likes: random commits,
// errors and restarts, and parts of the configuration that nobody can read. Every response is
// checked as it is sent; when the faults stop, every client must come to know the newest commit,
// and then nothing more may happen.
//
// A failure prints the seed: HOLDFAST_SIM_SEED=17 ./dev test -R JointSimulation
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/simulation/joint/delta_joint_client.h"
#include "tests/simulation/joint/sotw_joint_client.h"
#include "tests/simulation/joint/wildcard_joint_client.h"

namespace holdfast {
namespace {

constexpr int kRounds = 3;
constexpr int kStormSteps = 300;
constexpr int kMostCalmSteps = 5000;

SessionOptions OptionsOf(Chance& chance) {
  SessionOptions options;
  options.tp3 = static_cast<Tp3Mode>(chance.Below(3));
  // Small enough that delta responses are split now and then.
  if (chance.OneIn(2)) options.split_bytes = 100;
  return options;
}

class JointSimulation {
 public:
  explicit JointSimulation(uint64_t seed)
      : chance_(seed), server_(chance_, OptionsOf(chance_), findings_) {
    const int clients = 1 + chance_.Below(3);
    for (int i = 0; i < clients; ++i) {
      if (chance_.OneIn(4)) {
        clients_.push_back(std::make_unique<WildcardJointClient>(chance_, server_, findings_));
      } else if (chance_.OneIn(2)) {
        clients_.push_back(std::make_unique<SotwJointClient>(
            seed + static_cast<uint64_t>(i), chance_.OneIn(2), chance_, server_, findings_));
      } else {
        clients_.push_back(std::make_unique<DeltaJointClient>(chance_, server_, findings_));
      }
    }
    lost_stream_ = chance_.OneIn(3) ? 0 : 60;
    restart_ = chance_.OneIn(3) ? 0 : 150;
  }

  void Run() {
    for (int round = 0; round < kRounds && findings_.ok(); ++round) {
      for (int i = 0; i < kStormSteps && findings_.ok(); ++i) StormStep();
      Calm();
    }
  }

  const Findings& findings() const { return findings_; }
  size_t steps() const { return steps_; }

 private:
  JointClient& AnyClient() {
    return *clients_[static_cast<size_t>(chance_.Below(static_cast<int>(clients_.size())))];
  }

  void StormStep() {
    ++steps_;
    if (!chance_.OneIn(3)) now_ += absl::Microseconds(1 << chance_.Below(18));
    if (chance_.OneIn(restart_)) server_.Restart();
    if (chance_.OneIn(lost_stream_)) AnyClient().LoseStream(now_);
    const int dice = chance_.Below(100);
    if (dice < 8) {
      AnyClient().ChangeInterest(now_);
    } else if (dice < 16 && server_.view().is_synced) {
      server_.ChangeSomething(now_);
    } else if (dice < 20) {
      server_.BecomeSynced(now_);
    } else if (dice < 26) {
      WakeSomebody();
    } else if (dice < 27) {
      // Nothing comes or goes for a while on the wire of this one, which is still connected.
      pauses_[&AnyClient()] = steps_ + static_cast<size_t>(chance_.Below(150));
    } else {
      JointClient& client = AnyClient();
      if (steps_ >= pauses_[&client]) client.Pass(now_);
    }
  }

  // The next one who wants to, whenever that is. False: nobody does.
  bool WakeSomebody() {
    JointClient* next = nullptr;
    for (const auto& client : clients_) {
      if (!client->NextWake().has_value()) continue;
      if (next == nullptr || *client->NextWake() < *next->NextWake()) next = client.get();
    }
    if (next == nullptr) return false;
    now_ = std::max(now_, *next->NextWake());
    next->Wake(now_);
    return true;
  }

  void Calm() {
    while (!server_.is_up() || !server_.view().is_synced) server_.BecomeSynced(now_);
    server_.ReadAll(now_);
    for (int i = 0; findings_.ok(); ++i) {
      ++steps_;
      bool is_anything_left = false;
      for (const auto& client : clients_) is_anything_left |= client->Pass(now_);
      if (!is_anything_left && !WakeSomebody()) break;
      if (i == kMostCalmSteps) findings_.Add("there are no faults, and it does not come to rest");
    }
    for (const auto& client : clients_) {
      const std::string ignorance = client->Ignorance();
      if (!ignorance.empty()) findings_.Add(absl::StrCat("in the end, ", ignorance));
    }
  }

  Chance chance_;
  Findings findings_;
  JointServer server_;
  std::vector<std::unique_ptr<JointClient>> clients_;
  absl::Time now_ = absl::UnixEpoch() + absl::Hours(1);
  int lost_stream_ = 0;
  int restart_ = 0;
  size_t steps_ = 0;
  std::map<JointClient*, size_t> pauses_;  // until which step
};

uint64_t FromEnvironment(const char* variable, uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// R2.33, R2.39, R1.15, R1.41
TEST(JointSimulationTest, EverybodyComesToKnowTheNewestCommit) {
  const uint64_t chosen = FromEnvironment("HOLDFAST_SIM_SEED", 0);
  const size_t enough = FromEnvironment("HOLDFAST_SIM_EVENTS", HOLDFAST_SIM_EVENTS);
  size_t steps = 0;
  for (uint64_t seed = chosen != 0 ? chosen : 1; steps < enough; ++seed) {
    JointSimulation simulation(seed);
    simulation.Run();
    steps += simulation.steps();
    ASSERT_TRUE(simulation.findings().ok())
        << "HOLDFAST_SIM_SEED=" << seed << ", after step " << simulation.steps() << ": "
        << simulation.findings().first();
    if (chosen != 0) return;
  }
}

}  // namespace
}  // namespace holdfast
