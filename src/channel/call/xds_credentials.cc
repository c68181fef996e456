#include "channel/call/xds_credentials.h"

#include <grpc/grpc_security.h>
#include <grpcpp/version_info.h>

#include <cstring>
#include <memory>
#include <typeinfo>

namespace holdfast {

#if GRPC_CPP_VERSION_MAJOR == 1 && GRPC_CPP_VERSION_MINOR == 51

namespace {

const void* PointerAt(const void* place) {
  const void* pointer = nullptr;
  std::memcpy(&pointer, place, sizeof(pointer));
  return pointer;
}

// What tells one class of gRPC's core credentials from another: their table of functions. REQUIRES:
// of the class that wraps core credentials, which has nothing but them after its base.
const void* ClassOfCoreCredentials(const grpc::ChannelCredentials& credentials) {
  const auto* object = reinterpret_cast<const char*>(&credentials);
  return PointerAt(PointerAt(object + sizeof(grpc::ChannelCredentials)));
}

}  // namespace

bool AreXdsCredentials(const grpc::ChannelCredentials& credentials) {
  static const auto& xds = *new std::shared_ptr<grpc::ChannelCredentials>(
      grpc::XdsCredentials(grpc::InsecureChannelCredentials()));
  return typeid(credentials) == typeid(*xds) &&
         ClassOfCoreCredentials(credentials) == ClassOfCoreCredentials(*xds);
}

#else

bool AreXdsCredentials(const grpc::ChannelCredentials&) { return false; }

#endif

}  // namespace holdfast
