"""Is our trimmed schema the schema of the rest of the world?

    python schema_test.py OURS.descriptor_set              compare, one line per difference
    python schema_test.py --self-test OURS.descriptor_set  plant differences; each must be found

Compares everything in our proto files with the foreign schema (see schemas.py): messages, fields,
enums, services. Ours may leave things out; what it has must be the same. Enums must be whole, since
a value we do not know has no name in an error text.
"""
# ctest: interop.schema

import sys

from google.protobuf import descriptor_pb2

import schemas
import schema_test_plants

DISCOVERY = "envoy.service.discovery.v3"

# A comparison that silently shrinks is worse than none. A little below what there is today; raise
# when the schema grows, lower only in a change that removes messages.
FLOOR = {"messages": 130, "fields": 360, "enum values": 55, "methods": 6}

TYPE_NAME = {
    number: name.removeprefix("TYPE_").lower()
    for name, number in descriptor_pb2.FieldDescriptorProto.Type.items()
}


class Comparison:
    """Collects differences, one line each, and how much was compared."""

    def __init__(self, foreign):
        self.foreign = foreign
        self.differences = []
        self.compared = dict.fromkeys(FLOOR, 0)

    def report(self, where, text):
        self.differences.append(f"{where}: {text}")

    def expect(self, where, what, ours, theirs):
        if ours != theirs:
            self.report(where, f"{what} is {ours}, the foreign schema says {theirs}")

    def find(self, kind, find_by_name, full_name):
        try:
            return find_by_name(full_name)
        except KeyError:
            self.report(full_name, f"the foreign schema has no such {kind}")
            return None

    def file(self, ours):
        for message in schemas.messages_in(ours):
            self.message(message)
        for enum in schemas.enums_in(ours):
            self.enum(enum)
        for service in ours.services_by_name.values():
            self.service(service)

    def message(self, ours):
        theirs = self.find("message", self.foreign.FindMessageTypeByName, ours.full_name)
        self.compared["messages"] += 1
        if theirs is None:
            return
        for field in ours.fields:
            self.compared["fields"] += 1
            if field.name in theirs.fields_by_name:
                self.field(field, theirs.fields_by_name[field.name])
            else:
                self.unknown_field(field, theirs)

    def unknown_field(self, ours, theirs):
        other = theirs.fields_by_number.get(ours.number)
        note = f" (its field {ours.number} is {other.name})" if other else ""
        self.report(ours.full_name, f"the foreign schema has no such field{note}")

    def field(self, ours, theirs):
        where = ours.full_name
        self.expect(where, "field number", ours.number, theirs.number)
        self.expect(where, "label", label(ours), label(theirs))
        self.expect(where, "oneof", oneof(ours), oneof(theirs))
        self.expect(where, "JSON name", ours.json_name, theirs.json_name)
        if schemas.is_map(ours) and schemas.is_map(theirs):
            for part in ("key", "value"):
                self.expect(where, f"map {part} type", *map_types(part, ours, theirs))
            return
        self.expect(where, "type", type_name(ours), type_name(theirs))
        self.expect(where, "packed", ours.is_packed, theirs.is_packed)
        self.expect(where, "presence", ours.has_presence, theirs.has_presence)

    def enum(self, ours):
        theirs = self.find("enum", self.foreign.FindEnumTypeByName, ours.full_name)
        if theirs is None:
            self.compared["enum values"] += len(ours.values)
            return
        for value in ours.values:
            self.compared["enum values"] += 1
            self.enum_value(f"{ours.full_name}.{value.name}", value, theirs)
        for value in theirs.values:
            if value.name not in ours.values_by_name:
                self.report(ours.full_name, f"has no {value.name} = {value.number}")

    def enum_value(self, where, ours, theirs):
        if ours.name in theirs.values_by_name:
            self.expect(where, "enum value", ours.number, theirs.values_by_name[ours.name].number)
            return
        self.report(where, "the foreign schema has no such enum value")

    def service(self, ours):
        theirs = self.find("service", self.foreign.FindServiceByName, ours.full_name)
        for method in ours.methods:
            self.compared["methods"] += 1
            if theirs is None:
                continue
            if method.name in theirs.methods_by_name:
                self.method(method, theirs.methods_by_name[method.name])
            else:
                self.report(method.full_name, "the foreign schema has no such method")

    def method(self, ours, theirs):
        where = ours.full_name
        self.expect(where, "input", ours.input_type.full_name, theirs.input_type.full_name)
        self.expect(where, "output", ours.output_type.full_name, theirs.output_type.full_name)
        self.expect(where, "client streaming", ours.client_streaming, theirs.client_streaming)
        self.expect(where, "server streaming", ours.server_streaming, theirs.server_streaming)

    def check_floor(self):
        for what, least in FLOOR.items():
            if self.compared[what] < least:
                self.report(what, f"only {self.compared[what]} compared, expected {least} or more")


def label(field):
    return "repeated" if field.is_repeated else "singular"


def oneof(field):
    return field.containing_oneof.name if field.containing_oneof else "none"


def type_name(field):
    if schemas.is_map(field):
        return "map"
    if field.message_type is not None:
        return field.message_type.full_name
    if field.enum_type is not None:
        return field.enum_type.full_name
    return TYPE_NAME[field.type]


def map_types(part, ours, theirs):
    return [type_name(field.message_type.fields_by_name[part]) for field in (ours, theirs)]


# What the requirements say in so many words. Asserted of both schemas: if a foreign update moves
# one of these, it is the requirement that has to be looked at, and the line says so.


def whole_message(pool, name, expected):
    """expected: field name -> (number, label, type), all fields there are."""
    found = {field.name: shape(field) for field in members(pool.FindMessageTypeByName, name)}
    return [] if found == expected else [f"{name}: the fields are {found}, required {expected}"]


def one_field(pool, message, name, expected):
    fields = members(pool.FindMessageTypeByName, message)
    found = {field.name: shape(field) for field in fields}.get(name)
    return [] if found == expected else [f"{message}.{name}: is {found}, required {expected}"]


def whole_enum(pool, name, expected):
    found = {value.name: value.number for value in members(pool.FindEnumTypeByName, name)}
    return [] if found == expected else [f"{name}: the values are {found}, required {expected}"]


def shape(field):
    return (field.number, label(field), type_name(field))


def members(find_by_name, full_name):
    try:
        found = find_by_name(full_name)
    except KeyError:
        return []  # Then nothing is as required, and that is what the line will say.
    return found.fields if hasattr(found, "fields") else found.values


def required_shapes(pool):
    resource_error = f"{DISCOVERY}.ResourceError"
    return [
        *whole_message(pool, resource_error, {  # R2.01
            "resource_name": (1, "singular", f"{DISCOVERY}.ResourceName"),
            "error_detail": (2, "singular", "google.rpc.Status"),
        }),
        *whole_message(pool, f"{DISCOVERY}.ResourceName", {  # R2.01
            "name": (1, "singular", "string"),
            "dynamic_parameter_constraints":
                (2, "singular", f"{DISCOVERY}.DynamicParameterConstraints"),
        }),
        *one_field(pool, f"{DISCOVERY}.DiscoveryResponse", "resource_errors",
                   (7, "repeated", resource_error)),  # R2.02
        *one_field(pool, f"{DISCOVERY}.DeltaDiscoveryResponse", "resource_errors",
                   (9, "repeated", resource_error)),  # R2.02
        *whole_enum(pool, "envoy.admin.v3.ClientResourceStatus", {  # R9.07
            "UNKNOWN": 0, "REQUESTED": 1, "DOES_NOT_EXIST": 2, "ACKED": 3, "NACKED": 4,
            "RECEIVED_ERROR": 5, "TIMEOUT": 6,
        }),
        *whole_enum(pool, "envoy.service.status.v3.ClientConfigStatus", {
            "CLIENT_UNKNOWN": 0, "CLIENT_REQUESTED": 1, "CLIENT_ACKED": 2, "CLIENT_NACKED": 3,
            "CLIENT_RECEIVED_ERROR": 4,
        }),
    ]


def compare(files, foreign):
    """The finished comparison of a FileDescriptorSet of ours with the foreign pool."""
    ours = schemas.load_ours(files)
    comparison = Comparison(foreign)
    for file in schemas.our_files(files, ours):
        comparison.file(file)
    comparison.check_floor()
    comparison.differences += required_shapes(ours)
    comparison.differences += [f"foreign {line}" for line in required_shapes(foreign)]
    return comparison


def main(arguments):
    self_test = "--self-test" in arguments
    paths = [argument for argument in arguments if argument != "--self-test"]
    if len(paths) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    files = schemas.read_descriptor_set(paths[0])
    foreign, not_loaded = schemas.load_foreign()
    if self_test:
        return schema_test_plants.run(files, lambda planted: compare(planted, foreign).differences,
                                      FLOOR)
    comparison = compare(files, foreign)
    for line in comparison.differences:
        print(line)
    if comparison.differences and not_loaded:
        print("foreign modules that did not load:", *not_loaded, sep="\n  ")
    print("compared", ", ".join(f"{count} {what}" for what, count in comparison.compared.items()))
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
