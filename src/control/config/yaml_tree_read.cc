// YamlTree::Read: text to nodes, by way of yaml-cpp's events. The only file that knows yaml-cpp.
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <initializer_list>
#include <istream>
#include <streambuf>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/outside_text.h"
#include "base/utf8.h"
#include "control/config/config_file.h"
#include "control/config/yaml_tree.h"
#include "control/config/yaml_tree_builder.h"

namespace holdfast {
namespace {

// yaml-cpp keeps the tokens of a flow collection, some two hundred bytes a value, until it ends.
constexpr size_t kMostWaitingValues = 300'000;

YamlPlace PlaceOf(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

// By the end of the first `bytes` of the text.
YamlPlace PlaceAfter(absl::string_view text, size_t bytes) {
  const absl::string_view before = text.substr(0, bytes);
  const size_t newline = before.rfind('\n');
  const size_t line_begin = newline == absl::string_view::npos ? 0 : newline + 1;
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(bytes - line_begin) + 1};
}

// Every token of a flow collection has one of these in it or beside it.
bool IsTokenCharacter(char c) {
  return absl::string_view(",:[]{}?&*!\"'").find(c) != absl::string_view::npos;
}

// Feeds memory that somebody else keeps to yaml-cpp, bit by bit, and sees how much of it yaml-cpp
// swallows without an event.
class TextFeed final : public std::streambuf {
 public:
  TextFeed(absl::string_view text, const YamlTreeBuilder& builder)
      : text_(text), builder_(builder) {}

 protected:
  int_type underflow() override {
    if (fed_ == text_.size()) return traits_type::eof();
    if (builder_.event_count() != events_seen_) {
      events_seen_ = builder_.event_count();
      waiting_ = 0;
      last_event_at_ = fed_;
    }
    const absl::string_view bit = text_.substr(fed_, kBitBytes);
    waiting_ += static_cast<size_t>(std::count_if(bit.begin(), bit.end(), IsTokenCharacter));
    if (waiting_ > kMostWaitingValues) {
      Refuse(PlaceAfter(text_, last_event_at_),
             absl::StrCat("more than ", kMostWaitingValues,
                          " values in one [...], {...} or text near here; write them in lines of "
                          "their own, or the whole file in JSON"));
    }
    // The interface is older than const; nothing is ever put back or written.
    char* const begin = const_cast<char*>(bit.data());
    setg(begin, begin, begin + bit.size());
    fed_ += bit.size();
    return traits_type::to_int_type(*begin);
  }

 private:
  static constexpr size_t kBitBytes = 4096;

  const absl::string_view text_;
  const YamlTreeBuilder& builder_;
  size_t fed_ = 0;
  size_t events_seen_ = 0;
  size_t last_event_at_ = 0;
  size_t waiting_ = 0;
};

// yaml-cpp guesses an encoding, and takes a control character for the end of the text.
std::optional<YamlError> CheckCharacters(absl::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const size_t length = byte < 0x80 ? 1 : Utf8CharacterLength(text.substr(at));
    if (length == 0) {
      return YamlError{PlaceAfter(text, at), "not UTF-8; a configuration must be text in UTF-8"};
    }
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f) {
      return YamlError{PlaceAfter(text, at),
                       absl::StrCat("control character ", absl::Hex(byte, absl::kZeroPad2),
                                    " (hex); a configuration must be text")};
    }
    at += length;
  }
  return std::nullopt;
}

absl::string_view LineOf(absl::string_view text, int line) {
  for (; line > 1; --line) {
    const size_t newline = text.find('\n');
    if (newline == absl::string_view::npos) return "";
    text.remove_prefix(newline + 1);
  }
  return text.substr(0, text.find('\n'));
}

// What yaml-cpp says of a tab is that something after it is "illegal".
bool IsIndentedWithTab(absl::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r");
  return line.substr(0, begin).find('\t') != absl::string_view::npos;
}

// A tag that changes nothing: none, or that of a type which the node has anyway.
void CheckTag(const YAML::Mark& mark, absl::string_view tag,
              std::initializer_list<absl::string_view> known) {
  absl::string_view type = tag;
  if (tag.empty() || tag == "?" || tag == "!") return;
  if (absl::ConsumePrefix(&type, "tag:yaml.org,2002:") &&
      std::find(known.begin(), known.end(), type) != known.end()) {
    return;
  }
  Refuse(PlaceOf(mark), absl::StrCat("unknown tag ", Quoted(tag)));
}

// The scalar itself, after the anchor and the tag that may come before it.
size_t SkipProperties(absl::string_view text, size_t at) {
  while (at < text.size()) {
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '&' || text[at] == '!') {
      at = std::min(text.find_first_of(" \t\r\n", at), text.size());
    } else if (absl::ascii_isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

// Whether a quoted scalar begins here and does not end.
bool IsUnclosedQuote(absl::string_view text) {
  if (text.empty() || (text[0] != '"' && text[0] != '\'')) return false;
  const bool is_double = text[0] == '"';
  for (size_t i = 1; i < text.size(); ++i) {
    if (is_double && text[i] == '\\') {
      ++i;
    } else if (text[i] == text[0]) {
      if (is_double || i + 1 == text.size() || text[i + 1] != '\'') return false;
      ++i;
    }
  }
  return true;
}

class EventsToNodes final : public YAML::EventHandler {
 public:
  EventsToNodes(absl::string_view text, YamlTreeBuilder& builder)
      : most_events_(kMostEventsOfAByte * (text.size() + 1)), builder_(builder) {}

  void OnDocumentStart(const YAML::Mark&) override { builder_.StartDocument(); }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    CheckThatItEnds(mark);
    builder_.AddNull(PlaceOf(mark), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    last_scalar_at_ = static_cast<size_t>(std::max(mark.pos, 0));
    CheckTag(mark, tag, {"str", "int", "float", "bool", "null", "binary", "timestamp"});
    const bool is_quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    builder_.AddScalar(PlaceOf(mark), value, is_quoted, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    builder_.AddAlias(PlaceOf(mark), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    CheckThatItEnds(mark);
    CheckTag(mark, tag, {"seq"});
    builder_.Open(PlaceOf(mark), YamlNode::Kind::kSequence, anchor);
  }
  void OnSequenceEnd() override { builder_.Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    CheckThatItEnds(mark);
    CheckTag(mark, tag, {"map"});
    builder_.Open(PlaceOf(mark), YamlNode::Kind::kMap, anchor);
  }
  void OnMapEnd() override { builder_.Close(); }

  // Where the last scalar begins, with its anchor and tag.
  std::optional<size_t> last_scalar_at() const { return last_scalar_at_; }

 private:
  // A lone "?" is the most that a byte can say: a map, with a key and a value that are not there.
  static constexpr size_t kMostEventsOfAByte = 4;

  // yaml-cpp finds one empty node after the other, without end, where a "," of a flow collection
  // stands outside of one. Only what takes up no text can be found without end.
  void CheckThatItEnds(const YAML::Mark& mark) const {
    if (builder_.event_count() < most_events_) return;
    Refuse(PlaceOf(mark),
           "not YAML: more values than text; is there a \",\", \"[\" or \"{\" too many?");
  }

  const size_t most_events_;
  YamlTreeBuilder& builder_;
  std::optional<size_t> last_scalar_at_;
};

// yaml-cpp takes the end of a text for the end of a quoted scalar if a line has just ended there.
// Such a scalar has swallowed all that follows it, so it is the last one.
void CheckLastQuote(absl::string_view text, const EventsToNodes& events) {
  if (!events.last_scalar_at().has_value()) return;
  const size_t quote = SkipProperties(text, *events.last_scalar_at());
  if (IsUnclosedQuote(text.substr(quote))) {
    Refuse(PlaceAfter(text, quote), "this quote is never closed");
  }
}

void ReadYamlInto(YamlTreeBuilder& builder, absl::string_view text) {
  TextFeed feed(text, builder);
  std::istream stream(&feed);
  // Or it would keep to itself what the feed throws.
  stream.exceptions(std::ios::badbit);
  YAML::Parser parser(stream);
  EventsToNodes events(text, builder);
  try {
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::ParserException&) {
    // What else is wrong may well come from it.
    CheckLastQuote(text, events);
    throw;
  }
  CheckLastQuote(text, events);
}

}  // namespace

void YamlTree::Clear() {
  nodes_.clear();
  children_.clear();
  texts_.clear();
  documents_.clear();
}

std::optional<YamlError> YamlTree::Read(absl::string_view text) {
  if (text.size() > kMostFileBytes) {
    return YamlError{{},
                     absl::StrCat("is ", text.size(), " bytes, at most ", kMostFileBytes,
                                  " are read; split it")};
  }
  // Invisible, and put there by editors; columns count from after it.
  absl::ConsumePrefix(&text, "\xef\xbb\xbf");
  if (std::optional<YamlError> error = CheckCharacters(text)) return error;
  try {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin != absl::string_view::npos && (text[begin] == '{' || text[begin] == '[')) {
      YamlTreeBuilder builder(*this, text.size());
      if (ReadJsonInto(builder, text)) return std::nullopt;
      Clear();
    }
    YamlTreeBuilder builder(*this, text.size());
    ReadYamlInto(builder, text);
  } catch (const YamlRefusal& refusal) {
    return refusal.error;
  } catch (const YAML::DeepRecursion& error) {
    return YamlError{PlaceOf(error.mark),
                     absl::StrCat("nested more than ", kMostYamlLevels, " levels deep")};
  } catch (const YAML::Exception& error) {
    if (error.msg == YAML::ErrorMsg::EOF_IN_SCALAR && !absl::EndsWith(text, "\n\n")) {
      // It says where the text ends. With the end of a line there, we see where the quote opens.
      Clear();
      return Read(absl::StrCat(text, "\n"));
    }
    const YamlPlace place = PlaceOf(error.mark);
    if (IsIndentedWithTab(LineOf(text, place.line))) {
      return YamlError{place, "this line is indented with a tab; YAML wants spaces"};
    }
    return YamlError{place, absl::StrCat("not YAML: ", BoundedText(error.msg))};
  }
  return std::nullopt;
}

}  // namespace holdfast
