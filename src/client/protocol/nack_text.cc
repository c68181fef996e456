#include "client/protocol/nack_text.h"

#include "absl/strings/str_cat.h"
#include "base/outside_text.h"

namespace holdfast {

void NackText::Add(absl::string_view list, size_t index, absl::string_view noun,
                   absl::string_view name, absl::string_view text) {
  std::string where = absl::StrCat(list, "[", index, "]");
  if (!name.empty()) absl::StrAppend(&where, " ", noun, " ", Quoted(name));
  Add(absl::StrCat(where, ": ", BoundedText(text, kMostBytesEach)));
}

void NackText::Add(absl::string_view text) {
  ++count_;
  if (text_.size() + text.size() > kMostBytes) {
    ++left_out_;
    return;
  }
  absl::StrAppend(&text_, text_.empty() ? "" : "; ", text);
}

std::string NackText::Text() const {
  if (left_out_ == 0) return text_;
  return absl::StrCat(text_, "; and ", left_out_, " more");
}

}  // namespace holdfast
