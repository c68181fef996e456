// A delta client as the specs have it, written for the simulation: asks for names, a collection and
// everything, rejects bad contents, comes back with the versions it has.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "tests/simulation/chance.h"
#include "tests/simulation/findings.h"
#include "tests/simulation/joint/joint_client.h"
#include "tests/simulation/joint/joint_server.h"
#include "tests/simulation/joint/joint_world.h"
#include "xds/discovery.h"

namespace holdfast {

class DeltaJointClient final : public JointClient {
 public:
  DeltaJointClient(Chance& chance, JointServer& server, Findings& findings)
      : chance_(chance), server_(server), findings_(findings) {}

  void ChangeInterest(absl::Time now) override;
  bool Pass(absl::Time now) override;
  void LoseStream(absl::Time now) override;
  std::optional<absl::Time> NextWake() const override;
  void Wake(absl::Time now) override;
  std::string Ignorance() const override;

 private:
  struct Known {
    std::string version;  // of what it uses; empty: nothing
    std::string rejected;
    bool is_absent = false;
    int error = 0;
  };
  struct Type {
    bool is_wildcard = false;
    bool has_glob = false;
    std::set<std::string> names;
    std::map<std::string, Known> known;
  };

  void Connect();
  void Ask(int type, std::vector<std::string> subscribe, std::vector<std::string> unsubscribe);
  void Receive(const std::string& message);
  bool Wants(const Type& type, const std::string& name) const {
    return type.is_wildcard || HearsErrors(type, name);
  }
  bool HearsErrors(const Type& type, const std::string& name) const {
    return type.names.contains(name) || (type.has_glob && IsJointMember(name));
  }

  Chance& chance_;
  JointServer& server_;
  Findings& findings_;
  std::map<int, Type> types_;
  bool was_connected_ = false;
  uint64_t stream_ = 0;
  std::deque<DeltaDiscoveryRequest> to_server_;
};

}  // namespace holdfast
