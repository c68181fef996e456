#!/usr/bin/env python3
"""The pictures of docs/pictures: what the program really prints, drawn as a terminal.

    make_pictures.py [--program build/release/bin/holdfast] [demo|ps|why ...]

Each picture is of a run that was made for it, on a terminal of its own. Without names all are made; a
command that the program does not have yet is left out, and said.
"""

import argparse
import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
COLUMNS = 104
# `ps` cuts the reason to the terminal: so wide it is whole.
PS_COLUMNS = 192

# The look, once: everything else is arithmetic.
CELL_WIDTH, CELL_HEIGHT, MARGIN, BAR = 8.4, 19, 16, 30
FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
BACKGROUND, BAR_COLOUR, PLAIN, FAINT = "#12171f", "#1d2430", "#d5dbe5", "#8b96a8"
COLOURS = {31: "#ff7b72", 32: "#56d364", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea"}

ESCAPE = re.compile(r"\033\[([0-9;?]*)([A-Za-z])")


@dataclass(frozen=True)
class Look:
    colour: int = 0
    bold: bool = False
    faint: bool = False

    def after(self, codes):
        """What these SGR codes make of it; others change nothing."""
        look = self
        for code in codes:
            if code == 0:
                look = Look()
            elif code == 1:
                look = replace(look, bold=True)
            elif code == 2:
                look = replace(look, faint=True)
            elif code == 22:
                look = replace(look, bold=False, faint=False)
            elif code == 39 or code in COLOURS:
                look = replace(look, colour=0 if code == 39 else code)
        return look


def read_screen(text, columns=COLUMNS):
    """What a terminal shows after this text: lines of (character, Look). Knows what our programs
    use: colours, going up, clearing, and wrapping at the right edge."""
    lines, row, column, look = [[]], 0, 0, Look()

    def down():
        nonlocal row
        row += 1
        if row == len(lines):
            lines.append([])

    at = 0
    while at < len(text):
        found = ESCAPE.match(text, at)
        if found:
            at = found.end()
            numbers = [int(number or 0) for number in found[1].lstrip("?").split(";")]
            if found[2] == "m":
                look = look.after(numbers)
            elif found[2] == "A":
                row = max(0, row - max(1, numbers[0]))
            elif found[2] == "K":
                del lines[row][column:]
            elif found[2] == "J":
                del lines[row][column:], lines[row + 1:]
            continue
        character = text[at]
        at += 1
        if character == "\n":
            down()
            column = 0
        elif character == "\r":
            column = 0
        else:
            if column == columns:
                down()
                column = 0
            line = lines[row]
            line.extend([(" ", Look())] * (column - len(line)))
            line[column:column + 1] = [(character, look)]
            column += 1
    while lines and not lines[-1]:
        lines.pop()
    return lines


def runs_of(line):
    """(column, text, Look) of what can be drawn at once. A sign stands alone, because fonts differ in
    how wide they make it; and there are no two spaces in a row, which SVG would make one."""
    runs = []
    for column, (character, look) in enumerate(line):
        joins = (runs and runs[-1][2] == look and runs[-1][1][-1].isascii() and character.isascii())
        if joins:
            start, text, _ = runs[-1]
            runs[-1] = (start, text + character, look)
        else:
            runs.append((column, character, look))
    return [(column + part.start(), part[0], look) for column, text, look in runs
            for part in re.finditer(r"\S+(?: \S+)*", text)]


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def draw_run(column, text, look, baseline):
    colour = COLOURS.get(look.colour, FAINT if look.faint else PLAIN)
    bold = ' font-weight="bold"' if look.bold else ""
    # Whatever the font is, columns stay where they are.
    length = f' textLength="{number(len(text) * CELL_WIDTH)}"' if len(text) > 1 else ""
    return (f'<text x="{number(MARGIN + column * CELL_WIDTH)}" y="{number(baseline)}" '
            f'fill="{colour}"{bold}{length} lengthAdjust="spacingAndGlyphs">'
            f'{escape(text, quote=False)}</text>')


def render_terminal(text, title="", columns=COLUMNS):
    """The SVG of a terminal on which this was printed."""
    lines = read_screen(text, columns)
    width = 2 * MARGIN + columns * CELL_WIDTH
    height = BAR + 2 * MARGIN + len(lines) * CELL_HEIGHT
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" '
           f'height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}" '
           f'font-family="{FONT}" font-size="14" role="img" aria-label="{escape(title)}">',
           f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
           f'<path d="M0 {BAR}V8a8 8 0 0 1 8-8h{number(width - 16)}a8 8 0 0 1 8 8v{BAR - 8}z" '
           f'fill="{BAR_COLOUR}"/>']
    svg += [f'<circle cx="{MARGIN + 4 + 18 * i}" cy="{BAR // 2}" r="5.5" fill="{colour}"/>'
            for i, colour in enumerate((COLOURS[31], COLOURS[33], COLOURS[32]))]
    svg.append(f'<text x="50%" y="{BAR // 2 + 5}" fill="{FAINT}" text-anchor="middle">'
               f'{escape(title, quote=False)}</text>')
    for row, line in enumerate(lines):
        baseline = BAR + MARGIN + (row + 0.75) * CELL_HEIGHT
        svg += [draw_run(*run, baseline) for run in runs_of(line)]
    return "\n".join(svg) + "\n</svg>\n"


def run_on_terminal(command, columns=COLUMNS, may_fail=False):
    """Everything that the command prints on a terminal so wide."""
    primary, secondary = pty.openpty()
    fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("GRPC_", "HOLDFAST_", "NO_COLOR"))}
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=secondary, stderr=secondary,
                             env={**clean, "TERM": "xterm-256color", "CLICOLOR_FORCE": "1"})
    os.close(secondary)
    output = b""
    with contextlib.suppress(OSError):  # Linux says EIO when the last writer is gone.
        while piece := os.read(primary, 65536):
            output += piece
    os.close(primary)
    if child.wait() != 0 and not may_fail:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {child.returncode}:\n"
                           + output.decode(errors="replace"))
    return output.decode().replace("\r\n", "\n")




def redraw(lines):
    """Text that shows these lines of a screen again."""
    codes = {Look(): "0"}
    text = ""
    for line in lines:
        for character, look in line:
            code = codes.setdefault(look, ";".join(
                ["0"] + ["1"] * look.bold + ["2"] * look.faint
                + ([str(look.colour)] if look.colour else [])))
            text += f"\033[{code}m{character}"
        text += "\033[0m\n"
    return text


def demo_in_short(text):
    """Of the story: how it begins, one act, the table and the verdict."""
    # Long lines are shown in full by the program; here nobody can scroll.
    lines = read_screen(text, columns=10_000)
    words = ["".join(character for character, _ in line) for line in lines]

    def part(first, last):
        start = next(i for i, line in enumerate(words) if line.startswith(first))
        end = next(i for i in range(start, len(words)) if words[i].startswith(last))
        return lines[start:end]

    def dots():
        return [[(character, Look(faint=True)) for character in "     ..."], []]

    return redraw(part("An outage", "1/8") + dots()
                  + part("3/8", "4/8") + dots()
                  + part("7/8", "8/8") + dots()
                  + part("what happened", "What they said") + [lines[-1]])


def make_demo(program):
    return "holdfast demo", demo_in_short(run_on_terminal([program, "demo"])), COLUMNS


@contextlib.contextmanager
def a_cluster_that_is_held_back(program, kinds=("lds", "rds", "cds", "eds")):
    """A control plane that serves a cluster which its client, which has an older one, rejects."""
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    from serve_process import ServeProcess, service
    from watch_process import WatchProcess, bootstrap

    names = [f"{kind}/web" for kind in kinds]
    # A control plane answers health checks, too: a backend like any other.
    with ServeProcess(program) as one, ServeProcess(program) as two:
        good, bad = (service("web", one.ads, two.ads, lb=lb) for lb in ("round_robin", "maglev"))
        with (ServeProcess(program, files={"web.yaml": good}) as plane,
              WatchProcess(program, names, bootstrap(plane.ads, node="web-1")) as watch):
            for _ in names:
                watch.next_event()
            plane.write("web.yaml", bad)
            while watch.next_event()["event"] != "ambient_error":
                pass
            time.sleep(3)  # So that there is an age to show.
            yield plane


def make_ps(program):
    # Of one type only: each more is a column that the reason has not.
    with a_cluster_that_is_held_back(program, kinds=("cds",)) as plane:
        return "holdfast ps", run_on_terminal([program, "ps", "--server", plane.admin],
                                              PS_COLUMNS, may_fail=True), PS_COLUMNS


def make_why(program):
    with a_cluster_that_is_held_back(program) as plane:
        return "holdfast why cds/web", run_on_terminal(
            [program, "why", "cds/web", "--server", plane.admin], may_fail=True), COLUMNS


MAKERS = {"demo": make_demo, "ps": make_ps, "why": make_why}


def has_command(program, name):
    done = subprocess.run([program, name, "--help"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/bin/holdfast")
    parser.add_argument("names", nargs="*", metavar="demo|ps|why")
    options = parser.parse_args()
    program = str(options.program.resolve())
    if unknown := [name for name in options.names if name not in MAKERS]:
        parser.error(f"no picture {unknown[0]}; there are: {' '.join(MAKERS)}")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in options.names or MAKERS:
        if not has_command(program, name):
            print(f"{name}: this program does not have that command; no picture", file=sys.stderr)
            continue
        title, text, columns = MAKERS[name](program)
        path = PICTURES / f"{name}.svg"
        path.write_text(render_terminal(text, title, columns), encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
