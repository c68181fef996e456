// A SotW client of everything, as Envoy is: asks for all clusters and all listeners, takes what a
// response leaves out for deleted, and rejects bad contents.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "tests/simulation/chance.h"
#include "tests/simulation/findings.h"
#include "tests/simulation/joint/joint_client.h"
#include "tests/simulation/joint/joint_server.h"
#include "xds/discovery.h"

namespace holdfast {

class WildcardJointClient final : public JointClient {
 public:
  WildcardJointClient(Chance& chance, JointServer& server, Findings& findings)
      : chance_(chance), server_(server), findings_(findings) {}

  // It begins to ask for a type, or asks for it with "*" from now on.
  void ChangeInterest(absl::Time now) override;
  bool Pass(absl::Time now) override;
  void LoseStream(absl::Time now) override;
  std::optional<absl::Time> NextWake() const override;
  void Wake(absl::Time now) override;
  std::string Ignorance() const override;

 private:
  struct Type {
    bool is_explicit = false;             // with "*"
    std::string version;                  // of what it accepted last, over streams
    std::string nonce;                    // on this stream
    std::map<std::string, int> contents;  // what it uses, by name
  };

  DiscoveryRequest Request(int number, const Type& type) const;
  void Connect();
  void Receive(const std::string& message);

  Chance& chance_;
  JointServer& server_;
  Findings& findings_;
  std::map<int, Type> types_;
  uint64_t stream_ = 0;
  std::deque<DiscoveryRequest> to_server_;
};

}  // namespace holdfast
