// A control plane on a gRPC server of its own, for tests to talk to.
#pragma once

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "holdfast/control/control_plane.h"
#include "tests/support/patience.h"
#include "tests/support/wire_bytes.h"
#include "xds/type_names.h"

namespace holdfast {

// A cluster, or endpoints, of that name, with something that tells one version from another.
inline std::string NamedBody(absl::string_view name, absl::string_view content) {
  return absl::StrCat(Field(1, name), Field(1000, content));
}

inline OpaqueResource Named(absl::string_view type, absl::string_view name,
                            absl::string_view content) {
  OpaqueResource resource;
  resource.type_url = std::string(type);
  resource.name = std::string(name);
  resource.body = NamedBody(name, content);
  return resource;
}

class ControlUnderTest {
 public:
  explicit ControlUnderTest(ControlPlaneOptions options = {}) {
    auto plane = ControlPlane::Create(std::move(options));
    EXPECT_TRUE(plane.ok()) << plane.status();
    plane_ = *std::move(plane);
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    plane_->Register(&builder);
    server_ = builder.BuildAndStart();
    EXPECT_NE(server_, nullptr);
    address_ = absl::StrCat("127.0.0.1:", port);
  }

  ~ControlUnderTest() {
    if (plane_ != nullptr) plane_->Drain();
    server_->Shutdown();
  }

  ControlPlane& plane() { return *plane_; }
  const std::string& address() const { return address_; }

  CommitId Commit(Transaction change) {
    const absl::StatusOr<CommitId> commit = plane_->Commit(std::move(change));
    EXPECT_TRUE(commit.ok()) << commit.status();
    return commit.value_or(CommitId{});
  }
  CommitId Put(absl::string_view type, absl::string_view name, absl::string_view content) {
    Transaction change;
    change.Put(Named(type, name, content));
    return Commit(std::move(change));
  }

  void DestroyPlaneFirst() { plane_.reset(); }

 private:
  std::unique_ptr<ControlPlane> plane_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace holdfast
