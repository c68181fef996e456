#include "control/config/schema.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

std::string ProtosetOf(const google::protobuf::FileDescriptorProto& file) {
  google::protobuf::FileDescriptorSet set;
  *set.add_file() = file;
  return set.SerializeAsString();
}

TEST(Schema, TheEmbeddedOneHasOurTypes) {
  const std::shared_ptr<const Schema> schema = Schema::Embedded();
  EXPECT_TRUE(schema->is_embedded());
  EXPECT_EQ(schema->name(), "the embedded schema");
  for (const char* const type :
       {"envoy.config.listener.v3.Listener", "envoy.config.route.v3.RouteConfiguration",
        "envoy.config.cluster.v3.Cluster", "envoy.config.endpoint.v3.ClusterLoadAssignment",
        "envoy.service.discovery.v3.Resource", "google.protobuf.Struct"}) {
    EXPECT_NE(schema->Find(type), nullptr) << type;
  }
  EXPECT_EQ(schema->Find("envoy.config.cluster.v3.Clusterr"), nullptr);
  EXPECT_EQ(schema->Find(""), nullptr);
  const std::vector<std::string> names = schema->MessageNames();
  EXPECT_TRUE(std::binary_search(names.begin(), names.end(),
                                 "envoy.config.cluster.v3.Cluster.EdsClusterConfig"));
}

TEST(Schema, AProtosetIsReadWhole) {
  google::protobuf::FileDescriptorProto file;
  file.set_name("a.proto");
  file.set_package("a");
  file.add_message_type()->set_name("B");
  const auto schema = Schema::FromProtoset(ProtosetOf(file), "mine.protoset");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_FALSE((*schema)->is_embedded());
  EXPECT_EQ((*schema)->name(), "protoset mine.protoset");
  EXPECT_NE((*schema)->Find("a.B"), nullptr);
  EXPECT_THAT((*schema)->MessageNames(), ::testing::ElementsAre("a.B"));
}

TEST(Schema, WhatIsNoProtosetIsRefused) {
  for (const char* const bytes : {"", "no protoset", "\x0a\x05xx"}) {
    const auto schema = Schema::FromProtoset(bytes, "mine");
    EXPECT_EQ(schema.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(schema.status().message()), HasSubstr("protoset mine: not a protoset"));
  }
}

TEST(Schema, AProtosetWithoutItsImportsIsRefused) {
  google::protobuf::FileDescriptorProto file;
  file.set_name("a.proto");
  file.add_dependency("b.proto");
  const auto schema = Schema::FromProtoset(ProtosetOf(file), "mine");
  EXPECT_EQ(schema.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(schema.status().message(),
            "protoset mine: \"a.proto\" imports \"b.proto\", which is not in the set; make it with "
            "--include_imports");
}

TEST(Schema, AFileThatCannotBeBuiltHasNoMessages) {
  google::protobuf::FileDescriptorProto file;
  file.set_name("a.proto");
  auto* const field = file.add_message_type()->add_field();
  file.mutable_message_type(0)->set_name("A");
  field->set_name("f");
  field->set_number(1);
  field->set_type_name(".nowhere.B");
  const auto schema = Schema::FromProtoset(ProtosetOf(file), "mine");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ((*schema)->Find("A"), nullptr);
}

TEST(Schema, APathThatCannotBeReadIsNamed) {
  const auto schema = Schema::Load("/nonexistent/envoy.protoset");
  EXPECT_EQ(schema.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(
      schema.status().message(),
      "protoset \"/nonexistent/envoy.protoset\": cannot be opened: No such file or directory");
}

TEST(Schema, AFileThatNobodyCanMeanIsNotRead) {
  const std::string path = testing::TempDir() + "/huge.protoset";
  std::ofstream(path).flush();
  std::filesystem::resize_file(path, kMostProtosetBytes + 1);  // A hole: it takes no room.
  const auto schema = Schema::Load(path);
  std::filesystem::remove(path);
  EXPECT_EQ(schema.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(schema.status().message(),
            absl::StrCat("protoset \"", path, "\": longer than the most we read, 268435456 bytes"));
}

TEST(Schema, TheFullOneHasWhatTheSmallOneLeavesOut) {
  const auto schema = Schema::Load("");
  ASSERT_TRUE(schema.ok()) << schema.status();
  if ((*schema)->is_embedded()) {
    GTEST_SKIP() << "no build/protoset/envoy.protoset: ./dev setup has not made it, or could not "
                    "reach the registry";
  }
  const auto field_of = [&](const char* type, const char* field) {
    const google::protobuf::Descriptor* const found = (*schema)->Find(type);
    return found == nullptr ? nullptr : found->FindFieldByName(field);
  };
  EXPECT_NE(field_of("envoy.config.cluster.v3.Cluster", "connect_timeout"), nullptr);
  EXPECT_NE(field_of("envoy.config.cluster.v3.Cluster", "http2_protocol_options"), nullptr);
  EXPECT_NE(field_of("envoy.service.discovery.v3.DiscoveryResponse", "resource_errors"), nullptr);
  EXPECT_NE((*schema)->Find("envoy.extensions.transport_sockets.tls.v3.Secret"), nullptr);
  EXPECT_NE((*schema)->Find("xds.type.v3.TypedStruct"), nullptr);
  EXPECT_GT((*schema)->MessageNames().size(), 2000u);
  // Every file can be built by the protobuf that is here, not only by the one that wrote it.
  for (const std::string& name : (*schema)->MessageNames()) {
    EXPECT_NE((*schema)->Find(name), nullptr) << name;
  }
}

// What is written with the small one must mean the same to whoever has the full one.
TEST(Schema, TheEmbeddedOneIsPartOfTheFullOne) {
  const auto full = Schema::Load("");
  ASSERT_TRUE(full.ok()) << full.status();
  if ((*full)->is_embedded()) GTEST_SKIP() << "no build/protoset/envoy.protoset";
  int fields = 0;
  for (const std::string& name : Schema::Embedded()->MessageNames()) {
    const google::protobuf::Descriptor* const ours = Schema::Embedded()->Find(name);
    ASSERT_NE(ours, nullptr) << name;
    // xds-protos has no grpc.health.v1.
    if (ours->file()->package() == "grpc.health.v1") continue;
    const google::protobuf::Descriptor* const theirs = (*full)->Find(name);
    ASSERT_NE(theirs, nullptr) << name;
    for (int i = 0; i < ours->field_count(); ++i, ++fields) {
      const google::protobuf::FieldDescriptor& field = *ours->field(i);
      const auto* const same = theirs->FindFieldByName(field.name());
      ASSERT_NE(same, nullptr) << field.full_name();
      EXPECT_EQ(field.number(), same->number()) << field.full_name();
      EXPECT_EQ(field.type(), same->type()) << field.full_name();
      EXPECT_EQ(field.label(), same->label()) << field.full_name();
      EXPECT_EQ(field.real_containing_oneof() != nullptr, same->real_containing_oneof() != nullptr)
          << field.full_name();
      if (field.message_type() != nullptr) {
        EXPECT_EQ(field.message_type()->full_name(), same->message_type()->full_name());
      }
      if (field.enum_type() != nullptr) {
        EXPECT_EQ(field.enum_type()->full_name(), same->enum_type()->full_name());
        EXPECT_EQ(field.enum_type()->value_count(), same->enum_type()->value_count());
      }
    }
  }
  EXPECT_GT(fields, 350);
}

TEST(Schema, TheEmbeddedOneHasTheFieldsOfPublishedConfigurations) {
  for (const auto& [type, field] : std::vector<std::pair<std::string, std::string>>{
           {"envoy.config.cluster.v3.Cluster", "connect_timeout"},
           {"envoy.config.cluster.v3.Cluster", "http2_protocol_options"},
           {"envoy.config.cluster.v3.Cluster", "typed_extension_protocol_options"},
           {"envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
            "stat_prefix"},
           {"envoy.config.listener.v3.Listener", "filter_chains"},
           {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions", "explicit_http_config"}}) {
    ASSERT_NE(Schema::Embedded()->Find(type), nullptr) << type;
    EXPECT_NE(Schema::Embedded()->Find(type)->FindFieldByName(field), nullptr) << field;
  }
}

TEST(Schema, WithoutAPathThereIsAlwaysOne) {
  const auto schema = Schema::Load("");
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_NE((*schema)->Find("envoy.config.cluster.v3.Cluster"), nullptr);
}

}  // namespace
}  // namespace holdfast
