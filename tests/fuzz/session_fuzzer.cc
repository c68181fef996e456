// One session of the control plane, both variants, told anything in any order: requests, commits,
// writes that end and time that passes. Each byte is an event or says more about it; whatever
// comes, what the session sends must keep the rules that no client can bend.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "control/session/session.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  bool AreLeft() const { return at_ < size_; }
  // 0 when there are none.
  uint8_t Next() { return AreLeft() ? data_[at_++] : 0; }
  size_t Below(size_t limit) { return Next() % limit; }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

const absl::string_view kTypes[] = {kClusterTypeName, kEndpointsTypeName, kListenerTypeName,
                                    kRouteConfigTypeName};

std::string NameOf(Bytes& bytes, absl::string_view type) {
  switch (const size_t which = bytes.Below(12)) {
    case 0:
      return "*";
    case 1:
      return "";
    case 2:
      return absl::StrCat("xdstp://x/", type, "/eu/*");
    case 3:
      return absl::StrCat("xdstp://x/", type, "/*");
    case 4:
      return absl::StrCat("xdstp://x/", type, "/eu/paris");
    case 5:
      return absl::StrCat("xdstp://x/", type, "/oslo");
    case 6:
      return "xdstp://x/another.Type/eu/paris";
    default:
      return absl::StrCat("city-", which);
  }
}

std::vector<std::string> NamesOf(Bytes& bytes, absl::string_view type) {
  std::vector<std::string> names;
  for (size_t count = bytes.Below(5); count > 0; --count) names.push_back(NameOf(bytes, type));
  return names;
}

class World {
 public:
  World(Variant variant, Bytes& bytes)
      : variant_(variant), bytes_(bytes), session_(variant, OptionsOf(bytes), view_, "peer") {}

  void Run() {
    while (bytes_.AreLeft()) {
      switch (bytes_.Below(8)) {
        case 0:
        case 1:
        case 2:
          Request();
          break;
        case 3:
        case 4:
          Commit();
          break;
        case 5:
        case 6:
          if (is_writing_) {
            is_writing_ = false;
            Tell(WriteDone{});
          }
          break;
        default:
          Pass();
          break;
      }
    }
    Settle();
    Tell(ClientLeft{});
    HOLDFAST_CHECK(followed_.empty());
    for (const auto& [type, count] : outstanding_) HOLDFAST_CHECK(count == 0);
  }

 private:
  static SessionOptions OptionsOf(Bytes& bytes) {
    SessionOptions options;
    options.tp3 = static_cast<Tp3Mode>(bytes.Below(3));
    if (bytes.Below(2) == 1) options.split_bytes = 400;
    if (bytes.Below(4) == 1) options.most_names = 4;
    return options;
  }

  void Request() {
    const std::string type(kTypes[bytes_.Below(std::size(kTypes))]);
    Node node;
    if (bytes_.Below(2) == 1) {
      node.client_features = {"xds.config.supports-resource-ttl", "xds.config.resource-in-sotw"};
    }
    const std::string nonce = absl::StrCat(bytes_.Below(8));
    std::optional<WireStatus> error;
    if (bytes_.Below(4) == 1) error = WireStatus{3, "no"};
    if (variant_ == Variant::kSotw) {
      DiscoveryRequest request{.node = node,
                               .resource_names = NamesOf(bytes_, type),
                               .type_url = absl::StrCat(kTypeUrlPrefix, type),
                               .response_nonce = bytes_.Below(2) == 1 ? newest_[type] : nonce,
                               .error_detail = error};
      if (bytes_.Below(2) == 1) request.version_info = "before";
      Tell(RequestReceived{request});
    } else {
      DeltaDiscoveryRequest request{.node = node,
                                    .type_url = absl::StrCat(kTypeUrlPrefix, type),
                                    .subscribe = NamesOf(bytes_, type),
                                    .unsubscribe = NamesOf(bytes_, type),
                                    .response_nonce = nonce,
                                    .error_detail = error};
      for (const std::string& name : NamesOf(bytes_, type)) {
        const ResourcePtr* const found = view_->Of(type)->Find(name);
        request.initial_resource_versions[name] =
            found != nullptr && bytes_.Below(2) == 1 ? (*found)->version() : "another";
      }
      Tell(DeltaRequestReceived{request});
    }
  }

  void Commit() {
    for (size_t count = bytes_.Below(4); count > 0; --count) Change();
    const size_t what = bytes_.Below(8);
    contents_.is_synced |= what % 2 == 1;
    if (what == 2) contents_.never_read = "\"b.yaml\"";
    if (what == 4) contents_.never_read.clear();
    const ViewPtr before = std::exchange(view_, NextView(*view_, contents_));
    const auto changes = std::make_shared<const Changes>(ChangesBetween(*before, *view_));
    if (changes->empty() && before->is_synced == view_->is_synced &&
        before->never_read == view_->never_read) {
      session_.Renew(view_);
    } else {
      Tell(ViewChanged{view_, changes});
    }
  }

  void Change() {
    const std::string type(kTypes[bytes_.Below(std::size(kTypes))]);
    const std::string name = NameOf(bytes_, type);
    if (name.empty()) return;
    const ResourceKey key{type, name};
    std::erase_if(contents_.resources, [&](const ResourcePtr& one) { return one->key() == key; });
    contents_.errors.erase(key);
    const size_t what = bytes_.Below(8);
    if (what == 0) return;
    if (what <= 2) contents_.errors[key] = MakeNameError(what == 1 ? 5 : 13, "as configured");
    if (what == 2 || name == "*") return;  // no resource is called so
    std::optional<absl::Duration> ttl;
    if (what == 3) ttl = absl::Seconds(10);
    std::vector<ResourceKey> children;
    if (type == kClusterTypeName) children = {{std::string(kEndpointsTypeName), name}};
    contents_.resources.push_back(std::make_shared<const Resource>(
        type, name, std::string(1 + bytes_.Below(4) * 60, 'x'), ttl, children));
  }

  void Pass() {
    now_ += absl::Milliseconds(50) * static_cast<int>(bytes_.Below(64));
    if (alarm_ <= now_) {
      alarm_ = absl::InfiniteFuture();
      Tell(TimeReached{});
    }
  }

  // A session that is left alone becomes quiet.
  void Settle() {
    for (int round = 0; is_writing_; ++round) {
      HOLDFAST_CHECK(round < 500);
      is_writing_ = false;
      Tell(WriteDone{});
    }
  }

  void Tell(const SessionEvent& event) {
    responses_ = 0;
    for (const SessionEffect& effect : session_.Handle(now_, event)) {
      std::visit([this](const auto& one) { See(one); }, effect);
    }
    HOLDFAST_CHECK(responses_ <= 1);
  }

  void See(const SendResponse& response) {
    HOLDFAST_CHECK(!is_writing_ && !has_ended_);
    is_writing_ = true;
    ++responses_;
    newest_[response.type] = response.nonce;
    const std::vector<ResourcePtr> resources = ResourcesIn(response);
    HOLDFAST_CHECK(response.all == nullptr || response.resources.empty());
    std::set<std::string> said;
    for (const ResourcePtr& one : resources) {
      HOLDFAST_CHECK(one->type() == response.type && said.insert(one->name()).second);
    }
    std::set<std::string> wrong;
    for (const auto& [name, error] : response.errors) {
      HOLDFAST_CHECK(!name.empty() && name != "*" && error.code != 0);
      HOLDFAST_CHECK(!said.contains(name) && wrong.insert(name).second);
      HOLDFAST_CHECK(IsAskedFor(response.type, name));
      HOLDFAST_CHECK(!absl::StartsWith(name, "xdstp://x/another.Type"));
    }
    std::set<std::string> removed;
    for (const std::string& name : response.removed) {
      HOLDFAST_CHECK(variant_ == Variant::kDelta && name != "*" && !name.empty());
      HOLDFAST_CHECK(!said.contains(name) && removed.insert(name).second);
      HOLDFAST_CHECK(view_->is_synced || view_->Of(response.type)->FindError(name) != nullptr);
    }
    if (variant_ == Variant::kSotw && IsFullStateType(response.type) && !view_->is_synced) {
      HOLDFAST_CHECK(!resources.empty() ||
                     (!wrong.empty() && !followed_.contains({response.type, "*"})));
    }
  }

  // By name, or as a member of a glob.
  bool IsAskedFor(const std::string& type, const std::string& name) const {
    if (followed_.contains({type, name})) return true;
    if (variant_ == Variant::kSotw) return false;
    const std::string top = absl::StrCat("xdstp://x/", type, "/");
    if (!absl::StartsWith(name, top)) return false;
    const bool is_in_eu = absl::StartsWith(name, top + "eu/");
    return followed_.contains({type, is_in_eu ? top + "eu/*" : top + "*"});
  }

  void See(const Follow& follow) {
    HOLDFAST_CHECK(followed_.insert({follow.type, follow.name}).second);
  }
  void See(const Unfollow& unfollow) {
    // A stream that ends at a limit lets go also of what it never held.
    HOLDFAST_CHECK(followed_.erase({unfollow.type, unfollow.name}) == 1 || has_ended_);
  }
  void See(const WakeAt& wake) {
    HOLDFAST_CHECK(wake.time >= now_);
    alarm_ = wake.time;
  }
  void See(const EndStream&) { has_ended_ = true; }
  void See(const ErrorsOutstanding& errors) {
    outstanding_[errors.type] += errors.by;
    HOLDFAST_CHECK(errors.by != 0 && outstanding_[errors.type] >= 0);
  }
  void See(const CountSession&) {}
  void See(const LogLine&) {}

  const Variant variant_;
  Bytes& bytes_;
  Contents contents_;
  ViewPtr view_ = std::make_shared<View>();
  Session session_;
  absl::Time now_ = absl::UnixEpoch();
  absl::Time alarm_ = absl::InfiniteFuture();
  bool is_writing_ = false;
  bool has_ended_ = false;
  int responses_ = 0;
  std::map<std::string, std::string> newest_;
  std::set<std::pair<std::string, std::string>> followed_;
  std::map<std::string, int64_t> outstanding_;
};

}  // namespace
}  // namespace holdfast

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const holdfast::Variant variant : {holdfast::Variant::kSotw, holdfast::Variant::kDelta}) {
    holdfast::Bytes bytes(data, size);
    holdfast::World(variant, bytes).Run();
  }
  return 0;
}
