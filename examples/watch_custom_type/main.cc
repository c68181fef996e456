// A client for a type of resource of your own: say what its name is on the wire and how its bytes
// become a value, or why they do not.
//
//   $ export GRPC_XDS_BOOTSTRAP=../client/bootstrap.json
//   $ ./watch_custom_type
//   100 requests a second
//   still that: requests_per_second: must be above 0
//   250 requests a second
//
// while examples/control_plane is told 100, 0 and 250. The 0 is rejected (NACK); what was good
// stays in use. Ends with its input.
#include <holdfast/xds/client.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "quota.pb.h"

struct Quota {
  uint32_t requests_per_second;
  friend bool operator==(const Quota& a, const Quota& b) {
    return a.requests_per_second == b.requests_per_second;
  }
};

class QuotaType : public holdfast::ResourceType<Quota> {
  std::string type_name() const override { return "acme.config.v1.Quota"; }
  absl::StatusOr<Quota> Decode(absl::string_view bytes) const override {
    acme::config::v1::Quota quota;
    if (!quota.ParseFromString(std::string(bytes))) return absl::InvalidArgumentError("no Quota");
    if (quota.requests_per_second() == 0) {
      return absl::InvalidArgumentError("requests_per_second: must be above 0");
    }
    return Quota{quota.requests_per_second()};
  }
};

class Printer : public holdfast::Watcher<Quota> {
  void OnResourceChanged(absl::StatusOr<std::shared_ptr<const Quota>> quota) override {
    if (quota.ok()) {
      std::cout << (*quota)->requests_per_second << " requests a second" << std::endl;
    } else {
      std::cout << "nothing to use: " << quota.status().message() << std::endl;
    }
  }
  void OnAmbientError(absl::Status status) override {
    if (const auto detail = holdfast::DetailOf(status)) {
      std::cout << "still that: " << detail->text << std::endl;
    }
  }
};

int main() {
  static const QuotaType quota_type;
  const auto bootstrap = holdfast::Bootstrap::FromEnvironment().value();
  const auto client = holdfast::XdsClient::Create(bootstrap).value();
  const auto watch = client->StartWatch(quota_type, "team-web", std::make_shared<Printer>());
  std::cin.get();
}
