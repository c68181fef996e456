#include "control/config/schema.h"

#include <dlfcn.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/dynamic_message.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "absl/base/call_once.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/outside_text.h"
#include "runtime/text_file.h"

namespace holdfast {

// In sources that the build writes: the descriptors of proto/ with all imports, and those of
// embedded_proto/ without.
absl::string_view OurProtoset();
absl::string_view MoreFieldsProtoset();

namespace {

namespace pb = google::protobuf;

constexpr absl::string_view kEmbeddedName = "the embedded schema";

// protobuf would write to stderr by itself. A file that cannot be built has no messages: whoever
// asks for one is told that it is not there.
class SilentErrors final : public pb::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string&, const std::string&, const pb::Message*, ErrorLocation,
                const std::string&) override {}
  void AddWarning(const std::string&, const std::string&, const pb::Message*, ErrorLocation,
                  const std::string&) override {}
};

// By name; adds one that is not there.
template <class T>
T& FindOrAdd(pb::RepeatedPtrField<T>& among, const std::string& name) {
  for (T& element : among) {
    if (element.name() == name) return element;
  }
  T& added = *among.Add();
  added.set_name(name);
  return added;
}

// What is in both is in `extra` only because of what it holds.
void AddFields(const pb::DescriptorProto& extra, pb::DescriptorProto& message) {
  const int oneofs_before = message.oneof_decl_size();
  message.mutable_oneof_decl()->MergeFrom(extra.oneof_decl());
  message.mutable_enum_type()->MergeFrom(extra.enum_type());
  for (const pb::FieldDescriptorProto& field : extra.field()) {
    pb::FieldDescriptorProto& added = *message.add_field();
    added = field;
    if (field.has_oneof_index()) added.set_oneof_index(oneofs_before + field.oneof_index());
  }
  for (const pb::DescriptorProto& nested : extra.nested_type()) {
    pb::DescriptorProto& added = FindOrAdd(*message.mutable_nested_type(), nested.name());
    added.mutable_options()->MergeFrom(nested.options());
    AddFields(nested, added);
  }
}

// Our types with the fields that nobody here reads but many write.
std::string EmbeddedProtoset() {
  pb::FileDescriptorSet set;
  pb::FileDescriptorSet more;
  HOLDFAST_CHECK(set.ParseFromString(std::string(OurProtoset())));
  HOLDFAST_CHECK(more.ParseFromString(std::string(MoreFieldsProtoset())));
  for (const pb::FileDescriptorProto& extra : more.file()) {
    pb::FileDescriptorProto& file = FindOrAdd(*set.mutable_file(), extra.name());
    const std::set<std::string> imports(file.dependency().begin(), file.dependency().end());
    for (const std::string& import : extra.dependency()) {
      if (imports.count(import) == 0) file.add_dependency(import);
    }
    for (const pb::DescriptorProto& message : extra.message_type()) {
      AddFields(message, FindOrAdd(*file.mutable_message_type(), message.name()));
    }
  }
  return set.SerializeAsString();
}

// PREFIX/share/holdfast/envoy.protoset of PREFIX/lib/libholdfast-control.so.0 or
// PREFIX/bin/holdfast, whichever has this code in it: what was installed may have been moved. Empty
// if there is none.
std::string ProtosetOfThisPrefix() {
  Dl_info code = {};
  if (::dladdr(reinterpret_cast<const void*>(&ProtosetOfThisPrefix), &code) == 0) return "";
  // A program is known by the name it was called with, which may be no path.
  const bool is_path = absl::StrContains(code.dli_fname, '/');
  std::error_code error;
  std::filesystem::path folder =
      std::filesystem::canonical(is_path ? code.dli_fname : "/proc/self/exe", error).parent_path();
  // lib may be lib/x86_64-linux-gnu.
  for (int steps = 0; steps < 2 && !error && folder.has_relative_path(); ++steps) {
    folder = folder.parent_path();
    const std::filesystem::path place = folder / "share/holdfast/envoy.protoset";
    if (std::filesystem::exists(place, error)) return place.string();
  }
  return "";
}

}  // namespace

class Schema::State {
 public:
  State(std::string name, bool is_embedded) : name_(std::move(name)), is_embedded_(is_embedded) {}

  absl::Status Fill(absl::string_view bytes) {
    pb::FileDescriptorSet set;
    if (bytes.size() > std::numeric_limits<int>::max() ||
        !set.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || set.file().empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name_,
                       ": not a protoset (a serialized FileDescriptorSet, as protoc "
                       "--include_imports --descriptor_set_out writes it)"));
    }
    std::set<std::string> known;
    for (const pb::FileDescriptorProto& file : set.file()) known.insert(file.name());
    for (const pb::FileDescriptorProto& file : set.file()) {
      for (const std::string& import : file.dependency()) {
        if (known.count(import) > 0) continue;
        return absl::InvalidArgumentError(
            absl::StrCat(name_, ": ", Quoted(file.name()), " imports ", Quoted(import),
                         ", which is not in the set; make it with --include_imports"));
      }
    }
    // Indexes the names in a file. It is built when somebody asks for one of them.
    while (!set.file().empty()) {
      const std::string file = set.file().rbegin()->name();
      if (database_.AddAndOwn(set.mutable_file()->ReleaseLast())) continue;
      return absl::InvalidArgumentError(absl::StrCat(name_, ": ", Quoted(file),
                                                     " is in the set twice, or defines something ",
                                                     "that another file of the set defines"));
    }
    return absl::OkStatus();
  }

  const pb::Descriptor* Find(absl::string_view message_name) const {
    return pool_.FindMessageTypeByName(std::string(message_name));
  }

  pb::DynamicMessageFactory& factory() const { return factory_; }

  const std::vector<std::string>& MessageNames() const {
    absl::call_once(names_once_, [this] {
      database_.FindAllMessageNames(&names_);
      std::sort(names_.begin(), names_.end());
    });
    return names_;
  }

  const std::string& name() const { return name_; }
  bool is_embedded() const { return is_embedded_; }

 private:
  const std::string name_;
  const bool is_embedded_;
  mutable pb::SimpleDescriptorDatabase database_;  // only read once it is filled
  SilentErrors errors_;
  // A pool with a database behind it takes a lock for each question: it may be asked by several
  // threads.
  pb::DescriptorPool pool_{&database_, &errors_};
  mutable pb::DynamicMessageFactory factory_{&pool_};
  mutable absl::once_flag names_once_;
  mutable std::vector<std::string> names_;
};

Schema::Schema(std::unique_ptr<State> state) : state_(std::move(state)) {}
Schema::~Schema() = default;

absl::StatusOr<std::shared_ptr<const Schema>> Schema::FromProtoset(absl::string_view bytes,
                                                                   std::string name) {
  auto state = std::make_unique<State>(absl::StrCat("protoset ", name), /*is_embedded=*/false);
  if (absl::Status filled = state->Fill(bytes); !filled.ok()) return filled;
  return std::shared_ptr<const Schema>(new Schema(std::move(state)));
}

std::shared_ptr<const Schema> Schema::Embedded() {
  static const auto* const kSchema = [] {
    auto state = std::make_unique<State>(std::string(kEmbeddedName), /*is_embedded=*/true);
    HOLDFAST_CHECK(state->Fill(EmbeddedProtoset()).ok());
    return new std::shared_ptr<const Schema>(new Schema(std::move(state)));
  }();
  return *kSchema;
}

absl::StatusOr<std::shared_ptr<const Schema>> Schema::Load(const std::string& path) {
  if (!path.empty()) {
    const absl::StatusOr<std::string> bytes = ReadTextFile(path, kMostProtosetBytes);
    if (!bytes.ok()) {
      return absl::Status(bytes.status().code(),
                          absl::StrCat("protoset ", bytes.status().message()));
    }
    return FromProtoset(*bytes, path);
  }
  for (const std::string& place : {ProtosetOfThisPrefix(), std::string(HOLDFAST_PROTOSET),
                                   std::string(HOLDFAST_INSTALLED_PROTOSET)}) {
    const absl::StatusOr<std::string> bytes = ReadTextFile(place, kMostProtosetBytes);
    if (bytes.ok()) return FromProtoset(*bytes, place);
  }
  return Embedded();
}

const google::protobuf::Descriptor* Schema::Find(absl::string_view message_name) const {
  return state_->Find(message_name);
}
google::protobuf::DynamicMessageFactory& Schema::factory() const { return state_->factory(); }
std::vector<std::string> Schema::MessageNames() const { return state_->MessageNames(); }
bool Schema::is_embedded() const { return state_->is_embedded(); }
const std::string& Schema::name() const { return state_->name(); }

}  // namespace holdfast
