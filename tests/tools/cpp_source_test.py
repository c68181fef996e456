"""What tools/cpp_source.py takes for code, comment and literal."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import cpp_source  # noqa: E402


def texts(pieces):
    return [piece.text for piece in pieces]


class SplitTest(unittest.TestCase):
    def test_a_comment_is_no_code(self):
        source = cpp_source.split("int a;  // getenv\nint b; /* rand( */ int c;\n")
        self.assertEqual(texts(source.comments), [" getenv"])
        self.assertNotIn("getenv", source.code)
        self.assertNotIn("rand", source.code)
        self.assertIn("int c;", source.code)

    def test_a_string_is_no_code_and_no_comment(self):
        source = cpp_source.split('f("// not \\" a { comment", "b");\n')
        self.assertEqual(texts(source.strings), ['// not \\" a { comment', "b"])
        self.assertEqual(source.comments, [])
        self.assertNotIn("{", source.code)

    def test_a_raw_string_may_hold_anything(self):
        source = cpp_source.split('x = R"j({\n}\n")" // no)j";  // yes\nint y;')
        self.assertEqual(texts(source.strings), ['{\n}\n")" // no'])
        self.assertEqual([(c.line, c.text) for c in source.comments], [(3, " yes")])
        self.assertTrue(source.code.endswith("int y;"))

    def test_a_quote_in_a_character_opens_no_string(self):
        source = cpp_source.split("f('\"', '\\'', 1'000'000);  // done\n")
        self.assertEqual(source.strings, [])
        self.assertEqual(texts(source.comments), [" done"])
        self.assertIn("1'000'000", source.code)

    def test_lines_and_offsets_stay_true(self):
        text = '/* a\n b */ int x;\nf(R"(1\n2)", "s");\n// end'
        source = cpp_source.split(text)
        self.assertEqual(len(source.code), len(text))
        self.assertEqual([piece.line for piece in source.strings], [3, 4])
        self.assertEqual(source.comments[0].line, 5)
        self.assertEqual(source.line_of(source.code.index("int x")), 2)

    def test_an_unfinished_literal_ends_with_its_line_or_file(self):
        self.assertIn("int y", cpp_source.split('#error "no end\nint y;').code)
        self.assertEqual(cpp_source.split("/* open").code, "       ")


if __name__ == "__main__":
    unittest.main()
