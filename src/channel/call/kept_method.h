// The method of a call, for as long as somebody keeps it.
#pragma once

#include <grpcpp/impl/rpc_method.h>

#include <string>

namespace holdfast {

class KeptMethod final {
 public:
  explicit KeptMethod(const grpc::internal::RpcMethod& method)
      : name_(method.channel_tag() == nullptr ? method.name() : ""),
        method_(method.channel_tag() != nullptr
                    ? method
                    : grpc::internal::RpcMethod(name_.c_str(), method.suffix_for_stats(),
                                                method.method_type())) {}
  KeptMethod(const KeptMethod&) = delete;
  KeptMethod& operator=(const KeptMethod&) = delete;

  const grpc::internal::RpcMethod& operator*() const { return method_; }

 private:
  // With a handle comes a name as constant as generated code. Without one it may live no longer
  // than whoever made the call.
  const std::string name_;
  const grpc::internal::RpcMethod method_;
};

}  // namespace holdfast
