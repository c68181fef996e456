// The world of the demo as it is: a directory, a control plane and backends, which do what a World
// says, and the clients of both kinds.
//
// Not thread-safe. When it ends, nothing of it is left: no process, no file.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "demo/backend.h"
#include "demo/child_process.h"
#include "demo/reserved_port.h"
#include "demo/story/world.h"

namespace holdfast {

enum class Kind { kHoldfast, kStock };

class Stage {
 public:
  // All is up, and serves the World of no trouble. An error says what could not be started.
  static absl::StatusOr<std::unique_ptr<Stage>> Open();
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const std::string& control_plane_address() const { return port_.address(); }
  std::vector<std::string> backend_addresses() const;

  // Makes it so: files, then the control plane, then the backends.
  absl::Status Become(const World& world);
  // ABORTED if a process that has to be there is gone.
  absl::Status IsAlive();

  // A client of `target`; see caller.h.
  std::unique_ptr<ChildProcess> StartCaller(Kind kind, absl::string_view target, bool calls_once);

 private:
  explicit Stage(std::filesystem::path directory) : directory_(std::move(directory)) {}

  absl::Status WriteFiles(const World& world);
  absl::Status StartControlPlane();

  const std::filesystem::path directory_;
  const ReservedPort port_;
  std::array<Backend, 3> backends_;
  std::unique_ptr<ChildProcess> control_plane_;
};

}  // namespace holdfast
