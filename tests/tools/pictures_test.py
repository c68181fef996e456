"""What a picture shows is what a terminal would."""

import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import make_pictures  # noqa: E402
from make_pictures import Look, read_screen, render_terminal, runs_of  # noqa: E402


def words(text, columns=40):
    return ["".join(character for character, _ in line) for line in read_screen(text, columns)]


class Screen(unittest.TestCase):
    def test_lines_stay_where_they_are_written(self):
        self.assertEqual(words("one\ntwo\n\nfour\n"), ["one", "two", "", "four"])

    def test_live_lines_are_written_over(self):
        self.assertEqual(words("title\na 1\nb 1\n\033[2A\r\033[Ja 2\n\033[1A\r\033[Jend\n"),
                         ["title", "end"])
        self.assertEqual(words("12345\r\033[Kab\n"), ["ab"])
        self.assertEqual(words("12345\rab\n"), ["ab345"])

    def test_a_long_line_wraps_at_the_edge(self):
        self.assertEqual(words("12345678\n9\n", columns=4), ["1234", "5678", "9"])

    def test_colours_go_with_characters(self):
        self.assertEqual(read_screen("\033[1;31ma\033[0mb\033[2mc\033[22md\033[5me"),
                         [[("a", Look(31, bold=True)), ("b", Look()), ("c", Look(faint=True)),
                           ("d", Look()), ("e", Look())]])

    def test_what_is_alike_is_drawn_at_once_and_a_sign_alone(self):
        line = read_screen("\033[32m✔ ok\033[0m  so it  is")[0]
        self.assertEqual(runs_of(line), [(0, "✔", Look(32)), (2, "ok", Look(32)),
                                         (6, "so it", Look()), (13, "is", Look())])

    def test_what_was_read_can_be_shown_again(self):
        screen = read_screen("\033[1mbold\033[0m plain \033[31m✖ bad\033[0m\n\n\033[2mfaint\n")
        self.assertEqual(read_screen(make_pictures.redraw(screen)), screen)


class Picture(unittest.TestCase):
    def test_it_is_well_formed_and_has_every_character(self):
        svg = render_terminal("a <b> & \"c\"\n\033[31m✖ no\033[0m\n", "x & y", columns=20)
        texts = [node.text for node in ElementTree.fromstring(svg).iter()
                 if node.tag.endswith("text")]
        self.assertEqual(texts, ["x & y", 'a <b> & "c"', "✖", "no"])
        self.assertIn(make_pictures.COLOURS[31], svg)

    def test_the_same_text_is_the_same_picture(self):
        self.assertEqual(render_terminal("a\n", "t"), render_terminal("a\n", "t"))

    def test_it_is_as_high_as_it_has_lines(self):
        def height(text):
            return float(ElementTree.fromstring(render_terminal(text)).get("height"))
        self.assertEqual(height("a\nb\nc\n") - height("a\n"), 2 * make_pictures.CELL_HEIGHT)


class Story(unittest.TestCase):
    STORY = """\033[1mAn outage in eight acts\033[0m
about it

1/8  All is well
     fine

3/8  The listener is deleted
     told

4/8  Denied
7/8  All is dead
     told

8/8  Repaired

What became of the calls

what happened  stock
listener deleted  \033[31m✖ 3 of 4 failed\033[0m

What they said
long
✔ Holdfast kept what it promises
"""

    def test_the_picture_has_the_acts_that_matter_and_the_table(self):
        self.assertEqual(words(make_pictures.demo_in_short(self.STORY), 100), [
            "An outage in eight acts", "about it", "", "     ...", "",
            "3/8  The listener is deleted", "     told", "", "     ...", "",
            "7/8  All is dead", "     told", "", "     ...", "",
            "what happened  stock", "listener deleted  ✖ 3 of 4 failed", "",
            "✔ Holdfast kept what it promises"])


if __name__ == "__main__":
    unittest.main()
