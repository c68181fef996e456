"""Every rule of check_requirements.py and test_tags.py can fail, each with its own words."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_requirements  # noqa: E402
import test_tags  # noqa: E402

# 98 requirements that count, and one of each kind that does not.
REQUIREMENTS = "# id, class, words\n\n" + "\n".join(
    [f"R1.{number:02} C words" for number in range(1, 95)]
    + ["R3-T07 C a row", "R3-T08a C a row", "R3-T08b C a row", "R3-T09 C a row",
       "R1.95 D words", "R1.96 X words", "R3-T17 R words", "DEC-01 C words"]) + "\n"


def junit(**statuses):
    """ctest's own form, as written by 3.25; keys are test names with '__' for '.'."""
    extra = {
        "run": "", "fail": '<failure message=""/>', "disabled": "",
        "skip": '<skipped message="SKIP_RETURN_CODE=77"/>',
        "gone": '<skipped message="Unable to find executable"/>',
    }
    written = {"skip": "notrun", "gone": "notrun"}
    cases = "".join(
        f'<testcase name="{name.replace("__", ".")}" status="{written.get(status, status)}">'
        f"{extra[status]}<system-out>x</system-out></testcase>"
        for name, status in statuses.items())
    return f'<?xml version="1.0" encoding="UTF-8"?><testsuite name="t">{cases}</testsuite>'


def check(files, junit_text, requirements=REQUIREMENTS, list_waiting=False):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_requirements.check(root, requirements, [junit_text], list_waiting)


def shown(text, junit_text, name="src/a/a_test.cc"):
    """The last line's number, for one file that must give no error."""
    lines, errors = check({name: text}, junit_text)
    assert not errors, errors
    return int(lines[-1].removeprefix("class C: shown ").removesuffix(" of 98"))


def errors_of(text, junit_text=junit(A__B="run"), name="src/a/a_test.cc"):
    return check({name: text}, junit_text)[1]


class CountingTest(unittest.TestCase):
    def test_a_test_that_ran_and_passed_shows_its_ids(self):
        self.assertEqual(shown("TEST(A, B) {  // R1.01, R3-T08a\n}\n", junit(A__B="run")), 2)

    def test_a_test_that_did_not_pass_shows_nothing(self):
        for status in ("fail", "skip", "disabled", "gone"):
            with self.subTest(status):
                self.assertEqual(shown("TEST(A, B) {}  // R1.01\n", junit(A__B=status)), 0)

    def test_one_failing_test_takes_away_what_another_shows(self):
        text = "TEST(A, B) {}  // R1.01\nTEST(A, C) {}  // R1.01\n"
        self.assertEqual(shown(text, junit(A__B="run", A__C="fail")), 0)
        self.assertEqual(shown(text, junit(A__B="run", A__C="skip")), 1)

    def test_only_class_c_requirements_count(self):
        text = "TEST(A, B) {}  // R1.95 R1.96 R3-T17 DEC-01\n"
        self.assertEqual(shown(text, junit(A__B="run")), 0)

    def test_an_id_counts_once(self):
        text = "TEST(A, B) {}  // R1.01\nTEST(A, C) {}  // R1.01\n"
        self.assertEqual(shown(text, junit(A__B="run", A__C="run")), 1)

    def test_two_programs_with_a_test_of_one_name_must_both_pass(self):
        both = junit(A__B="run").replace("</testsuite>", "") + junit(A__B="fail").split(">", 2)[2]
        self.assertEqual(check_requirements.read_junit(both),
                         [("A.B", "passed"), ("A.B", "failed")])
        self.assertEqual(shown("TEST(A, B) {}  // R1.01\n", both), 0)

    def test_a_test_may_be_skipped_in_one_of_several_runs(self):
        runs = [junit(A__B="skip", A__C="run"), junit(A__B="run", A__C="fail")]
        self.assertEqual(check_requirements.read_runs(runs),
                         [("A.C", "passed"), ("A.B", "passed"), ("A.C", "failed")])

    def test_the_list_names_those_that_wait(self):
        lines, errors = check({"src/a_test.cc": "TEST(A, B) {}  // R1.01\n"}, junit(A__B="run"),
                              list_waiting=True)
        self.assertEqual(errors, [])
        self.assertEqual(len(lines), 98)
        self.assertEqual(lines[0], "waits: R1.02 words")
        self.assertEqual(lines[-1], "class C: shown 1 of 98")


class WhichTestTest(unittest.TestCase):
    def meant(self, text, path="src/a_test.cc"):
        find = test_tags.python_tags if path.endswith(".py") else test_tags.cpp_tags
        return {tag.id: tag.meant for tag in find(path, text)}

    def test_from_the_comment_above_to_the_closing_brace(self):
        text = ("// R1.01: above, and\n// R1.02 above that\n"
                "TEST_F(A, B) {  // R1.03\n  f(R\"(\n}\n)\");\n  // R1.04\n}\n\n"
                "TEST(A,\n     VeryLong) {\n  g();  // R1.05\n}\n")
        self.assertEqual(self.meant(text), {
            "R1.01": "A.B", "R1.02": "A.B", "R1.03": "A.B", "R1.04": "A.B", "R1.05": "A.VeryLong"})

    def test_a_row_of_a_table(self):
        text = ('namespace a {\nconstexpr Row kRows[] = {\n'
                '    {"One", kX, {"inner"}},  // R1.01\n'
                '    {.name = "Two",\n     .text = "other"},  // R1.02\n'
                '    // R1.03: why\n    {"Three", f(")")},\n'
                '    Bad("Four", [](auto& x) { x.set("y"); },\n'
                '        "text"),  // R1.04\n};\n'
                'std::vector<Row> More() {\n  Start("no row");\n  return {\n'
                '      {"Five"},  // R1.05\n  };\n}\n'
                'TEST_P(A, B) {}\n}\n')
        self.assertEqual(self.meant(text), {
            "R1.01": "the row One", "R1.02": "the row Two", "R1.03": "the row Three",
            "R1.04": "the row Four", "R1.05": "the row Five"})

    def test_a_row_is_shown_by_the_test_of_its_name(self):
        text = '{"One"},  // R1.01\n{"Two"},  // R1.02\nTEST_P(A, B) {}\n'
        names = junit(**{"All/A__B/One": "run", "All/A__B/Two": "fail"})
        self.assertEqual(shown(text, names), 1)
        other = junit(**{"All/Z__B/One": "run", "All/A__B/Two": "run"})
        self.assertEqual(errors_of(text, other), [
            "src/a/a_test.cc:1: R1.01 is tied to no test that ctest knows: the row One"])

    def test_a_row_without_test_p_in_the_file_goes_by_name_alone(self):
        self.assertEqual(shown('{"One"},  // R1.01\n', junit(**{"All/Z__B/One": "run"})), 1)

    def test_a_table_that_a_test_walks_means_that_test(self):
        text = ('namespace {\nconst Row kRows[] = {\n    {"a b", 1},  // R1.01\n};\n'
                'std::vector<Row> More() {\n  return {{"c"},  // R1.02\n  };\n}\n'
                'const Row kOther[] = {{"d"},  // R1.03\n};\n'
                'TEST(A, B) { for (const Row& row : kRows) Try(row); }\n'
                'TEST(A, C) {\n  for (const Row& row : More()) Try(row);\n}\n}\n')
        self.assertEqual(self.meant(text), {
            "R1.01": "A.B", "R1.02": "A.C", "R1.03": "the row d"})
        self.assertEqual(len(errors_of(text, junit(A__B="run", A__C="run"))), 1)

    def test_a_table_whose_rows_are_tests_means_those(self):
        text = ('const Row kRows[] = {\n    {"One"},  // R1.01\n};\n'
                'TEST_P(A, B) {}\nTEST(A, Count) { EXPECT_EQ(size(kRows), 1); }\n'
                'INSTANTIATE_TEST_SUITE_P(All, A, ValuesIn(kRows), Name());\n')
        self.assertEqual(self.meant(text), {"R1.01": "the row One"})

    def test_every_instance_of_a_parameterised_test_must_pass(self):
        text = "TEST_P(A, B) {}  // R1.01\n"
        self.assertEqual(shown(text, junit(**{"X/A__B/0": "run", "X/A__B/1": "run"})), 1)
        self.assertEqual(shown(text, junit(**{"X/A__B/0": "run", "X/A__B/1": "fail"})), 0)
        self.assertEqual(shown(text, junit(**{"X/A__B/0": "run", "X/A__B/1": "skip"})), 0)
        self.assertEqual(len(errors_of(text, junit(A__B="run"))), 1)

    def test_printed_parameters_are_no_part_of_a_name(self):
        text = '{"One"},  // R1.01\nTEST_P(A, B) {}\n'
        self.assertEqual(shown(text, junit(**{"X/A__B/One  # GetParam() = a/b": "run"})), 1)

    def test_a_typed_test_has_a_name_for_each_type(self):
        text = "TYPED_TEST(A, B) {}  // R1.01\n"
        self.assertEqual(
            shown(text, junit(**{"A__B&lt;int&gt;": "run", "A__B&lt;char&gt;": "run"})), 1)

    def test_a_disabled_test_is_known_and_shows_nothing(self):
        self.assertEqual(
            shown("TEST(A, DISABLED_B) {}  // R1.01\n", junit(A__B="disabled")), 0)

    def test_a_python_file_names_its_ctest(self):
        text = '# ctest: interop.schema\ncheck()  # R1.01\nx = "# R7.77 is text"\n'
        self.assertEqual(
            shown(text, junit(interop__schema="run"), name="tests/interop/schema_test.py"), 1)
        self.assertEqual(self.meant(text, "a.py"), {"R1.01": "interop.schema"})

    def test_so_may_a_file_whose_tests_ctest_does_not_know(self):
        text = "// ctest: interop.bytes, interop.more\nTEST(A, B) {}  // R1.01\n"
        self.assertEqual(self.meant(text), {"R1.01": "interop.bytes, interop.more"})
        self.assertEqual(shown(text, junit(interop__bytes="run")), 1)
        self.assertEqual(shown(text, junit(interop__bytes="run", interop__more="fail")), 0)

    def test_a_comment_in_a_string_is_no_tag(self):
        self.assertEqual(self.meant('TEST(A, B) { f("// R9.99"); }\n'), {})

    def test_only_files_of_tests_are_read(self):
        lines, errors = check({"src/a.cc": "// R9.99\n", "src/a.h": "// R9.98\n"}, junit())
        self.assertEqual((lines, errors), (["class C: shown 0 of 98"], []))


class ErrorTest(unittest.TestCase):
    def test_a_tag_that_names_no_requirement(self):
        for tag in ("R1.99", "R1.1", "R1.01x", "R3-T7", "R3-T99", "DEC-99"):
            with self.subTest(tag):
                self.assertEqual(errors_of(f"\nTEST(A, B) {{}}  // {tag}\n"), [
                    f"src/a/a_test.cc:2: {tag} is no requirement of tests/spec/requirements.txt"])

    def test_a_tag_in_no_test(self):
        self.assertEqual(errors_of("#include <string>\n// All of R1.01.\n\nTEST(A, B) {}\n"), [
            "src/a/a_test.cc:2: R1.01 is tied to no test: "
            "neither in a test nor on a named row of a table"])

    def test_what_a_file_says_of_itself_shows_nothing_but_must_exist(self):
        text = "// All of {}.\n\n#include <string>\nTEST(A, B) {{}}\n"
        self.assertEqual(shown(text.format("R1.01"), junit(A__B="run")), 0)
        self.assertEqual(errors_of(text.format("R9.99")), [
            "src/a/a_test.cc:1: R9.99 is no requirement of tests/spec/requirements.txt"])

    def test_a_tag_after_a_test_is_not_of_that_test(self):
        self.assertEqual(errors_of("TEST(A, B) {\n}\n// R1.01\n"), [
            "src/a/a_test.cc:3: R1.01 is tied to no test: "
            "neither in a test nor on a named row of a table"])

    def test_a_tag_of_a_test_that_ctest_does_not_know(self):
        self.assertEqual(errors_of("TEST(A, C) {}  // R1.01\n"), [
            "src/a/a_test.cc:1: R1.01 is tied to no test that ctest knows: A.C"])

    def test_a_python_file_without_its_ctest_name(self):
        self.assertEqual(errors_of("check()  # R1.01\n", name="tests/x/y.py"), [
            "tests/x/y.py:1: R1.01 is tied to no test: the file has no line `# ctest: <name>`"])

    def test_a_line_that_is_no_requirement(self):
        for line in ("R1.97", "R1.97 Q words", "Rx C words", "R1.97 C "):
            with self.subTest(line):
                self.assertEqual(check({}, junit(), REQUIREMENTS + line + "\n")[1], [
                    "tests/spec/requirements.txt:105: not of the form <id> <C|D|X|R> <words>"])

    def test_a_requirement_twice(self):
        self.assertEqual(check({}, junit(), REQUIREMENTS + "R1.96 X words\n")[1], [
            "tests/spec/requirements.txt:105: R1.96 again"])

    def test_a_line_too_long(self):
        self.assertEqual(check({}, junit(), REQUIREMENTS + "R1.97 X " + "w" * 93 + "\n")[1], [
            "tests/spec/requirements.txt:105: longer than 100 columns"])

    def test_another_number_of_class_c_requirements(self):
        self.assertEqual(check({}, junit(), REQUIREMENTS + "R1.97 C words\n")[1], [
            "tests/spec/requirements.txt: 99 class-C requirements, not 98"])


if __name__ == "__main__":
    unittest.main()
