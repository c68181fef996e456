#!/usr/bin/env python3
"""Writes a C++ file with the bytes of another file in it, for data that a program cannot do without.

    embed_bytes.py IN OUT.cc NAME    OUT.cc defines absl::string_view holdfast::NAME()
"""

import pathlib
import sys

NUMBERS_A_LINE = 24


def source_of(data, name):
    lines = [", ".join(map(str, data[at:at + NUMBERS_A_LINE]))
             for at in range(0, len(data), NUMBERS_A_LINE)]
    numbers = ",\n    ".join(lines)
    return (f'#include "absl/strings/string_view.h"\n\nnamespace holdfast {{\n\n'
            f"absl::string_view {name}() {{\n"
            f"  static constexpr unsigned char kBytes[] = {{\n    {numbers}}};\n"
            f"  return absl::string_view(reinterpret_cast<const char*>(kBytes), sizeof kBytes);\n"
            f"}}\n\n}}  // namespace holdfast\n")


def main(arguments):
    if len(arguments) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 64
    data = pathlib.Path(arguments[0]).read_bytes()
    pathlib.Path(arguments[1]).write_text(source_of(data, arguments[2]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
