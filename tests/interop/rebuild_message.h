// Takes a foreign message apart and puts it together again with our schema.
//
// Whatever the schema does not know would pass through unnoticed if the message were only parsed
// and written: unknown fields travel along, and an Any is a piece of bytes. Here both are problems,
// at every depth, and Anys are opened, rebuilt and closed again.
#pragma once

#include <string>
#include <vector>

namespace google::protobuf {
class Message;
}

namespace holdfast {

class MessageRebuilder {
 public:
  // The message again, written by us. `path` is where it stands, for problems().
  std::string Rebuild(const std::string& type, const std::string& bytes, const std::string& path);

  // "cluster.eds_full.transport_socket: has the field 99, which is not in our schema".
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  void Copy(const google::protobuf::Message& from, google::protobuf::Message& to,
            const std::string& path);
  void CopyAny(const google::protobuf::Message& from, google::protobuf::Message& to,
               const std::string& path);

  std::vector<std::string> problems_;
};

}  // namespace holdfast
