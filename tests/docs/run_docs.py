#!/usr/bin/env python3
"""Does what a document tells its reader to do, and sees what the document says he sees.

    run_docs.py --program build/dev/bin/holdfast [--not-run FILE] README.md docs/guide/*.md

Every fenced block of a document is one of these, or the run fails:
- `console`: lines that begin with "$ " are commands of one shell, in a scratch directory; the lines
  below them are what they print, blank ones too. What differs from run to run (times, versions,
  ports) is compared by its form, and "..." stands for anything. A command ends with exit code 0,
  unless `<!-- exit codes: 0 79 -->` above the block says otherwise, one for each command. One that
  ends with "&" runs until the end of the document; what it prints is waited for.
- a block whose first line is a comment with a path ("# conf/web.yaml"): that file.
- a block below `<!-- from FILE -->`: a piece of that file of the project, line by line, but for
  indentation; a line "// ..." stands for lines that are left out.
- a block below `<!-- all of FILE -->`: that file of the project, but for the comment at its top.
- a block below `<!-- not run: REASON -->`: skipped. The run says so, in FILE too.
"""

import argparse
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS_FOR_A_COMMAND = 60
SECONDS_FOR_A_LINE = 20

FENCE = re.compile(r"^```(\w*)\s*$")
DIRECTIVE = re.compile(r"^<!--\s*(from|all of|exit codes:|not run:)\s*(.*?)\s*-->$")
PATH_COMMENT = re.compile(r"^(?:#|//)\s+(\S+\.\w+)$")
# A line of a piece that stands for lines which are left out.
GAPS = ("// ...", "# ...")

# What no two runs have alike, by its form. The order counts: a time has numbers in it.
FORMS = [
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"), "<time>"),
    (re.compile(r"\b\d\d:\d\d:\d\d(\.\d+)?Z?"), "<time>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<version>"),
    (re.compile(r"\b[0-9a-f]{8}\b…?"), "<version>"),
    (re.compile(r"\b\d+(\.\d+)?(ms|us|s|m|h)\b( \d+(ms|s|m)\b)?"), "<span>"),
    (re.compile(r"ipv4:127\.0\.0\.1:[1-9]\d{4}\b"), "<peer>"),
]


class Wrong(Exception):
    """What a document says is not so."""


@dataclass
class Block:
    line: int
    language: str
    directive: tuple = ()
    lines: list = field(default_factory=list)


def blocks_of(text):
    blocks, current, directive = [], None, ()
    for number, line in enumerate(text.splitlines(), start=1):
        fence = FENCE.match(line)
        if current is not None:
            if line.rstrip() == "```":
                blocks.append(current)
                current = None
            else:
                current.lines.append(line)
        elif fence:
            current, directive = Block(number, fence.group(1), directive), ()
        elif found := DIRECTIVE.match(line.strip()):
            directive = found.groups()
        elif line.strip():
            directive = ()
    if current is not None:
        raise Wrong(f"line {current.line}: a block that does not end")
    return blocks


def codes_of(block, count):
    """The exit code that each command of a block has."""
    if not block.directive:
        return [0] * count
    codes = [int(code) for code in block.directive[1].split()]
    if len(codes) != count:
        raise Wrong(f"has {count} commands and {len(codes)} exit codes")
    return codes


def form_of(line):
    for pattern, name in FORMS:
        line = pattern.sub(name, line)
    return re.sub(r"\s+", " ", line).strip()


def agrees(said, printed):
    parts = [re.escape(part) for part in form_of(said).split("...")]
    return re.fullmatch(".*".join(parts), form_of(printed)) is not None


def first_disagreement(said, printed):
    """None if all agree. A line "..." stands for any number of lines."""
    if not said:
        return None if not printed else f"it also prints: {printed[0]}"
    if said[0].strip() == "...":
        if any(first_disagreement(said[1:], printed[i:]) is None for i in range(len(printed) + 1)):
            return None
        return f"after ... no line like: {said[1]}"
    if not printed:
        return f"it does not print: {said[0]}"
    if not agrees(said[0], printed[0]):
        return f"it prints   {printed[0]}\n   instead of  {said[0]}"
    return first_disagreement(said[1:], printed[1:])


def commands_in(lines):
    """Pairs of a command and what it prints; a command goes on after a backslash or a quote."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif found and not found[-1][1] and is_unfinished("\n".join(found[-1][0])):
            found[-1][0].append(line)
        elif found:
            found[-1][1].append(line)
        else:
            raise Wrong(f"a console block begins with \"$ \", not with: {line}")
    return [("\n".join(command), said) for command, said in found]


def is_unfinished(command):
    return command.endswith("\\") or command.count("'") % 2 == 1 or "<<" in command and \
        subprocess.run(["bash", "-nc", command], capture_output=True, check=False).stderr != b""


class Reader:
    """Somebody who follows a document, in a scratch directory with a shell."""

    def __init__(self, program):
        self.home = Path(tempfile.mkdtemp(prefix="holdfast_docs_"))
        self.running = []  # (process, file of its output)
        self.shell_state = self.home / ".shell_state"
        self.environment = {**os.environ, "NO_COLOR": "1", "HOME": str(self.home),
                            "PATH": f"{Path(program).resolve().parent}:{os.environ['PATH']}"}
        for name in ("GRPC_XDS_BOOTSTRAP", "GRPC_XDS_BOOTSTRAP_CONFIG"):
            self.environment.pop(name, None)

    def close(self):
        for process, output in reversed(self.running):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.close()
        shutil.rmtree(self.home)

    def write(self, path, lines):
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def do(self, command, said, code=0):
        if command.rstrip().endswith("&"):
            self.begin(command.rstrip()[:-1], said)
            return
        # Variables and jobs of one command are there for the next; a job is known by its number.
        jobs = "".join(f"job{i + 1}={process.pid}\n" for i, (process, _) in
                       enumerate(self.running))
        script = (f"[ -f {self.shell_state} ] && . {self.shell_state}\n{jobs}"
                  f"kill() {{ local a=(); for one in \"$@\"; do case $one in %*) v=job${{one#%}}; "
                  f"a+=(-- -${{!v}});; *) a+=(\"$one\");; esac; done; command kill \"${{a[@]}}\"; }}\n"
                  f"{command}\nstatus=$?\ndeclare -px >{self.shell_state}\nexit $status\n")
        done = subprocess.run(["bash", "-c", script], cwd=self.home, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=SECONDS_FOR_A_COMMAND,
                              check=False)
        printed = done.stdout.splitlines()
        problem = first_disagreement(said, printed)
        if problem is None and done.returncode != code:
            problem = f"it ends with exit code {done.returncode} instead of {code}"
        if problem:
            raise Wrong(f"$ {command}\n   {problem}\n   all it printed:\n" +
                        "\n".join(f"   | {line}" for line in printed))

    def begin(self, command, said):
        state = f"[ -f {self.shell_state} ] && . {self.shell_state}; exec "
        output = open(self.home / f".output{len(self.running)}", "w+", encoding="utf-8")
        process = subprocess.Popen(["bash", "-c", state + command], cwd=self.home,
                                   env=self.environment, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        self.running.append((process, output))
        deadline = time.monotonic() + SECONDS_FOR_A_LINE
        for line in (one for one in said if one.strip() and one.strip() != "..."):
            while not any(agrees(line, one) for one in self.printed_by(output)):
                if time.monotonic() > deadline or process.poll() is not None:
                    raise Wrong(f"$ {command}&\n   it does not print: {line}\n   all it printed:\n" +
                                "\n".join(f"   | {one}" for one in self.printed_by(output)))
                time.sleep(0.05)

    def expect_that_all_goes_on(self):
        for process, output in self.running:
            if process.poll() is not None and process.returncode > 0:
                raise Wrong(f"{process.args[-1]}&\n   it ended with exit code {process.returncode}\n"
                            "   all it printed:\n" +
                            "\n".join(f"   | {one}" for one in self.printed_by(output)))

    @staticmethod
    def printed_by(output):
        return Path(output.name).read_text(encoding="utf-8").splitlines()


def lines_of(name):
    path = ROOT / name
    if not path.is_file():
        raise Wrong(f"there is no {name} that this could be from")
    return path.read_text(encoding="utf-8").splitlines()


def check_piece(block):
    """Each run of lines between two gaps is in the file as it is here."""
    have = [line.strip() for line in lines_of(block.directive[1])]
    begin = 0
    for gap, lines in itertools.groupby((line.strip() for line in block.lines), GAPS.__contains__):
        if gap:
            continue
        run = list(lines)
        ends = [i + len(run) for i in range(begin, len(have)) if have[i:i + len(run)] == run]
        if not ends:
            best = max((common_length(run, have[i:]) for i in range(begin, len(have))), default=0)
            raise Wrong(f"{block.directive[1]} does not have, there, the line: {run[best]}")
        begin = ends[0]


def common_length(some, others):
    """How many of the first lines are the same."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(some, others)))


def check_all(block):
    have = list(itertools.dropwhile(lambda line: line.startswith("//"),
                                    lines_of(block.directive[1])))
    if have != block.lines:
        raise Wrong(f"is not all of {block.directive[1]}: it goes another way after line "
                    f"{common_length(have, block.lines)} of the block")


def follow(document, program):
    """How many blocks were done, and a line for each that was not."""
    reader = Reader(program)
    done, left_out = 0, []
    try:
        for block in blocks_of(document.read_text(encoding="utf-8")):
            try:
                if block.directive and block.directive[0] == "not run:":
                    left_out.append(f"line {block.line}: {block.directive[1]}")
                    continue
                if block.directive and block.directive[0] == "from":
                    check_piece(block)
                elif block.directive and block.directive[0] == "all of":
                    check_all(block)
                elif block.language == "console":
                    commands = commands_in(block.lines)
                    for (command, said), code in zip(commands, codes_of(block, len(commands))):
                        reader.do(command, said, code)
                elif block.lines and (path := PATH_COMMENT.match(block.lines[0].strip())):
                    reader.write(path.group(1), block.lines[1:])
                else:
                    raise Wrong("is no console, has no path, is from nowhere: say why it is not run")
            except (Wrong, subprocess.TimeoutExpired) as problem:
                raise Wrong(f"line {block.line}: {problem}") from None
            done += 1
        reader.expect_that_all_goes_on()
    finally:
        reader.close()
    return done, left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="the holdfast to run")
    parser.add_argument("--not-run", type=Path, help="file for the list of blocks that were not run")
    parser.add_argument("documents", nargs="+", type=Path)
    arguments = parser.parse_args()
    failed, not_run = False, []
    for document in arguments.documents:
        try:
            done, left_out = follow(document, arguments.program)
        except Wrong as problem:
            failed = True
            print(f"{document}: {problem}")
            continue
        print(f"{document}: {done} blocks done, {len(left_out)} not run")
        not_run += [f"{document}: {line}" for line in left_out]
    for line in not_run:
        print(f"not run: {line}")
    if arguments.not_run is not None:
        arguments.not_run.write_text("".join(f"not run: {line}\n" for line in not_run),
                                     encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
