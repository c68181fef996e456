#include "tests/simulation/joint/wildcard_joint_client.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/simulation/joint/joint_world.h"
#include "wire/envelope.h"
#include "xds/type_names.h"

namespace holdfast {

void WildcardJointClient::ChangeInterest(absl::Time) {
  const int number = chance_.Below(kJointTypes);
  if (!IsFullStateType(JointType(number).type_name())) return;
  Type& type = types_[number];
  // Back to no names at all would mean nothing at all, on this stream (R1.52).
  type.is_explicit |= chance_.OneIn(2);
  if (stream_ != 0) to_server_.push_back(Request(number, type));
}

DiscoveryRequest WildcardJointClient::Request(int number, const Type& type) const {
  DiscoveryRequest request;
  request.type_url = absl::StrCat(kTypeUrlPrefix, JointType(number).type_name());
  request.version_info = type.version;
  request.response_nonce = type.nonce;
  if (type.is_explicit) request.resource_names = std::vector<std::string>{"*"};
  return request;
}

void WildcardJointClient::Connect() {
  stream_ = server_.Open(Variant::kSotw);
  for (auto& [number, type] : types_) {
    type.nonce.clear();
    type.is_explicit = chance_.OneIn(2);
    to_server_.push_back(Request(number, type));
  }
}

void WildcardJointClient::LoseStream(absl::Time) {
  server_.Close(stream_);
  stream_ = 0;
  to_server_.clear();
}

bool WildcardJointClient::Pass(absl::Time now) {
  if (stream_ != 0 && !server_.IsOpen(stream_)) LoseStream(now);
  if (stream_ == 0) {
    if (!server_.is_up()) return false;
    Connect();
    return true;
  }
  for (int first = chance_.Below(3), i = 0; i < 3; ++i) {
    switch ((first + i) % 3) {
      case 0:
        if (to_server_.empty()) break;
        server_.Tell(now, stream_, RequestReceived{to_server_.front()});
        to_server_.pop_front();
        return true;
      case 1:
        if (!server_.IsWriting(stream_)) break;
        server_.FinishWrite(now, stream_);
        return true;
      case 2:
        if (!server_.HasMessage(stream_)) break;
        Receive(server_.TakeMessage(stream_));
        return true;
    }
  }
  return false;
}

void WildcardJointClient::Receive(const std::string& message) {
  const absl::StatusOr<DiscoveryResponse> response =
      ScanResponse(message, [](absl::string_view) { return uint32_t{1}; });
  if (!response.ok()) {
    findings_.Add(absl::StrCat("a response that cannot be read: ", response.status().ToString()));
    return;
  }
  if (!response->resource_errors.empty()) findings_.Add("an error for who asked for no name");
  int number = 0;
  while (number < kJointTypes &&
         JointType(number).type_name() != WithoutTypeUrlPrefix(response->type_url)) {
    ++number;
  }
  Type& type = types_[number];
  type.nonce = std::string(response->nonce);
  std::map<std::string, int> contents;
  bool is_good = true;
  for (const ResourceEntry& entry : response->resources) {
    const std::string name(entry.name);
    const DecodedResource decoded = JointType(number).Decode(entry.body, DecodeContext());
    if (decoded.value != nullptr) {
      contents[name] = ContentOfJoint(*decoded.value);
      continue;
    }
    is_good = false;
    // It goes on with what it has of it.
    const auto had = type.contents.find(name);
    if (had != type.contents.end()) contents.insert(*had);
  }
  type.contents = std::move(contents);
  if (is_good) type.version = std::string(response->version_info);
  DiscoveryRequest answer = Request(number, type);
  if (!is_good) answer.error_detail = WireStatus{3, "a bad number"};
  to_server_.push_back(std::move(answer));
}

std::optional<absl::Time> WildcardJointClient::NextWake() const { return server_.WakesAt(stream_); }

void WildcardJointClient::Wake(absl::Time now) {
  const std::optional<absl::Time> when = server_.WakesAt(stream_);
  if (when.has_value() && *when <= now) server_.Tell(now, stream_, TimeReached{});
}

std::string WildcardJointClient::Ignorance() const {
  for (const auto& [number, type] : types_) {
    const TypeViewPtr& served = server_.view().Of(JointType(number).type_name());
    const auto wrong = [&, number = number](const std::string& name) {
      return absl::StrCat("client of all ", JointType(number).type_name(), " is wrong about ",
                          name);
    };
    for (const ResourcePtr& resource : served->resources()) {
      const DecodedResource truth = JointType(number).Decode(resource->body(), DecodeContext());
      if (truth.value == nullptr) continue;
      const auto known = type.contents.find(resource->name());
      if (known == type.contents.end() || known->second != ContentOfJoint(*truth.value)) {
        return wrong(resource->name());
      }
    }
    for (const auto& [name, content] : type.contents) {
      if (served->Find(name) == nullptr) return wrong(name);
    }
  }
  return "";
}

}  // namespace holdfast
