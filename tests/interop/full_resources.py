"""Resources in which every field of our schema is set, built by somebody else's code.

    python full_resources.py write DIR                  DIR/<type>.<case>.bin, DIR/index.txt
    python full_resources.py covers OURS.descriptor_set is every field of ours set somewhere?
    python full_resources.py same DIR_OURS              did our code write the same messages?
    python full_resources.py self-test OURS.descriptor_set

The builders are in full_listeners.py, full_routes.py, full_clusters.py, full_endpoints.py and
full_discovery.py; README.md says how the C++ side uses the files. A case named invalid_* holds
something a gRPC client must reject, every other case it must accept.
"""

import itertools
import pathlib
import sys

import full_clusters
import full_discovery
import full_endpoints
import full_listeners
import full_routes
import full_resources_plants
import message_tree
import schemas

# Messages of ours that are in no resource and no discovery message: CSDS and health.
NOT_COVERED = ("envoy.service.status.v3.", "envoy.admin.v3.", "grpc.health.v1.",
               "envoy.type.matcher.v3.NodeMatcher")


def all_cases():
    """{(type, case): message}, in a fixed order."""
    by_type = {
        "listener": full_listeners.cases(),
        "route": full_routes.cases(),
        "cluster": full_clusters.cases(),
        "endpoints": full_endpoints.cases(),
        "sotw_request": {"full": full_discovery.sotw_request()},
        "sotw_response": {"full": full_discovery.sotw_response()},
        "delta_request": {"full": full_discovery.delta_request()},
        "delta_response": {"full": full_discovery.delta_response()},
    }
    return {(kind, case): message
            for kind, cases in by_type.items() for case, message in cases.items()}


def file_name(kind, case):
    return f"{kind}.{case}.bin"


def write(directory, cases):
    directory.mkdir(parents=True, exist_ok=True)
    index = []
    for (kind, case), message in cases.items():
        data = message.SerializeToString(deterministic=True)
        (directory / file_name(kind, case)).write_bytes(data)
        index.append(f"{kind} {case} {file_name(kind, case)}\n")
    (directory / "index.txt").write_text("".join(index))


# covers


def instances_by_type(cases):
    instances = {}
    for root in cases.values():
        for message in message_tree.walk(root):
            instances.setdefault(message.DESCRIPTOR.full_name, []).append(message)
    return instances


def messages_to_cover(files):
    pool = schemas.load_ours(files)
    return [message for file in schemas.our_files(files, pool)
            for message in schemas.messages_in(file)
            if not message.full_name.startswith(NOT_COVERED)]


def coverage_gaps(files, cases):
    """One line for each thing of ours that no case shows, or that the cases cannot tell apart."""
    instances = instances_by_type(cases)
    ours = messages_to_cover(files)
    gaps = []
    for message in ours:
        seen = instances.get(message.full_name, [])
        if not seen:
            gaps.append(f"{message.full_name}: in no case")
            continue
        gaps += fields_never_set(message, seen)
        gaps += fields_never_apart(message, seen)
    return gaps + foreign_only(instances, {message.full_name: message for message in ours})


def fields_never_set(message, seen):
    set_somewhere = {field.name for instance in seen for field, _ in instance.ListFields()}
    return [f"{field.full_name}: set in no case"
            for field in message.fields if field.name not in set_somewhere]


def fields_never_apart(message, seen):
    """Two fields of one type with the same value in all cases: code that swaps them would pass."""
    gaps = []
    for first, second in itertools.combinations(message.fields, 2):
        could_be_swapped = kind_of(first) == kind_of(second)
        if could_be_swapped and all(value_of(each, first.name) == value_of(each, second.name)
                                    for each in seen):
            gaps.append(f"{first.full_name} and {second.name}: the same value in every case")
    return gaps


def kind_of(field):
    return (field.type, field.is_repeated, field.message_type, field.enum_type)


def value_of(message, name):
    if message.DESCRIPTOR.fields_by_name[name].has_presence and not message.HasField(name):
        return None
    return getattr(message, name)


def foreign_only(instances, ours):
    """What the cases set although our schema has left it out; it would not come back."""
    gaps = []
    for name, seen in instances.items():
        if name.startswith("google.protobuf."):
            continue
        if name not in ours:
            gaps.append(f"{name}: in a case, but not in our schema")
            continue
        known = ours[name].fields_by_name
        extra = {field.full_name for instance in seen for field, _ in instance.ListFields()
                 if field.name not in known}
        gaps += [f"{field}: set in a case, but not in our schema" for field in sorted(extra)]
    return gaps


# same


def differences(directory, cases):
    """One line for each way in which the files in the directory are not the cases built here."""
    lines = []
    for (kind, case), expected in cases.items():
        path = directory / file_name(kind, case)
        if path.exists():
            lines += differences_in(f"{kind}.{case}", expected, path.read_bytes())
        else:
            lines.append(f"{kind}.{case}: missing")
    known = {file_name(kind, case) for kind, case in cases}
    lines += [f"{path.stem}: no such case"
              for path in sorted(directory.glob("*.bin")) if path.name not in known]
    return lines


def differences_in(name, expected, data):
    try:
        found = type(expected).FromString(data)
        found_values = message_tree.flatten(found)
    except Exception:  # The runtimes of protobuf differ in what they raise, and in its text.
        return [f"{name}: does not parse as {expected.DESCRIPTOR.full_name}"]
    expected_values = message_tree.flatten(expected)
    return [
        f"{name}{path}: is {found_values.get(path, 'not set')!r}, "
        f"expected {expected_values.get(path, 'not set')!r}"
        for path in sorted(expected_values.keys() | found_values.keys())
        if found_values.get(path) != expected_values.get(path)
    ]


def finish(lines, done):
    for line in lines:
        print(line)
    print(done if not lines else f"{len(lines)} lines of trouble")
    return 1 if lines else 0


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in ("write", "covers", "same", "self-test"):
        print(__doc__, file=sys.stderr)
        return 2
    command, path = arguments[0], pathlib.Path(arguments[1])
    cases = all_cases()
    if command == "write":
        write(path, cases)
        return finish([], f"wrote {len(cases)} cases")
    if command == "same":
        return finish(differences(path, cases), f"{len(cases)} cases are the same")
    files = schemas.read_descriptor_set(path)
    if command == "covers":
        covered = sum(len(message.fields) for message in messages_to_cover(files))
        return finish(coverage_gaps(files, cases), f"all {covered} fields are set in some case")
    return full_resources_plants.run(
        cases, write, differences, lambda some: coverage_gaps(files, some))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
