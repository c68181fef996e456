// The messages that `full_resources.py write DIR` put into DIR, and how a test says what each of
// them is to us. Every case needs an expectation and every expectation a case.
#pragma once

#include <gmock/gmock.h>

#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/validation_errors.h"
#include "resources/decode/decode.h"
#include "tests/interop/differences.h"
#include "tests/interop/resource_members.h"
#include "xds/any_resource_type.h"

namespace holdfast {

// The types in the index, each with its cases: name → bytes. Fails the test, and returns nothing,
// if HOLDFAST_FOREIGN_DIR does not name such a directory.
using CasesByType = std::map<std::string, std::map<std::string, std::string>>;
const CasesByType& AllForeignCases();

// The cases of one type. Fails the test unless they are the `expected` ones.
std::map<std::string, std::string> ForeignCases(const std::string& type,
                                                const std::set<std::string>& expected);

// The bytes of one case. Fails the test if there is none.
std::string ForeignCase(const std::string& type, const std::string& name);

// What a decoder makes of a case: a resource, or errors.
template <class T>
struct Expectation {
  T resource;
  std::vector<std::string> not_enforced;  // in any order
  std::vector<FieldError> errors;         // all of them, as Sorted() gives them
};

template <class T>
using Expectations = std::map<std::string, Expectation<T>>;

template <class T>
Expectation<T> Accepted(T resource, std::vector<std::string> not_enforced = {}) {
  return {.resource = std::move(resource), .not_enforced = std::move(not_enforced)};
}

template <class T>
Expectation<T> Rejected(std::string path, std::string text) {
  return {.errors = {{std::move(path), std::move(text)}}};
}

inline void PrintTo(const FieldError& error, std::ostream* out) {
  *out << error.path << ": " << error.text;
}

template <class T>
void ExpectDecoded(const Decoded<T>& decoded, const Expectation<T>& expected) {
  EXPECT_THAT(decoded.errors.Sorted(), testing::ElementsAreArray(expected.errors));
  if (!decoded.errors.ok() || !expected.errors.empty()) return;
  ExpectSame(decoded.resource, expected.resource);
  EXPECT_THAT(decoded.not_enforced, testing::UnorderedElementsAreArray(expected.not_enforced));
}

template <class T>
void ExpectAllDecoded(const std::string& type,
                      Decoded<T> (*decode)(absl::string_view, const DecodeContext&),
                      const DecodeContext& context, const Expectations<T>& expectations) {
  std::set<std::string> names;
  for (const auto& [name, expectation] : expectations) names.insert(name);
  for (const auto& [name, bytes] : ForeignCases(type, names)) {
    const auto expected = expectations.find(name);
    if (expected == expectations.end()) continue;  // ForeignCases has complained
    SCOPED_TRACE(absl::StrCat(type, ".", name));
    EXPECT_EQ(absl::StartsWith(name, "invalid_"), !expected->second.errors.empty());
    ExpectDecoded(decode(bytes, context), expected->second);
  }
}

}  // namespace holdfast
