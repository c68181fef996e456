#include "control/source/state_format.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "control/catalog/content_hash.h"
#include "control/catalog/references.h"

namespace holdfast {
namespace {

constexpr absl::string_view kMagic = "HOLDFAST";
constexpr int kNumberBytes = 8;
constexpr uint64_t kNoTtl = 0;
constexpr uint64_t kHasTtl = 1;

class Writer {
 public:
  void Number(uint64_t number) {
    for (int i = 0; i < kNumberBytes; ++i) bytes_.push_back(static_cast<char>(number >> (8 * i)));
  }
  void Text(absl::string_view text) {
    Number(text.size());
    bytes_.append(text.data(), text.size());
  }
  void Key(const ResourceKey& key) {
    Text(key.type);
    Text(key.name);
  }
  void Errors(const std::map<ResourceKey, NameError>& errors) {
    Number(errors.size());
    for (const auto& [key, error] : errors) {
      Key(key);
      Number(static_cast<uint64_t>(error.code));
      Text(error.message);
    }
  }
  void Ttl(const std::optional<absl::Duration>& ttl) {
    Number(ttl.has_value() ? kHasTtl : kNoTtl);
    if (!ttl.has_value()) return;
    absl::Duration rest;
    Number(static_cast<uint64_t>(absl::IDivDuration(*ttl, absl::Seconds(1), &rest)));
    Number(static_cast<uint64_t>(absl::ToInt64Nanoseconds(rest)));
  }
  void File(const GoodFile& file) {
    Number(file.resources.size());
    for (const auto& [key, resource] : file.resources) {
      Key(key);
      Text(resource->body());
      Ttl(resource->ttl());
    }
    Errors(file.errors);
    Errors(file.withheld);
    Number(file.labels.size());
    for (const auto& [type, label] : file.labels) {
      Text(type);
      Text(label);
    }
    Text(file.access_refusal);
  }

  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Once something is wrong every further answer is empty, and ok() says so.
class Reader {
 public:
  explicit Reader(absl::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  absl::string_view rest() const { return rest_; }

  uint64_t Number() {
    const absl::string_view bytes = Bytes(kNumberBytes);
    uint64_t number = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      number |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return number;
  }
  std::string Text() { return std::string(TextInPlace()); }
  absl::string_view TextInPlace() { return Bytes(Number()); }
  ResourceKey Key() {
    ResourceKey key{Text(), Text()};
    if (key.type.empty() || key.name.empty()) Fail();
    return key;
  }
  // Calls `read` as often as the count in front says, or until something is wrong.
  template <class Read>
  void List(Read read) {
    for (uint64_t left = Number(); ok_ && left > 0; --left) read();
  }

  std::map<ResourceKey, NameError> Errors() {
    std::map<ResourceKey, NameError> errors;
    List([&] {
      ResourceKey key = Key();
      const uint64_t code = Number();
      std::string message = Text();
      if (code < 1 || code > 16) Fail();
      if (ok_)
        errors.emplace(std::move(key), NameError{static_cast<int>(code), std::move(message)});
    });
    return errors;
  }
  std::optional<absl::Duration> Ttl() {
    const uint64_t has_ttl = Number();
    if (has_ttl == kNoTtl) return std::nullopt;
    if (has_ttl != kHasTtl) Fail();
    const auto seconds = static_cast<int64_t>(Number());
    const auto nanos = static_cast<int64_t>(Number());
    return absl::Seconds(seconds) + absl::Nanoseconds(nanos);
  }
  GoodFile File() {
    GoodFile file;
    List([&] {
      const ResourceKey key = Key();
      const absl::string_view body = TextInPlace();
      const std::optional<absl::Duration> ttl = Ttl();
      if (!ok_) return;
      file.resources.emplace(key, std::make_shared<const Resource>(key.type, key.name, body, ttl,
                                                                   ChildrenOf(key.type, body)));
    });
    file.errors = Errors();
    file.withheld = Errors();
    List([&] {
      std::string type = Text();
      std::string label = Text();
      if (ok_) file.labels.emplace(std::move(type), std::move(label));
    });
    file.access_refusal = Text();
    return file;
  }

 private:
  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  absl::string_view Bytes(uint64_t count) {
    if (count > rest_.size()) Fail();
    if (!ok_) return {};
    const absl::string_view bytes = rest_.substr(0, static_cast<size_t>(count));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  absl::string_view rest_;
  bool ok_ = true;
};

absl::Status Broken(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("not what was written: ", what));
}

}  // namespace

std::string EncodeState(const LastGood& good) {
  Writer body;
  body.Number(good.size());
  for (const auto& [name, file] : good) {
    body.Text(name);
    body.File(file);
  }
  const std::string files = body.Take();
  const ContentHash checksum = HashOf(files);
  Writer head;
  head.Number(kStateFormat);
  head.Number(files.size());
  head.Number(checksum.high);
  head.Number(checksum.low);
  return absl::StrCat(kMagic, head.Take(), files);
}

absl::StatusOr<LastGood> DecodeState(absl::string_view bytes) {
  if (!absl::ConsumePrefix(&bytes, kMagic)) return Broken("it does not begin as a state file does");
  Reader reader(bytes);
  const uint64_t format = reader.Number();
  if (reader.ok() && format != kStateFormat) {
    return absl::FailedPreconditionError(absl::StrCat("of format ", format, ", and this release ",
                                                      "reads format ", kStateFormat, " only"));
  }
  const uint64_t size = reader.Number();
  const ContentHash checksum{reader.Number(), reader.Number()};
  if (!reader.ok()) return Broken("it ends too early");
  if (reader.rest().size() != size) {
    return Broken(
        absl::StrCat("it has ", reader.rest().size(), " bytes after its head instead of ", size));
  }
  if (HashOf(reader.rest()) != checksum) return Broken("its checksum does not match");

  LastGood good;
  reader.List([&] {
    std::string name = reader.Text();
    GoodFile file = reader.File();
    if (reader.ok()) good.insert_or_assign(std::move(name), std::move(file));
  });
  if (!reader.ok() || !reader.at_end()) return Broken("its lists do not add up");
  return good;
}

}  // namespace holdfast
