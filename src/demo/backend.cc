#include "demo/backend.h"

#include <grpcpp/grpcpp.h>

#include "absl/strings/str_cat.h"

namespace holdfast {

Backend::Backend() = default;

Backend::~Backend() { Kill(); }

absl::Status Backend::Start() {
  if (server_ != nullptr) return absl::OkStatus();
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.RegisterService(&health_);
  server_ = builder.BuildAndStart();
  if (server_ != nullptr) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("a backend cannot listen on ", address()));
}

void Backend::Kill() {
  // Who has a call is cut off.
  if (server_ != nullptr) server_->Shutdown(gpr_inf_past(GPR_CLOCK_MONOTONIC));
  server_.reset();
}

}  // namespace holdfast
