#include "control/session/response_encoder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "wire/wire_writer.h"
#include "xds/discovery.h"

namespace holdfast {
namespace {

// Kept for the next stream that is sent the same; more only if somebody is still writing them.
constexpr size_t kMostRecent = 16;
constexpr size_t kMostRecentBytes = size_t{32} << 20;

// Of the first fields: a byte of tag and, in the rule, one of length.
constexpr size_t kTagsOfHead = 8;

struct FieldNumbers {
  uint32_t control_plane;
  uint32_t errors;
};
FieldNumbers NumbersOf(Variant variant) {
  return variant == Variant::kSotw ? FieldNumbers{6, 7} : FieldNumbers{7, 9};
}

std::string ErrorMessage(const std::string& name, const NameError& error) {
  std::string resource_name;
  AppendField(resource_name, 1, name);
  std::string status;
  AppendNumber(status, 1, static_cast<uint64_t>(error.code));
  if (!error.message.empty()) AppendField(status, 2, error.message);
  std::string message;
  AppendField(message, 1, resource_name);
  AppendField(message, 2, status);
  return message;
}

bool HasResources(const SendResponse& response) {
  return response.all != nullptr ? !response.all->resources().empty() : !response.resources.empty();
}

// What a body holds, as a number.
ContentHash KeyOfBody(const SendResponse& response) {
  ContentHash key;
  if (response.all != nullptr) {
    key = response.all->hash();
  } else {
    for (const ResourcePtr& resource : response.resources) key += resource->hash();
  }
  // With TTLs the same resources make other bytes.
  if (response.with_ttl) key += HashOf("ttl");
  return key;
}

}  // namespace

ResponseEncoder::ResponseEncoder(Variant variant, std::string control_plane) : variant_(variant) {
  std::string identifier;
  AppendField(identifier, 1, control_plane);
  AppendField(control_plane_, NumbersOf(variant).control_plane, identifier);
}

EncodedResponse ResponseEncoder::Encode(const SendResponse& response) {
  EncodedResponse encoded;
  std::string& head = encoded.head;
  const size_t type_url_bytes = kTypeUrlPrefix.size() + response.type.size();
  head.reserve(kTagsOfHead + response.version.size() + type_url_bytes + response.nonce.size() +
               control_plane_.size());
  AppendField(head, 1, response.version);
  AppendFieldHead(head, 4, type_url_bytes);
  absl::StrAppend(&head, kTypeUrlPrefix, response.type);
  AppendField(head, 5, response.nonce);
  absl::StrAppend(&head, control_plane_);
  for (const std::string& name : response.removed) AppendField(head, 6, name);
  for (const auto& [name, error] : response.errors) {
    AppendField(head, NumbersOf(variant_).errors, ErrorMessage(name, error));
  }
  if (HasResources(response)) encoded.body = BodyOf(response);
  return encoded;
}

void ResponseEncoder::AppendResource(const Resource& resource, const SendResponse& response,
                                     std::string& body) const {
  const bool is_sotw = variant_ == Variant::kSotw;
  if (response.with_ttl && resource.ttl().has_value()) {
    body += is_sotw ? resource.SotwFieldWithTtl() : resource.DeltaFieldWithTtl();
  } else {
    absl::StrAppend(&body, is_sotw ? resource.sotw_field() : resource.delta_field());
  }
}

std::shared_ptr<const std::string> ResponseEncoder::BodyOf(const SendResponse& response) {
  const ContentHash key = KeyOfBody(response);
  const auto known = bodies_.find(key);
  if (known != bodies_.end()) {
    if (std::shared_ptr<const std::string> body = known->second.lock()) return body;
  }
  auto body = std::make_shared<std::string>();
  const auto append = [&](const auto& resources) {
    for (const ResourcePtr& resource : resources) AppendResource(*resource, response, *body);
  };
  if (response.all != nullptr) {
    body->reserve(variant_ == Variant::kSotw ? response.all->sotw_bytes()
                                             : response.all->delta_bytes());
    append(response.all->resources());
  } else {
    append(response.resources);
  }
  ++bodies_made_;
  Keep(key, body);
  return body;
}

void ResponseEncoder::Keep(const ContentHash& key, std::shared_ptr<const std::string> body) {
  recent_bytes_ += body->size();
  bodies_.insert_or_assign(key, body);
  recent_.push_back(std::move(body));
  while (recent_.size() > 1 && (recent_.size() > kMostRecent || recent_bytes_ > kMostRecentBytes)) {
    recent_bytes_ -= recent_.front()->size();
    recent_.pop_front();
  }
  // Now and then, so that it costs little however many are being written.
  if (bodies_.size() < sweep_at_) return;
  std::erase_if(bodies_, [](const auto& one) { return one.second.expired(); });
  sweep_at_ = std::max(2 * bodies_.size(), 2 * kMostRecent);
}

}  // namespace holdfast
