#!/usr/bin/env python3
"""Runs the fuzz targets that were built into build/fuzz.

    fuzz.py SECONDS [NAME]

Each target works on a copy of its seeds, so the seeds stay as they were written. One line a target
says whether it got anywhere: coverage and features with the seeds alone, and at the end. A finding
is kept in build/fuzz/findings, and the exit code is 1.
"""

import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RSS_LIMIT_MB = 2048
SECONDS_FOR_ONE_INPUT = 10
SMALLEST_MAX_LEN = 4096

# "#12	INITED cov: 512 ft: 900 corp: 9/1234b exec/s: 0 rss: 40Mb"
STATUS = re.compile(r"^#(\d+)\s+(\w+)\s+cov: (\d+) ft: (\d+) corp: (\d+)/", re.MULTILINE)
EXECUTIONS = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)
EXEC_PER_SECOND = re.compile(r"^stat::average_exec_per_sec:\s*(\d+)", re.MULTILINE)
ARTIFACT = re.compile(r"Test unit written to (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    executions: int
    per_second: int
    first: tuple  # coverage, features, corpus with the seeds alone
    last: tuple


def read_output(output):
    """The Result of what libFuzzer printed, or None if it never got through its seeds."""
    lines = [(match.group(2), tuple(map(int, match.group(3, 4, 5))), int(match.group(1)))
             for match in STATUS.finditer(output)]
    inited = [numbers for word, numbers, _ in lines if word == "INITED"]
    if not inited:
        return None
    executions = EXECUTIONS.search(output)
    per_second = EXEC_PER_SECOND.search(output)
    # After a crash there are no final numbers: then the last status line is the newest.
    return Result(int(executions.group(1)) if executions else lines[-1][2],
                  int(per_second.group(1)) if per_second else 0, inited[0], lines[-1][1])


def describe(name, result):
    (coverage, features, corpus), (last_coverage, last_features, last_corpus) = (
        result.first, result.last)
    return (f"{name}: {result.executions} executions, {result.per_second}/s, "
            f"coverage {coverage} -> {last_coverage}, features {features} -> {last_features}, "
            f"corpus {corpus} -> {last_corpus}")


def max_len(seeds):
    """Room to grow: twice the longest seed."""
    return max([SMALLEST_MAX_LEN, *(2 * seed.stat().st_size for seed in seeds)])


def command_for(program, name, seconds, seeds_dir, scratch, findings):
    seeds = [path for path in seeds_dir.iterdir() if path.is_file()]
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    for seed in seeds:
        shutil.copy(seed, scratch)
    findings.mkdir(parents=True, exist_ok=True)
    command = [str(program), str(scratch), f"-max_total_time={seconds}",
               f"-max_len={max_len(seeds)}", f"-rss_limit_mb={RSS_LIMIT_MB}",
               f"-timeout={SECONDS_FOR_ONE_INPUT}", f"-artifact_prefix={findings}/{name}-",
               "-print_final_stats=1"]
    dictionary = seeds_dir.parents[1] / f"{name}.dict"
    if dictionary.is_file():
        command.append(f"-dict={dictionary}")
    return command


def run_target(root, name, seconds):
    """Whether it ran to its end without a finding."""
    program = root / f"build/fuzz/tests/fuzz/fuzz_{name}"
    seeds = root / f"tests/fuzz/corpus/{name}"
    if not program.is_file() or not seeds.is_dir():
        print(f"{name}: FAILED: there is no {seeds if program.is_file() else program}")
        return False
    log = root / f"build/fuzz/{name}.log"
    command = command_for(program, name, seconds, seeds, root / f"build/fuzz/scratch/{name}",
                          root / "build/fuzz/findings")
    with open(log, "w", encoding="utf-8") as file:
        code = subprocess.run(command, stdout=file, stderr=file, check=False).returncode
    output = log.read_text(encoding="utf-8", errors="replace")
    result = read_output(output)
    if result:
        print(describe(name, result), flush=True)
    if code == 0 and result:
        return True
    artifact = ARTIFACT.search(output)
    if artifact:
        again = shlex.join([str(program), artifact.group(1)])
        print(f"{name}: FINDING {artifact.group(1)}\n  again: {again}\n  whole log: {log}",
              flush=True)
    else:
        tail = "\n".join(output.splitlines()[-20:])
        print(f"{name}: FAILED with exit {code} and no input to show for it\n{tail}", flush=True)
    return False


def main(arguments, root=ROOT):
    if len(arguments) not in (1, 2) or not arguments[0].isdigit():
        print(__doc__.strip(), file=sys.stderr)
        return 64
    names = sorted(path.name.removesuffix("_fuzzer.cc")
                   for path in (root / "tests/fuzz").glob("*_fuzzer.cc"))
    wanted = [name for name in names if len(arguments) == 1 or name == arguments[1]]
    if not wanted:
        print(f"no such fuzz target; there are: {' '.join(names)}", file=sys.stderr)
        return 64
    return 0 if all([run_target(root, name, int(arguments[0])) for name in wanted]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
