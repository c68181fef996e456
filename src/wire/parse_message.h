// protobuf's parser, for bytes from strangers.
#pragma once

#include "absl/strings/string_view.h"

namespace google::protobuf {
class MessageLite;
}

namespace holdfast {

// Why a message could not be parsed: protobuf does not say which of them it was.
inline constexpr absl::string_view kUnparsable =
    "truncated, not protobuf, nested deeper than 100 levels, or a string that is not UTF-8";

// Parses `bytes`, and writes nothing to stderr whatever they are: protobuf would log a line for
// each string that is not UTF-8, and a hostile peer could fill a disk. protobuf 3.21 can only be
// silenced for the whole process, so meanwhile other threads' protobuf errors are not logged
// either.
bool ParseMessageQuietly(absl::string_view bytes, google::protobuf::MessageLite& message);

}  // namespace holdfast
