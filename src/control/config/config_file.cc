#include "control/config/config_file.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "base/outside_text.h"
#include "control/catalog/references.h"
#include "control/config/error_entry.h"
#include "control/config/field_problems.h"
#include "control/config/map_keys.h"
#include "control/config/message_reader.h"
#include "control/config/resource_lint.h"
#include "control/config/resource_names.h"
#include "control/config/scalar_values.h"
#include "control/config/service_form.h"
#include "control/config/yaml_tree.h"
#include "xds/resource_name.h"
#include "xds/type_names.h"

namespace holdfast {
namespace {

namespace pb = google::protobuf;

constexpr absl::string_view kWrapperType = "envoy.service.discovery.v3.Resource";

// A wrapper says more than what is served: its other fields are the server's to fill in.
constexpr absl::string_view kWrapperFields[] = {"name", "ttl", "resource"};

// An element of `resources:` on its way: what is known of it so far.
struct Draft {
  ResourceKey key;  // parts of it may be missing after an error
  std::string body;
  std::optional<absl::Duration> ttl;
  Place place;
  bool is_of_service = false;  // its fields are not those in the text
};

YamlPlace PlaceOfKey(YamlNode map, absl::string_view key) {
  for (size_t i = 0; i < map.size(); ++i) {
    if (map.key(i).text() == key) return map.key(i).place();
  }
  return map.place();
}

Place PlaceOf(YamlNode node, const FieldPath& path) {
  return {node.place().line, node.place().column, path.text()};
}

const pb::FieldDescriptor* StringField(const pb::Descriptor& type, const char* name) {
  const pb::FieldDescriptor* const field = type.FindFieldByName(name);
  const bool is_string = field != nullptr && !field->is_repeated() &&
                         field->type() == pb::FieldDescriptor::TYPE_STRING;
  return is_string ? field : nullptr;
}

absl::string_view NameFieldOf(absl::string_view type) {
  return type == kEndpointsTypeName ? "cluster_name" : "name";
}

// The name that a resource has in its text, also if the rest of it is wrong; "" if there is none.
std::string OwnName(YamlNode node, absl::string_view type) {
  if (!node.is_map()) return "";
  for (const absl::string_view key : {NameFieldOf(type), absl::string_view("clusterName")}) {
    const std::optional<YamlNode> name = node.Find(key);
    if (!name.has_value()) continue;
    const absl::StatusOr<std::string> text = StringOf(*name);
    return text.ok() ? *text : "";
  }
  return "";
}

bool SaysNothing(const YamlTree& tree) {
  const std::vector<YamlNode> documents = tree.documents();
  return std::all_of(documents.begin(), documents.end(),
                     [](YamlNode document) { return document.is_null(); });
}

class ConfigFileReader {
 public:
  ConfigFileReader(std::string path, const Schema& schema) : schema_(schema), problems_(path) {
    file_.path = std::move(path);
  }

  ConfigFile Read(absl::string_view text) {
    YamlTree tree;
    if (const std::optional<YamlError> error = tree.Read(text)) {
      problems_.AddError(error->place, "", error->text);
    } else if (SaysNothing(tree)) {
      // Whoever writes a file in place empties it first: that is no wish to delete everything.
      problems_.AddError({}, "",
                         "is empty, as if half written; to delete what it defines, delete the file "
                         "or write resources: []");
    } else {
      file_.is_readable = true;
      for (const YamlNode document : tree.documents()) ReadDocument(document);
    }
    file_.problems = problems_.Sorted();
    return std::move(file_);
  }

 private:
  void ReadDocument(YamlNode document) {
    if (document.is_null()) return;
    FieldPath path("");
    if (!document.is_map()) {
      // Whatever it was meant to be, it was not meant to delete what was there before.
      file_.is_readable = false;
      return problems_.AddError(
          document.place(), "",
          absl::StrCat("a document must be a map with resources, services or errors (got ",
                       document.KindText(), ")"));
    }
    problems_.StartResource();
    CheckDocumentKeys(document, path);
    refusal_ = problems_.FirstError();
    types_.clear();
    ForEach(document, "resources",
            [this](YamlNode node, FieldPath& at) { ReadResource(node, at); });
    ForEach(document, "services", [this](YamlNode node, FieldPath& at) { AddService(node, at); });
    is_for_some_ = document.Find("nodes").has_value();
    ForEach(document, "errors", [this](YamlNode node, FieldPath& at) { AddError(node, at); });
    ReadLabel(document);
  }

  // To leave one out may open what it closed: what is known of it counts, also in a document that
  // is not served.
  void AddError(YamlNode node, const FieldPath& path) {
    ErrorEntry entry = ReadErrorEntry(node, path, schema_, problems_);
    if (entry.error.has_value() && !is_for_some_) {
      types_.insert(entry.key.type);
      file_.errors.push_back({std::move(entry.key), *std::move(entry.error), PlaceOf(node, path)});
      return;
    }
    file_.has_unread_errors = true;
    if (entry.key.type.empty() || entry.key.name.empty()) return;
    file_.unread_errors.push_back({std::move(entry.key), PlaceOf(node, path),
                                   HasErrors() ? problems_.FirstError() : refusal_,
                                   entry.may_deny});
  }

  // A document with a key that is not understood is not served at all: it might have said for whom
  // the rest is meant.
  void CheckDocumentKeys(YamlNode document, const FieldPath& path) {
    for (size_t i = 0; i < document.size(); ++i) {
      const YamlNode key = document.key(i);
      if (key.text() == "nodes") {
        problems_.AddError(key.place(), "nodes",
                           "is not supported yet, so nothing in this document is served: without "
                           "it everybody would get what is meant for some");
      } else if (key.text() == "access") {
        RefuseAccess(key);
      }
    }
    CheckKeys(document, {"resources", "services", "errors", "version_info", "nodes", "access"},
              path, problems_);
    if (!problems_.FirstError().empty()) file_.has_unnamed = true;
  }

  // Its text must not depend on what else is wrong with the document.
  void RefuseAccess(YamlNode key) {
    FieldProblems alone(file_.path);
    for (FieldProblems* problems : {&problems_, &alone}) {
      problems->AddError(key.place(), "access",
                         "is not supported yet; nothing of this directory is served that was not "
                         "served before, because without the rule everybody could read it");
    }
    if (file_.access_refusal.empty()) file_.access_refusal = alone.FirstError();
  }

  // All that was defined here is deleted, and maybe nobody meant that.
  void WarnOfNothing(YamlNode document, absl::string_view key) {
    if (key == "errors") return;
    problems_.AddWarning(PlaceOfKey(document, key), key,
                         "has nothing behind it; write [] if there are none");
  }

  template <class Function>
  void ForEach(YamlNode document, absl::string_view key, Function read) {
    const std::optional<YamlNode> list = document.Find(key);
    if (!list.has_value()) return;
    if (list->is_null()) return WarnOfNothing(document, key);
    FieldPath path("");
    const FieldPath::Step step(path, key);
    if (!list->is_sequence()) {
      file_.has_unnamed = true;
      return problems_.AddError(list->place(), key, Expected("a list", *list).message());
    }
    for (size_t i = 0; i < list->size(); ++i) {
      const FieldPath::Step element(path, i);
      problems_.StartResource();
      read(list->element(i), path);
    }
  }

  void ReadResource(YamlNode node, FieldPath& path) {
    MessageReader reader(schema_, path.text(), problems_);
    MessageReader::Packed packed = reader.ReadPacked(node);
    Draft draft{.place = PlaceOf(node, path)};
    if (packed.type == kWrapperType) return ReadWrapped(node, packed, path, std::move(draft));
    draft.key = {packed.type, OwnName(node, packed.type)};
    draft.body = std::move(packed.body);
    if (HasErrors() || CheckOwnName(node, draft, path)) CheckName(node, draft, path);
    Finish(node, std::move(draft), path);
  }

  // Whether the name can come from the message itself.
  bool CheckOwnName(YamlNode node, const Draft& draft, const FieldPath& path) {
    const pb::Descriptor* const type = schema_.Find(draft.key.type);
    const std::string field(NameFieldOf(draft.key.type));
    if (type == nullptr || StringField(*type, field.c_str()) != nullptr) return true;
    problems_.AddError(node.place(), path.text(),
                       absl::StrCat("has no name: ", draft.key.type, " has no field ", field,
                                    "; put it in an ", kWrapperType, " with name and resource"));
    return false;
  }

  void CheckName(YamlNode node, Draft& draft, const FieldPath& path) {
    if (draft.key.type.empty()) return;
    const absl::string_view field = NameFieldOf(draft.key.type);
    const YamlNode at = NearestNode(node, field);
    if (draft.key.name.empty()) {
      // A name of the wrong kind has been spoken of.
      if (HasErrors()) return;
      return problems_.AddError(at.place(), absl::StrCat(path.text(), ".", field),
                                "a resource must have a name");
    }
    const absl::Status valid = CheckResourceName(draft.key.name, draft.key.type);
    draft.key.name = CanonicalName(draft.key.name, draft.key.type);
    if (HasUnseenCharacters(draft.key.name)) {
      problems_.AddWarning(
          at.place(), absl::StrCat(path.text(), ".", field),
          absl::StrCat("has control characters or such as turn a text around, which "
                       "nobody sees: ",
                       Quoted(draft.key.name), "; type the name anew"));
    }
    if (valid.ok()) return;
    problems_.AddError(at.place(), absl::StrCat(path.text(), ".", field), valid.message());
    draft.key.name.clear();
  }

  void ReadWrapped(YamlNode node, const MessageReader::Packed& packed, FieldPath& path,
                   Draft draft) {
    WarnOfUnusedFields(node, path);
    draft.key.name = OwnName(node, kWrapperType);
    const std::optional<YamlNode> inner = node.Find("resource");
    const FieldPath::Step step(path, "resource");
    if (!inner.has_value() || !inner->is_map()) {
      if (!HasErrors()) problems_.AddError(node.place(), path.text(), "is missing");
      return Finish(node, std::move(draft), path);
    }
    if (const std::optional<YamlNode> type = inner->Find("@type"); type && type->is_scalar()) {
      draft.key.type = std::string(TypeOfUrl(type->text()));
    }
    if (draft.key.type == kWrapperType) {
      problems_.AddError(inner->place(), path.text(), "is a wrapper inside a wrapper");
    }
    const std::string own_name = OwnName(*inner, draft.key.type);
    if (draft.key.name.empty()) {
      draft.key.name = own_name;
    } else if (!own_name.empty() && CanonicalName(own_name, draft.key.type) !=
                                        CanonicalName(draft.key.name, draft.key.type)) {
      problems_.AddWarning(
          inner->place(), path.text(),
          absl::StrCat("is called ", Quoted(own_name), ", but its wrapper says ",
                       Quoted(draft.key.name), ": clients disagree which of them counts"));
    }
    CheckName(node, draft, path);
    if (!HasErrors()) Unwrap(node, packed.body, draft);
    Finish(*inner, std::move(draft), path);
  }

  void WarnOfUnusedFields(YamlNode node, const FieldPath& path) {
    for (size_t i = 0; node.is_map() && i < node.size(); ++i) {
      const absl::string_view key = node.key(i).text();
      bool is_used = key == "@type";
      for (const absl::string_view used : kWrapperFields) is_used = is_used || key == used;
      if (is_used) continue;
      problems_.AddWarning(node.key(i).place(), absl::StrCat(path.text(), ".", BoundedText(key)),
                           "is not served: of a wrapper only name, ttl and resource are");
    }
  }

  // Takes the resource and its TTL out of a wrapper that was read without error.
  void Unwrap(YamlNode node, const std::string& wrapper_bytes, Draft& draft) {
    const pb::Descriptor& type = *schema_.Find(kWrapperType);
    const std::unique_ptr<pb::Message> wrapper(schema_.factory().GetPrototype(&type)->New());
    HOLDFAST_CHECK(wrapper->ParseFromString(wrapper_bytes));
    const pb::Reflection& reflection = *wrapper->GetReflection();
    const pb::Message& any = reflection.GetMessage(*wrapper, type.FindFieldByName("resource"));
    draft.body = any.GetReflection()->GetString(any, any.GetDescriptor()->FindFieldByName("value"));
    const pb::FieldDescriptor* const ttl_field = type.FindFieldByName("ttl");
    if (!reflection.HasField(*wrapper, ttl_field)) return;
    const pb::Message& ttl = reflection.GetMessage(*wrapper, ttl_field);
    const auto part = [&](int number) { return ttl.GetDescriptor()->FindFieldByNumber(number); };
    draft.ttl = absl::Seconds(ttl.GetReflection()->GetInt64(ttl, part(1))) +
                absl::Nanoseconds(ttl.GetReflection()->GetInt32(ttl, part(2)));
    if (*draft.ttl > absl::ZeroDuration()) return;
    problems_.AddError(NearestNode(node, "ttl").place(), draft.place.field + ".ttl",
                       "must be more than 0s: a client would drop the resource at once");
  }

  void AddService(YamlNode node, FieldPath& path) {
    const Service service = ReadService(node, path, problems_);
    const bool is_valid = !HasErrors();
    if (service.name.empty()) {
      file_.has_unnamed = true;
      return;
    }
    for (const ResourceJson& resource : ResourcesOf(service, schema_)) {
      Draft draft{.key = {std::string(resource.type), service.name},
                  .place = PlaceOf(node, path),
                  .is_of_service = true};
      if (is_valid) {
        YamlTree tree;
        HOLDFAST_CHECK(!tree.Read(resource.json).has_value());
        FieldProblems inside(schema_.name());
        MessageReader reader(schema_, "", inside);
        draft.body = reader.ReadPacked(tree.documents()[0]).body;
        if (!inside.FirstError().empty()) {
          problems_.AddError(node.place(), path.text(),
                             absl::StrCat("cannot be made with ", inside.FirstError()));
        }
      }
      Finish(node, std::move(draft), path);
    }
  }

  // What is right is served, what is wrong is at least known by name.
  void Finish(YamlNode node, Draft draft, const FieldPath& path) {
    // A type that nobody knows is a misspelt one, and which one was meant cannot be told.
    if (draft.key.name.empty() || schema_.Find(draft.key.type) == nullptr) file_.has_unnamed = true;
    if (draft.key.type.empty() || draft.key.name.empty()) return;
    types_.insert(draft.key.type);
    if (!HasErrors()) Lint(node, draft, path);
    if (HasErrors() || !refusal_.empty()) {
      file_.invalid.push_back({std::move(draft.key), std::move(draft.place),
                               HasErrors() ? problems_.FirstError() : refusal_});
      return;
    }
    std::vector<ResourceKey> children = ChildrenOf(draft.key.type, draft.body);
    auto resource = std::make_shared<const Resource>(draft.key.type, draft.key.name, draft.body,
                                                     draft.ttl, std::move(children));
    file_.resources.push_back({std::move(resource), std::move(draft.place)});
  }

  void Lint(YamlNode node, const Draft& draft, const FieldPath& path) {
    for (const LintFinding& finding : LintResource(draft.key.type, draft.body)) {
      const std::string written =
          draft.is_of_service ? FieldOfService(draft.key.type, finding.field) : finding.field;
      const YamlPlace place = draft.is_of_service && written == "lb"
                                  ? PlaceOfKey(node, written)
                                  : NearestNode(node, written).place();
      const std::string field = absl::StrCat(path.text(), written.empty() ? "" : ".", written);
      const std::string text =
          draft.is_of_service ? TextForService(draft.key.type, finding.text) : finding.text;
      if (finding.kind == Problem::Kind::kError) {
        problems_.AddError(place, field, text);
      } else {
        problems_.AddWarning(place, field, text);
      }
    }
  }

  void ReadLabel(YamlNode document) {
    const std::optional<YamlNode> label = document.Find("version_info");
    if (!label.has_value() || label->is_null() || !refusal_.empty()) return;
    const absl::StatusOr<std::string> text = StringOf(*label);
    if (!text.ok()) {
      return problems_.AddError(label->place(), "version_info", text.status().message());
    }
    if (text->empty()) return;
    for (const std::string& type : types_) file_.labels[type] = *text;
  }

  // In the element that is being read.
  bool HasErrors() const { return !problems_.FirstError().empty(); }

  const Schema& schema_;
  FieldProblems problems_;
  ConfigFile file_;
  std::string refusal_;          // why nothing in this document is served; empty: it is
  std::set<std::string> types_;  // in this document
  bool is_for_some_ = false;     // of the clients: this document has `nodes:`
};

}  // namespace

ConfigFile ReadConfigFile(std::string path, absl::string_view text, const Schema& schema) {
  return ConfigFileReader(std::move(path), schema).Read(text);
}

}  // namespace holdfast
