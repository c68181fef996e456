// What is wrong with a key is told without the key (CP-10).
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "control/config/config_file.h"
#include "control/config/problem.h"

namespace holdfast {
namespace {

namespace pb = google::protobuf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// As Envoy has them, where it matters here.
constexpr char kFiles[] = R"pb(
  file {
    name: "base.proto"
    package: "envoy.config.core.v3"
    syntax: "proto3"
    message_type {
      name: "DataSource"
      field { name: "filename" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
      field { name: "inline_bytes" number: 2 type: TYPE_BYTES label: LABEL_OPTIONAL }
      field { name: "inline_string" number: 3 type: TYPE_STRING label: LABEL_OPTIONAL }
    }
    message_type {
      name: "Other"
      field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
      field { name: "some_bytes" number: 2 type: TYPE_BYTES label: LABEL_OPTIONAL }
    }
  }
  file {
    name: "tls.proto"
    package: "envoy.extensions.transport_sockets.tls.v3"
    syntax: "proto3"
    dependency: "base.proto"
    message_type {
      name: "TlsCertificate"
      field {
        name: "private_key"
        number: 2
        type: TYPE_MESSAGE
        type_name: ".envoy.config.core.v3.DataSource"
        label: LABEL_OPTIONAL
      }
    }
    message_type {
      name: "Secret"
      field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
      field {
        name: "tls_certificate"
        number: 2
        type: TYPE_MESSAGE
        type_name: ".envoy.extensions.transport_sockets.tls.v3.TlsCertificate"
        label: LABEL_OPTIONAL
      }
    }
  }
)pb";

std::vector<std::string> ProblemsOf(const std::string& type, const std::string& fields) {
  pb::FileDescriptorSet files;
  HOLDFAST_CHECK(pb::TextFormat::ParseFromString(kFiles, &files));
  const auto schema = Schema::FromProtoset(files.SerializeAsString(), "test");
  HOLDFAST_CHECK(schema.ok());
  const ConfigFile file = ReadConfigFile(
      "tls.yaml",
      absl::StrCat("resources:\n- \"@type\": type.googleapis.com/", type, "\n  ", fields, "\n"),
      **schema);
  std::vector<std::string> texts;
  for (const Problem& problem : file.problems) texts.push_back(TextOf(problem));
  for (const InvalidResource& invalid : file.invalid) texts.push_back(invalid.text);
  return texts;
}

constexpr char kSecret[] = "envoy.extensions.transport_sockets.tls.v3.Secret";

TEST(SecretValues, AreNotShown) {
  for (const std::string& fields :
       {std::string("tls_certificate: {private_key: {inline_bytes: 'HUSH!'}}"),
        std::string("tls_certificate: {private_key: HUSH!}"), std::string("tls_certificate: HUSH!"),
        std::string("tls_certificate: {private_key: [HUSH!]}"),
        std::string("tls_certificate: {private_key: {inline_string: {HUSH!: 1}}}")}) {
    for (const std::string& text : ProblemsOf(kSecret, "name: s\n  " + fields)) {
      EXPECT_THAT(text, HasSubstr("resources[0].tls_certificate"));
      EXPECT_THAT(text, Not(HasSubstr("HUSH"))) << fields;
    }
  }
  const std::string said =
      "tls.yaml:4:34: error: resources[0].tls_certificate.private_key: is no value of this field; "
      "what is there, 5 bytes, is not shown because it may be secret";
  EXPECT_THAT(ProblemsOf(kSecret, "name: s\n  tls_certificate: {private_key: HUSH!}"),
              ElementsAre(said, said));
  EXPECT_THAT(
      ProblemsOf(kSecret, "name: s\n  tls_certificate: {private_key: {inline_string: 1234}}"),
      testing::Each(Not(HasSubstr("1234"))));
}

TEST(SecretValues, BytesAreNotShownAnywhere) {
  const std::vector<std::string> texts =
      ProblemsOf("envoy.config.core.v3.Other", "name: s\n  some_bytes: 'HUSH!'");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(
      texts[0],
      "tls.yaml:4:15: error: resources[0].some_bytes: expected bytes in base64, got a text of "
      "5 bytes");
}

TEST(SecretValues, WhatIsNoSecretIsShown) {
  EXPECT_THAT(ProblemsOf(kSecret, "name: s\n  tls_certficate: {}"),
              testing::Contains(HasSubstr("did you mean tls_certificate?")));
  EXPECT_THAT(
      ProblemsOf("envoy.config.core.v3.Other", "name: 7"),
      testing::Contains(HasSubstr("expected a string, got a number (7); write it in quotes")));
}

}  // namespace
}  // namespace holdfast
