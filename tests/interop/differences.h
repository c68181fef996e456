// Where two values of our structs differ, member by member: "virtual_hosts[0].routes[2].name: is
// "a", expected "b"". A failed == of two route tables says nothing, and their bytes say less.
//
// A struct is looked into if resource_members.h lists its members. One that is not listed is
// compared by ==, and so is a whole value at the end: a forgotten member is found too, unnamed.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace holdfast {

template <class Struct, class Type>
struct Member {
  const char* name;
  Type Struct::*pointer;
};

// Found by the type of the argument, so it may be declared after this file.
template <class T>
concept HasMembers = requires(const T* value) {
  MembersOf(value);
};

class Differ {
 public:
  template <class T>
  void Compare(const std::string& path, const T& found, const T& expected) {
    if constexpr (HasMembers<T>) {
      std::apply(
          [&](const auto&... members) { (CompareMember(path, members, found, expected), ...); },
          MembersOf(&found));
    } else if (!(found == expected)) {
      Add(path, TextOf(found), TextOf(expected));
    }
  }

  template <class T>
  void Compare(const std::string& path, const std::vector<T>& found,
               const std::vector<T>& expected) {
    if (found.size() != expected.size()) {
      Add(absl::StrCat(path, ".size()"), absl::StrCat(found.size()), absl::StrCat(expected.size()));
    }
    for (size_t i = 0; i < found.size() && i < expected.size(); ++i) {
      Compare(absl::StrCat(path, "[", i, "]"), found[i], expected[i]);
    }
  }

  template <class T>
  void Compare(const std::string& path, const std::map<std::string, T>& found,
               const std::map<std::string, T>& expected) {
    for (const auto& [key, value] : expected) {
      const std::string here = absl::StrCat(path, "[", key, "]");
      const auto it = found.find(key);
      if (it == found.end()) {
        Add(here, "missing", "there");
      } else {
        Compare(here, it->second, value);
      }
    }
    for (const auto& [key, value] : found) {
      if (!expected.contains(key)) Add(absl::StrCat(path, "[", key, "]"), "there", "missing");
    }
  }

  template <class T>
  void Compare(const std::string& path, const std::optional<T>& found,
               const std::optional<T>& expected) {
    ComparePointees(path, found, expected);
  }

  template <class T>
  void Compare(const std::string& path, const std::shared_ptr<const T>& found,
               const std::shared_ptr<const T>& expected) {
    ComparePointees(path, found, expected);
  }

  template <class... Types>
  void Compare(const std::string& path, const std::variant<Types...>& found,
               const std::variant<Types...>& expected) {
    if (found.index() != expected.index()) {
      Add(path, absl::StrCat("alternative ", found.index()),
          absl::StrCat("alternative ", expected.index()));
      return;
    }
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          Compare(path, value, std::get<T>(expected));
        },
        found);
  }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  template <class Struct, class Type>
  void CompareMember(const std::string& path, const Member<Struct, Type>& member,
                     const Struct& found, const Struct& expected) {
    Compare(absl::StrCat(path, ".", member.name), found.*member.pointer, expected.*member.pointer);
  }

  template <class Pointer>
  void ComparePointees(const std::string& path, const Pointer& found, const Pointer& expected) {
    const bool is_there = static_cast<bool>(found);
    if (is_there != static_cast<bool>(expected)) {
      Add(path, is_there ? "set" : "not set", is_there ? "not set" : "set");
    } else if (is_there) {
      Compare(path, *found, *expected);
    }
  }

  template <class T>
  static std::string TextOf(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return absl::StrCat(static_cast<std::underlying_type_t<T>>(value));
    } else {
      return testing::PrintToString(value);
    }
  }

  void Add(absl::string_view path, absl::string_view found, absl::string_view expected) {
    lines_.push_back(
        absl::StrCat(absl::StripPrefix(path, "."), ": is ", found, ", expected ", expected));
  }

  std::vector<std::string> lines_;
};

template <class T>
void ExpectSame(const T& found, const T& expected) {
  Differ differ;
  differ.Compare("", found, expected);
  for (const std::string& line : differ.lines()) ADD_FAILURE() << line;
  if (differ.lines().empty()) {
    EXPECT_TRUE(found == expected) << "in a member that resource_members.h does not list";
  }
}

}  // namespace holdfast
