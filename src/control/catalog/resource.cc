#include "control/catalog/resource.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "wire/wire_writer.h"
#include "xds/discovery.h"

namespace holdfast {
namespace {

// Of envoy.service.discovery.v3.Resource and of both responses, where it is the same number: that
// is why a SotW field can end a delta field.
constexpr uint32_t kResourceField = 2;
constexpr uint32_t kWrapperVersion = 1;
constexpr uint32_t kWrapperName = 3;
constexpr uint32_t kWrapperTtl = 6;
constexpr absl::string_view kWrapperType =
    "type.googleapis.com/envoy.service.discovery.v3.Resource";

ContentHash HashOfAll(const ResourceKey& key, absl::string_view body,
                      const std::optional<absl::Duration>& ttl) {
  std::string parts;
  for (absl::string_view part : {absl::string_view(key.type), absl::string_view(key.name)}) {
    AppendVarint(parts, part.size());
    parts.append(part.data(), part.size());
  }
  if (ttl.has_value()) {
    AppendVarint(parts, static_cast<uint64_t>(absl::ToInt64Nanoseconds(*ttl)));
  }
  const ContentHash of_body = HashOf(body);
  AppendVarint(parts, of_body.high);
  AppendVarint(parts, of_body.low);
  return HashOf(parts);
}

std::string DurationMessage(absl::Duration duration) {
  absl::Duration rest;
  const int64_t seconds = absl::IDivDuration(duration, absl::Seconds(1), &rest);
  const int64_t nanos = absl::ToInt64Nanoseconds(rest);
  std::string message;
  if (seconds != 0) AppendNumber(message, 1, static_cast<uint64_t>(seconds));
  if (nanos != 0) AppendNumber(message, 2, static_cast<uint64_t>(nanos));
  return message;
}

}  // namespace

Resource::Resource(std::string type, std::string name, absl::string_view body,
                   std::optional<absl::Duration> ttl, std::vector<ResourceKey> children)
    : key_{std::move(type), std::move(name)},
      ttl_(ttl),
      children_(std::move(children)),
      hash_(HashOfAll(key_, body, ttl)),
      version_(hash_.Hex()) {
  HOLDFAST_CHECK(!key_.type.empty() && !key_.name.empty());
  const std::string type_url = absl::StrCat(kTypeUrlPrefix, key_.type);
  std::string any;
  AppendField(any, 1, type_url);
  if (!body.empty()) AppendFieldHead(any, 2, body.size());
  const size_t any_bytes = any.size() + body.size();

  std::string wrapper;  // up to the resource, which comes last
  AppendField(wrapper, kWrapperVersion, version_);
  AppendField(wrapper, kWrapperName, key_.name);
  std::string sotw_head;
  AppendFieldHead(sotw_head, kResourceField, any_bytes);

  AppendFieldHead(framed_, kResourceField, wrapper.size() + sotw_head.size() + any_bytes);
  framed_ += wrapper;
  sotw_at_ = framed_.size();
  absl::StrAppend(&framed_, sotw_head, any);
  body_at_ = framed_.size();
  absl::StrAppend(&framed_, body);
  framed_.shrink_to_fit();
}

std::string Resource::WrapperWithTtl() const {
  std::string wrapper;
  AppendField(wrapper, kWrapperVersion, version_);
  AppendField(wrapper, kWrapperName, key_.name);
  AppendField(wrapper, kWrapperTtl, DurationMessage(ttl_.value()));
  absl::StrAppend(&wrapper, sotw_field());
  return wrapper;
}

std::string Resource::DeltaFieldWithTtl() const {
  std::string field;
  AppendField(field, kResourceField, WrapperWithTtl());
  return field;
}

std::string Resource::SotwFieldWithTtl() const {
  std::string any;
  AppendField(any, 1, kWrapperType);
  AppendField(any, 2, WrapperWithTtl());
  std::string field;
  AppendField(field, kResourceField, any);
  return field;
}

}  // namespace holdfast
