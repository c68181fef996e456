#include "tests/simulation/joint/joint_world.h"

#include <memory>
#include <vector>

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

std::vector<ResourceKey> ChildrenOfJoint(int type, const std::string& name) {
  if (type == 0) return {{std::string(kEndpointsTypeName), name}};
  if (type == 2) return {{std::string(kRouteConfigTypeName), name}};
  return {};
}

}  // namespace

const AnyResourceType& JointType(int type) {
  static const auto* const types =
      new std::vector<NumberType>({NumberType(kTypeNames[0]), NumberType(kTypeNames[1]),
                                   NumberType(kTypeNames[2]), NumberType(kTypeNames[3])});
  return (*types)[static_cast<size_t>(type)];
}

std::string JointName(int name) { return std::string(1, static_cast<char>('a' + name)); }

ResourcePtr MakeJointResource(int type, int name, int content) {
  std::string body;
  AppendField(body, 1, JointName(name));
  AppendNumber(body, kContentField, static_cast<uint64_t>(content));
  return std::make_shared<const Resource>(std::string(JointType(type).type_name()), JointName(name),
                                          body, std::nullopt,
                                          ChildrenOfJoint(type, JointName(name)));
}

int ContentOfJoint(const ResourceValue& value) {
  return static_cast<const ResourceOf<int>&>(value).value;
}

}  // namespace holdfast
