#include "wire/piece_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/wire_bytes.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;

struct Walk {
  std::vector<std::string> fields;  // "number:bytes"
  bool is_broken = false;

  friend bool operator==(const Walk&, const Walk&) = default;
};

template <class Reader>
Walk WalkOf(Reader reader) {
  Walk walk;
  WireField field;
  while (reader.Next(field)) {
    walk.fields.push_back(absl::StrCat(
        field.number, ":",
        field.type == WireType::kLengthDelimited ? field.bytes : absl::string_view("-")));
  }
  walk.is_broken = reader.is_broken();
  return walk;
}

// All ways to cut a message in three.
void ExpectSameInPieces(const std::string& message) {
  const Walk whole = WalkOf(WireReader(message));
  for (size_t first = 0; first <= message.size(); ++first) {
    for (size_t second = first; second <= message.size(); ++second) {
      const std::string a = message.substr(0, first);
      const std::string b = message.substr(first, second - first);
      const std::string c = message.substr(second);
      std::deque<std::string> joined;
      const std::vector<absl::string_view> pieces = {a, b, c};
      EXPECT_EQ(WalkOf(PieceReader(pieces, joined)), whole) << first << " " << second;
    }
  }
}

const std::string& EveryKindOfField() {
  static const std::string& message = *new std::string(absl::StrCat(
      Field(1, "one"), NumberField(300, 1u << 30), Field(2, ""), Tag(3, 1), std::string(8, 'x'),
      Tag(4, 5), std::string(4, 'y'), Field(5, std::string(130, 'z'))));
  return message;
}

TEST(PieceReader, ReadsWhateverTheCutsAsOnePiece) { ExpectSameInPieces(EveryKindOfField()); }

TEST(PieceReader, ReadsAGroupThatIsCut) {
  const std::string group = absl::StrCat(Tag(7, 3), Field(1, "in"), NumberField(2, 5), Tag(7, 4));
  ExpectSameInPieces(absl::StrCat(Field(1, "before"), group, Field(2, "after"), Field(3, "end")));
  ExpectSameInPieces(absl::StrCat(Field(1, "before"), Tag(7, 3), Field(2, "never ended")));
}

TEST(PieceReader, FindsTheSameBreaksAsOnePiece) {
  ExpectSameInPieces(absl::StrCat(Field(1, "one"), Tag(2, 2),
                                  "\x05"
                                  "ab"));  // truncated
  ExpectSameInPieces(absl::StrCat(Field(1, "one"), Tag(2, 6), Field(3, "three")));
  ExpectSameInPieces(absl::StrCat(Field(1, "one"), std::string(11, '\xff'), Field(3, "three")));
  ExpectSameInPieces(absl::StrCat(Field(1, "one"), Tag(0, 2)));
}

TEST(PieceReader, CopiesOnlyWhatWasCut) {
  const std::string first = absl::StrCat(Field(1, "one"), Field(2, "two")).substr(0, 7);
  const std::string second = absl::StrCat(Field(1, "one"), Field(2, "two")).substr(7);
  std::deque<std::string> joined;
  const std::vector<absl::string_view> pieces = {first, second};
  EXPECT_THAT(WalkOf(PieceReader(pieces, joined)).fields, ElementsAre("1:one", "2:two"));
  EXPECT_THAT(joined, ElementsAre(Field(2, "two")));
}

TEST(PieceReader, NoPiecesAreAnEmptyMessage) {
  std::deque<std::string> joined;
  EXPECT_EQ(WalkOf(PieceReader({}, joined)), Walk());
}

}  // namespace
}  // namespace holdfast
