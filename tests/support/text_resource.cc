#include "tests/support/text_resource.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

[[noreturn]] void Die(absl::string_view reason) {
  std::fprintf(stderr, "FromText: %.*s\n", static_cast<int>(reason.size()), reason.data());
  std::abort();
}

// Our messages, apart from those that are linked into the program.
class Schema {
 public:
  Schema() {
    std::ifstream file(HOLDFAST_DESCRIPTOR_SET_FILE, std::ios::binary);
    google::protobuf::FileDescriptorSet set;
    if (!set.ParseFromIstream(&file)) Die("cannot read " HOLDFAST_DESCRIPTOR_SET_FILE);
    for (const google::protobuf::FileDescriptorProto& proto : set.file()) {
      if (pool_.BuildFile(proto) == nullptr) Die(absl::StrCat("cannot use ", proto.name()));
    }
  }

  // Null for a type we do not have.
  std::unique_ptr<google::protobuf::Message> New(const std::string& type) {
    const google::protobuf::Descriptor* descriptor = pool_.FindMessageTypeByName(type);
    if (descriptor == nullptr) return nullptr;
    return std::unique_ptr<google::protobuf::Message>(factory_.GetPrototype(descriptor)->New());
  }

 private:
  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_{&pool_};
};

class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

}  // namespace

std::unique_ptr<google::protobuf::Message> NewMessage(absl::string_view message_type) {
  static Schema& schema = *new Schema;
  return schema.New(std::string(message_type));
}

std::string FromText(absl::string_view message_type, absl::string_view text) {
  const std::unique_ptr<google::protobuf::Message> message = NewMessage(message_type);
  if (message == nullptr) Die(absl::StrCat("no message ", message_type, " under proto/"));
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  // The types inside an Any are looked up in the pool of the message around it: ours.
  if (!parser.ParseFromString(std::string(text), message.get())) {
    Die(absl::StrCat(message_type, " ", error.text, " in:\n", text));
  }
  return message->SerializeAsString();
}

}  // namespace holdfast
