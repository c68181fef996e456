#include "tests/simulation/joint/joint_world.h"

#include <memory>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "wire/wire_reader.h"
#include "wire/wire_writer.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

constexpr absl::string_view kTypeNames[] = {kClusterTypeName, kEndpointsTypeName, kListenerTypeName,
                                            kRouteConfigTypeName};
constexpr uint32_t kContentField = 1000;

class NumberType final : public AnyResourceType {
 public:
  explicit NumberType(absl::string_view name) : name_(name) {}

  absl::string_view type_name() const override { return name_; }
  absl::string_view noun() const override { return "thing"; }
  bool is_full_state() const override { return IsFullStateType(name_); }

  DecodedResource Decode(absl::string_view bytes, const DecodeContext&) const override {
    DecodedResource decoded;
    int content = kBadContent;
    WireReader reader(bytes);
    for (WireField field; reader.Next(field);) {
      if (field.number == kContentField) content = static_cast<int>(field.varint);
    }
    if (content == kBadContent) {
      decoded.errors.Add("a bad number");
    } else {
      decoded.value = std::make_shared<const ResourceOf<int>>(content);
    }
    return decoded;
  }

 private:
  const absl::string_view name_;
};

constexpr absl::string_view kCollections = "xdstp://x/";

std::vector<ResourceKey> ChildrenOfJoint(int type, int name) {
  if (type == 0) return {{std::string(kEndpointsTypeName), JointName(1, name)}};
  if (type == 2) return {{std::string(kRouteConfigTypeName), JointName(3, name)}};
  return {};
}

}  // namespace

const AnyResourceType& JointType(int type) {
  static const auto* const types =
      new std::vector<NumberType>({NumberType(kTypeNames[0]), NumberType(kTypeNames[1]),
                                   NumberType(kTypeNames[2]), NumberType(kTypeNames[3])});
  return (*types)[static_cast<size_t>(type)];
}

std::string JointName(int type, int name) {
  const std::string letter(1, static_cast<char>('a' + name));
  if (name < kJointNames) return letter;
  return absl::StrCat(kCollections, JointType(type).type_name(), "/eu/", letter);
}

std::string JointGlob(absl::string_view type_name) {
  return absl::StrCat(kCollections, type_name, "/eu/*");
}

bool IsJointMember(absl::string_view name) {
  return absl::StartsWith(name, kCollections) && !absl::EndsWith(name, "/*");
}

ResourcePtr MakeJointResource(int type, int name, int content) {
  std::string body;
  AppendField(body, 1, JointName(type, name));
  AppendNumber(body, kContentField, static_cast<uint64_t>(content));
  return std::make_shared<const Resource>(std::string(JointType(type).type_name()),
                                          JointName(type, name), body, std::nullopt,
                                          ChildrenOfJoint(type, name));
}

int ContentOfJoint(const ResourceValue& value) {
  return static_cast<const ResourceOf<int>&>(value).value;
}

}  // namespace holdfast
