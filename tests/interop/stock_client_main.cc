// Debian's own gRPC as an xDS client: health checks through "xds:///", one for each line of input.
//
//   stock_client        # GRPC_XDS_BOOTSTRAP_CONFIG says where the control plane is
//   call xds:///web 5
//   {"code":0,"text":"","peer":"ipv4:127.0.0.1:9001","seconds":0.004}
//
// One channel a target. While nobody calls, a thread keeps polling for the channel: this version of
// gRPC reads from its control plane only then.
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/json_text.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace holdfast {
namespace {

using Clock = std::chrono::steady_clock;

class PolledChannel {
 public:
  explicit PolledChannel(const std::string& target)
      : channel_(grpc::CreateChannel(target, grpc::InsecureChannelCredentials())),
        poller_([this] { Poll(); }) {}
  ~PolledChannel() {
    is_over_ = true;
    poller_.join();
  }

  std::string Call(double seconds) {
    const auto stub = grpc::health::v1::Health::NewStub(channel_);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000)));
    grpc::health::v1::HealthCheckResponse response;
    const auto start = Clock::now();
    const grpc::Status status = stub->Check(&context, {}, &response);
    const std::chrono::duration<double> spent = Clock::now() - start;
    return absl::StrCat("{\"code\":", static_cast<int>(status.error_code()),
                        ",\"text\":", JsonText(status.error_message()),
                        ",\"peer\":", JsonText(context.peer()), ",\"seconds\":", spent.count(),
                        "}");
  }

 private:
  void Poll() {
    while (!is_over_) {
      const grpc_connectivity_state state = channel_->GetState(true);
      channel_->WaitForStateChange(
          state, std::chrono::system_clock::now() + std::chrono::milliseconds(100));
    }
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::atomic<bool> is_over_ = false;
  std::thread poller_;
};

}  // namespace
}  // namespace holdfast

int main() {
  std::map<std::string, std::unique_ptr<holdfast::PolledChannel>> channels;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word;
    std::string target;
    double seconds = 0;
    words >> word >> target >> seconds;
    auto& channel = channels[target];
    if (channel == nullptr) channel = std::make_unique<holdfast::PolledChannel>(target);
    std::cout << channel->Call(seconds) << std::endl;
  }
}
