#include "channel/call/create_channel.h"

#include <grpc/grpc.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "bootstrap/bootstrap.h"
#include "bootstrap/name_template.h"
#include "channel/call/channel_core.h"
#include "channel/call/data_plane_status.h"
#include "channel/call/xds_channel.h"
#include "channel/call/xds_credentials.h"
#include "client/client_registry.h"
#include "holdfast/xds/log.h"

namespace holdfast {
namespace {

// What a channel and its waiting calls hold. When the last of them is gone, so is the channel.
class CoreDirector final : public CallDirector {
 public:
  explicit CoreDirector(std::shared_ptr<ChannelCore> core) : core_(std::move(core)) {}
  ~CoreDirector() override { core_->Shutdown(); }

  Direction Direct(const RoutedCall& call, std::shared_ptr<WaitingPlace>& place) override {
    return core_->Direct(call, place);
  }
  uint64_t changes() const override { return core_->changes(); }
  void Wait(std::weak_ptr<WaitingCall> call, std::shared_ptr<WaitingPlace> place) override {
    core_->Wait(std::move(call), place);
  }

 private:
  const std::shared_ptr<ChannelCore> core_;
};

// Of a channel that can never work: nothing is worth waiting for.
class HopelessDirector final : public CallDirector {
 public:
  explicit HopelessDirector(const absl::Status& why)
      : status_(DataPlaneStatus(Door::kResolver, why)) {}

  Direction Direct(const RoutedCall&, std::shared_ptr<WaitingPlace>&) override {
    Direction direction;
    direction.kind = Direction::Kind::kDrop;
    direction.status = status_;
    return direction;
  }
  uint64_t changes() const override { return 0; }
  void Wait(std::weak_ptr<WaitingCall>, std::shared_ptr<WaitingPlace>) override {}

 private:
  const grpc::Status status_;
};

LogSink& LogOf(const ChannelOptions& options) {
  return options.log != nullptr ? *options.log : StderrLog();
}

std::shared_ptr<grpc::ChannelInterface> HopelessChannel(const std::string& target,
                                                        const absl::Status& why,
                                                        const ChannelOptions& options) {
  // Never the code of whoever said it (R11.40); and some have named the target already.
  const std::string where = absl::StrCat("target ", Quoted(target), ": ");
  const absl::Status failure =
      absl::UnavailableError(absl::StrCat(where, absl::StripPrefix(why.message(), where)));
  LogOf(options).Log(Severity::kError, "channel",
                     absl::StrCat(failure.message(), "; every call on it fails"));
  auto state = std::make_shared<ChannelState>([] {});
  state->Set(GRPC_CHANNEL_TRANSIENT_FAILURE);
  return std::make_shared<XdsChannel>(std::make_shared<HopelessDirector>(failure), std::move(state),
                                      options.interceptors);
}

absl::Status Check(const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
  if (credentials == nullptr) {
    return absl::InvalidArgumentError(
        "there are no channel credentials: pass grpc::InsecureChannelCredentials() or "
        "grpc::SslCredentials()");
  }
  if (AreXdsCredentials(*credentials)) {
    return absl::UnimplementedError(
        "XdsCredentials are not yet supported by this build: pass the credentials for the "
        "endpoints themselves, as grpc::SslCredentials()");
  }
  return absl::OkStatus();
}

// The authority of the calls: the user's, if there is one.
std::string AuthorityOf(const ChannelOptions& options, const TargetNames& names) {
  const grpc_channel_args all = options.arguments.c_channel_args();
  for (size_t i = 0; i < all.num_args; ++i) {
    const grpc_arg& argument = all.args[i];
    const bool is_authority = absl::string_view(argument.key) == GRPC_ARG_DEFAULT_AUTHORITY;
    if (is_authority && argument.type == GRPC_ARG_STRING) return argument.value.string;
  }
  return names.data_plane_authority;
}

}  // namespace

std::shared_ptr<grpc::ChannelInterface> CreateChannelOn(
    std::shared_ptr<XdsClient> client, const Bootstrap& bootstrap, const std::string& target,
    std::shared_ptr<grpc::ChannelCredentials> credentials, const ChannelOptions& options) {
  if (absl::Status status = Check(credentials); !status.ok()) {
    return HopelessChannel(target, status, options);
  }
  const BootstrapConfig& config = bootstrap.parsed().bootstrap;
  absl::StatusOr<TargetNames> names = NamesOfTarget(target, config);
  if (!names.ok()) return HopelessChannel(target, names.status(), options);

  // The state is there before the core, and asks it for connections later.
  const auto asked = std::make_shared<std::weak_ptr<ChannelCore>>();
  auto state = std::make_shared<ChannelState>([asked] {
    if (const auto core = asked->lock(); core != nullptr) core->Connect();
  });
  ChannelParts parts;
  parts.names = {.target = target,
                 .listener_name = names->listener,
                 .authority = AuthorityOf(options, *names),
                 .node_id = config.node.id};
  parts.client = std::move(client);
  parts.credentials = std::move(credentials);
  parts.options = options;
  parts.state = state;
  parts.log = &LogOf(options);
  auto core = std::make_shared<ChannelCore>(std::move(parts));
  ControlLoop::Shared().TellWhenStopped(core);
  *asked = core;
  return std::make_shared<XdsChannel>(std::make_shared<CoreDirector>(std::move(core)),
                                      std::move(state), options.interceptors);
}

std::shared_ptr<grpc::ChannelInterface> CreateChannel(
    const std::string& target, std::shared_ptr<grpc::ChannelCredentials> credentials,
    const ChannelOptions& options) {
  const absl::StatusOr<Bootstrap>& bootstrap = BootstrapOfTheProcess();
  if (!bootstrap.ok()) return HopelessChannel(target, bootstrap.status(), options);
  XdsClientOptions client_options;
  client_options.metrics = options.metrics;
  client_options.log = options.log;
  absl::StatusOr<std::shared_ptr<XdsClient>> client = SharedXdsClient(target, client_options);
  if (!client.ok()) return HopelessChannel(target, client.status(), options);
  return CreateChannelOn(*std::move(client), *bootstrap, target, std::move(credentials), options);
}

}  // namespace holdfast
