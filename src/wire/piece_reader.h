// Walks the fields of one serialized message that came in pieces, as a network delivers it. Fields
// that were cut are joined; all others are views of the piece they are in.
//
//   std::deque<std::string> joined;  // lives as long as the views do
//   PieceReader reader(pieces, joined);
//
// Otherwise as WireReader, to which it is equal where there is one piece.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "wire/wire_reader.h"

namespace holdfast {

class PieceReader {
 public:
  PieceReader(absl::Span<const absl::string_view> pieces, std::deque<std::string>& joined)
      : pieces_(pieces), joined_(joined), reader_(absl::string_view()) {}

  // False at the end and when the bytes are broken.
  bool Next(WireField& field) {
    while (!reader_.Next(field)) {
      if (reader_.is_broken()) return JoinCutField(field);
      if (next_ == pieces_.size()) return false;
      reader_ = WireReader(pieces_[next_++]);
    }
    return true;
  }

  bool is_broken() const { return is_broken_; }

 private:
  // The field at the end of a piece goes on in the next ones, or it is broken.
  bool JoinCutField(WireField& field);

  const absl::Span<const absl::string_view> pieces_;
  std::deque<std::string>& joined_;
  size_t next_ = 0;  // piece
  WireReader reader_;
  bool is_broken_ = false;
};

}  // namespace holdfast
