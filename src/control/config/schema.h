// The messages that a configuration may use: descriptors in a private pool, so that no generated
// code is needed to turn YAML into bytes.
//
// Thread-safe. Files of the set are built when a message in them is first asked for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace google::protobuf {
class Descriptor;
class DynamicMessageFactory;
}  // namespace google::protobuf

namespace holdfast {

// A bigger protoset is not read; that of all of Envoy's messages has less than 1 MiB.
inline constexpr size_t kMostProtosetBytes = size_t{256} << 20;

class Schema {
 public:
  // A serialized FileDescriptorSet. INVALID_ARGUMENT if it is none, or not a whole one.
  static absl::StatusOr<std::shared_ptr<const Schema>> FromProtoset(absl::string_view bytes,
                                                                    std::string name);
  // Our own types with their common fields, always there.
  static std::shared_ptr<const Schema> Embedded();
  // `path` if it is not empty; else the full set where ./dev setup or the package installed it;
  // else the embedded one. An error, with the path, if `path` cannot be used: NOT_FOUND and the
  // like as the system says, RESOURCE_EXHAUSTED beyond kMostProtosetBytes, INVALID_ARGUMENT.
  static absl::StatusOr<std::shared_ptr<const Schema>> Load(const std::string& path);

  ~Schema();

  // "envoy.config.cluster.v3.Cluster"; null if it is not in the set.
  const google::protobuf::Descriptor* Find(absl::string_view message_name) const;
  google::protobuf::DynamicMessageFactory& factory() const;

  // Of messages like that one, for suggestions.
  std::vector<std::string> MessageNames() const;
  // The embedded set is small: whoever misses something in it is told how to get the full one.
  bool is_embedded() const;
  // "the embedded schema" or "protoset FILE".
  const std::string& name() const;

 private:
  class State;
  explicit Schema(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace holdfast
