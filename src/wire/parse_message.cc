#include "wire/parse_message.h"

#include <google/protobuf/message_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <limits>

namespace holdfast {

bool ParseMessageQuietly(absl::string_view bytes, google::protobuf::MessageLite& message) {
  if (bytes.size() > std::numeric_limits<int>::max()) return false;
  const google::protobuf::LogSilencer silencer;
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace holdfast
