#include "demo/stage.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/outside_text.h"

namespace holdfast {
namespace {

namespace fs = std::filesystem;

// Far longer than it takes.
constexpr absl::Duration kPatience = absl::Seconds(20);

absl::Status WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("cannot write ", Quoted(path.string())));
}

// All at once, as an editor or a deployment does.
absl::Status ReplaceFile(const fs::path& path, const std::string& text) {
  const fs::path fresh = path.parent_path() / absl::StrCat(".", path.filename().string(), ".new");
  absl::Status status = WriteFile(fresh, text);
  std::error_code error;
  if (status.ok()) fs::rename(fresh, path, error);
  if (!error) return status;
  return absl::InternalError(
      absl::StrCat("cannot write ", Quoted(path.string()), ": ", error.message()));
}

std::string NodeOf(Kind kind) { return kind == Kind::kStock ? "stock-1" : "holdfast-1"; }

}  // namespace

absl::StatusOr<std::unique_ptr<Stage>> Stage::Open() {
  std::error_code error;
  std::string place = (fs::temp_directory_path(error) / "holdfast-demo.XXXXXX").string();
  if (error || ::mkdtemp(place.data()) == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make a directory ", Quoted(place)));
  }
  auto stage = std::unique_ptr<Stage>(new Stage(place));
  fs::create_directory(stage->directory_ / "config", error);
  for (const Kind kind : {Kind::kHoldfast, Kind::kStock}) {
    const absl::Status status =
        WriteFile(stage->directory_ / absl::StrCat(NodeOf(kind), ".json"),
                  BootstrapText(stage->control_plane_address(), NodeOf(kind)));
    if (!status.ok()) return status;
  }
  const absl::Status status = stage->Become(WorldIn(Mishap::kNone, stage->backend_addresses()));
  if (!status.ok()) return status;
  return stage;
}

Stage::~Stage() {
  control_plane_.reset();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

std::vector<std::string> Stage::backend_addresses() const {
  std::vector<std::string> addresses;
  for (const Backend& backend : backends_) addresses.push_back(backend.address());
  return addresses;
}

absl::Status Stage::Become(const World& world) {
  absl::Status status = WriteFiles(world);
  if (!world.has_control_plane) {
    control_plane_.reset();
  } else if (status.ok() && control_plane_ == nullptr) {
    status = StartControlPlane();
  }
  for (Backend& backend : backends_) {
    if (!world.has_backends) {
      backend.Kill();
    } else if (status.ok()) {
      status = backend.Start();
    }
  }
  return status;
}

absl::Status Stage::WriteFiles(const World& world) {
  const fs::path config = directory_ / "config";
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(config, error)) {
    const std::string name = entry.path().filename().string();
    if (absl::StartsWith(name, ".") || world.files.contains(name)) continue;
    std::error_code ignored;
    fs::remove(entry.path(), ignored);
  }
  if (error) return absl::InternalError(absl::StrCat("cannot read ", Quoted(config.string())));
  for (const auto& [name, text] : world.files) {
    if (absl::Status status = ReplaceFile(config / name, text); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Stage::StartControlPlane() {
  control_plane_ = std::make_unique<ChildProcess>(
      "the control plane",
      std::vector<std::string>{"serve", "--config", (directory_ / "config").string(), "--listen",
                               control_plane_address(), "--admin", "127.0.0.1:0"},
      ChildEnvironment(OurEnvironment(), {}));
  return control_plane_->ReadLine(kPatience).status();
}

absl::Status Stage::IsAlive() {
  if (control_plane_ == nullptr) return absl::OkStatus();
  // Nobody reads its log, but it must not have to wait for that.
  control_plane_->TakeLog();
  return control_plane_->IsAlive();
}

std::unique_ptr<ChildProcess> Stage::StartCaller(Kind kind, absl::string_view target,
                                                 bool calls_once) {
  std::vector<std::string> words = {"demo-caller", std::string(target)};
  if (kind == Kind::kStock) words.push_back("--stock");
  if (calls_once) words.push_back("--once");
  return std::make_unique<ChildProcess>(
      kind == Kind::kStock ? "the client of stock gRPC" : "the client of Holdfast", words,
      ChildEnvironment(OurEnvironment(),
                       {absl::StrCat("GRPC_XDS_BOOTSTRAP=",
                                     (directory_ / absl::StrCat(NodeOf(kind), ".json")).string()),
                        "GRPC_VERBOSITY=NONE", "HOLDFAST_LOG=warning"}));
}

}  // namespace holdfast
