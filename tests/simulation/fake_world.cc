#include "tests/simulation/fake_world.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace holdfast {
namespace {

class FakeType final : public AnyResourceType {
 public:
  FakeType(absl::string_view name, absl::string_view noun, bool is_full_state)
      : url_(absl::StrCat("type.googleapis.com/", name)),
        name_(name),
        noun_(noun),
        is_full_state_(is_full_state) {}

  absl::string_view type_name() const override { return name_; }
  absl::string_view noun() const override { return noun_; }
  bool is_full_state() const override { return is_full_state_; }
  absl::string_view url() const { return url_; }

  DecodedResource Decode(absl::string_view bytes, const DecodeContext&) const override {
    DecodedResource decoded;
    const int content = ContentOf(bytes);
    if (content >= 0) {
      decoded.value = std::make_shared<ResourceOf<int>>(content);
    } else {
      decoded.errors.Add("is no content of this world");
    }
    return decoded;
  }

 private:
  std::string url_;
  std::string name_;
  std::string noun_;
  bool is_full_state_;
};

const FakeType& Fake(int type) {
  static const FakeType* const types = new FakeType[kTypes]{
      {"test.Listener", "listener", true},
      {"test.Cluster", "cluster", true},
      {"test.Route", "route", false},
      {"test.Endpoint", "endpoint", false},
  };
  HOLDFAST_CHECK(type >= 0 && type < kTypes);
  return types[type];
}

// "0", "1", ... with a word before each.
std::vector<std::string> Numbered(absl::string_view before, int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.push_back(absl::StrCat(before, i));
  return texts;
}

}  // namespace

const AnyResourceType& TypeAt(int type) { return Fake(type); }
bool IsFullState(int type) { return Fake(type).is_full_state(); }
absl::string_view TypeUrlAt(int type) { return Fake(type).url(); }

absl::string_view NameAt(int name) {
  static constexpr absl::string_view kAll = "abcde";
  static_assert(kAll.size() == kNames);
  return kAll.substr(static_cast<size_t>(name), 1);
}

int IndexOfTypeUrl(absl::string_view url) {
  for (int type = 0; type < kTypes; ++type) {
    if (TypeUrlAt(type) == url) return type;
  }
  return -1;
}

int IndexOfName(absl::string_view name) {
  if (name.size() != 1 || name[0] < 'a' || name[0] >= 'a' + kNames) return -1;
  return name[0] - 'a';
}

absl::string_view ContentAt(int content) {
  static const std::vector<std::string>& texts =
      *new std::vector<std::string>(Numbered("v", kContents));
  return texts[static_cast<size_t>(content)];
}

absl::string_view OtherSpellingAt(int content) {
  static const std::vector<std::string>& texts =
      *new std::vector<std::string>(Numbered("v0", kContents));
  return texts[static_cast<size_t>(content)];
}

int ContentOf(const ResourceValue& value) {
  return static_cast<const ResourceOf<int>&>(value).value;
}

int ContentOf(absl::string_view bytes) {
  if (bytes.size() < 2 || bytes[0] != 'v') return -1;
  int content = 0;
  for (const char digit : bytes.substr(1)) content = content * 10 + (digit - '0');
  return content;
}

absl::string_view NumberText(int number) {
  static const std::vector<std::string>& texts =
      *new std::vector<std::string>(Numbered("", kMostNumbers));
  HOLDFAST_CHECK(number > 0 && number < kMostNumbers);
  return texts[static_cast<size_t>(number)];
}

}  // namespace holdfast
