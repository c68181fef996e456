"""Foreign bytes, read by our code, and our bytes, read by foreign code.

    foreign_bytes_test.py DIR FULL_RESOURCES_TEST REWRITE_FOREIGN

Writes the cases of full_resources.py into DIR, runs the program that decodes them and compares each
with what it should be, runs the one that writes them again, and compares what it wrote.
"""

# ctest: interop.foreign_bytes
# Both kinds of response carry resource_errors, and foreign code reads ours: R2.01 R2.02 R2.03.
# A resource with two names is a problem of that entry, R1.84; dynamic parameters are none, R1.85.

import copy
import os
import pathlib
import shutil
import subprocess
import sys

import full_resources


def run(name, command, **more_environment):
    """Whether the program was content; it says itself what it was not content with."""
    done = subprocess.run(command, env={**os.environ, **more_environment}, check=False)
    if done.returncode != 0:
        print(f"{name} failed with exit code {done.returncode}")
    return done.returncode == 0


def without_details(status):
    status.ClearField("details")


def without_unused(kind, message):
    """The message without what our structs leave out on purpose; wire/ cannot write it back.

    Dynamic parameters are out of scope, in requests (locators) and in names (constraints). A
    gRPC client never looks at the details of a status or at `canary`, and neither does our control
    plane. A delta resource has a name, so it needs no resource_name; what caches between client and
    server are told (cache_control, metadata) is not for us.
    """
    left = copy.deepcopy(message)
    if kind == "sotw_request":
        left.ClearField("resource_locators")
    if kind == "delta_request":
        left.ClearField("resource_locators_subscribe")
        left.ClearField("resource_locators_unsubscribe")
    if kind == "sotw_response":
        left.ClearField("canary")
    if kind == "delta_response":
        for resource in left.resources:
            for field in ("resource_name", "aliases", "cache_control", "metadata"):
                resource.ClearField(field)
        # One list of removed names in our struct, whichever way they were said.
        left.removed_resources.extend(name.name for name in left.removed_resource_names)
        left.ClearField("removed_resource_names")
    if kind.endswith("_request"):
        without_details(left.error_detail)
    else:
        for error in left.resource_errors:
            without_details(error.error_detail)
            error.resource_name.ClearField("dynamic_parameter_constraints")
    return left


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    directory, decode, rewrite = pathlib.Path(arguments[0]), *arguments[1:]
    shutil.rmtree(directory, ignore_errors=True)
    foreign, ours = directory / "foreign", directory / "ours"
    cases = full_resources.all_cases()
    full_resources.write(foreign, cases)
    print(f"wrote {len(cases)} cases into {foreign}", flush=True)

    decoded = run("decoding", [decode], HOLDFAST_FOREIGN_DIR=str(foreign))
    rewritten = run("rewriting", [rewrite, str(foreign), str(ours)])
    discovery = {(kind, case): without_unused(kind, message)
                 for (kind, case), message in cases.items()
                 if kind.endswith(("_request", "_response"))}
    lines = full_resources.differences(ours, cases)
    lines += [f"encoded by wire/: {line}"
              for line in full_resources.differences(ours / "encoded", discovery)]
    code = full_resources.finish(
        lines, f"{len(cases)} rewritten and {len(discovery)} encoded messages are the same")
    return 0 if decoded and rewritten and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
