// Writes JSON, one token after another; whoever calls it knows the grammar.
//
//   JsonWriter json;
//   json.BeginObject().Member("name", "pay").Member("bytes", 512).EndObject();
//   json.text()   // {"name":"pay","bytes":512}
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/json_text.h"

namespace holdfast {

class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }

  // The value comes next.
  JsonWriter& Key(absl::string_view key) {
    Separate();
    AppendText(key);
    text_ += ':';
    is_first_ = true;
    return *this;
  }

  JsonWriter& Value(absl::string_view text) {
    Separate();
    AppendText(text);
    return *this;
  }
  // It would rather be a bool.
  JsonWriter& Value(const char* text) { return Value(absl::string_view(text)); }
  JsonWriter& Value(size_t number) { return Raw(absl::StrCat(number)); }
  JsonWriter& Value(bool is_so) { return Raw(is_so ? "true" : "false"); }
  // RFC 3339 in UTC, with milliseconds.
  JsonWriter& Value(absl::Time time) {
    // What happened at once comes one after another.
    if (time != time_ || time_text_.empty()) {
      time_ = time;
      time_text_ = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
    }
    return Value(absl::string_view(time_text_));
  }

  template <class T>
  JsonWriter& Member(absl::string_view key, const T& value) {
    return Key(key).Value(value);
  }
  JsonWriter& Member(absl::string_view key, const char* value) {
    return Key(key).Value(absl::string_view(value));
  }

  const std::string& text() const { return text_; }
  std::string TakeText() { return std::move(text_); }

 private:
  void Separate() {
    if (!is_first_) text_ += ',';
    is_first_ = false;
  }
  JsonWriter& Raw(absl::string_view token) {
    Separate();
    absl::StrAppend(&text_, token);
    return *this;
  }
  // Most text stands in JSON as it is.
  void AppendText(absl::string_view text) {
    const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
      return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (is_plain) {
      absl::StrAppend(&text_, "\"", text, "\"");
    } else {
      absl::StrAppend(&text_, JsonText(text));
    }
  }
  JsonWriter& Open(char bracket) {
    Separate();
    text_ += bracket;
    is_first_ = true;
    return *this;
  }
  JsonWriter& Close(char bracket) {
    text_ += bracket;
    is_first_ = false;
    return *this;
  }

  std::string text_;
  bool is_first_ = true;
  // Written last.
  absl::Time time_;
  std::string time_text_;
};

}  // namespace holdfast
