"""The self-test of schema_test.py: differences planted in our schema, each with the lines it must
cause. All lines are compared, so a plant that is found for another reason fails as well.
"""

import copy
import sys

from google.protobuf import descriptor_pb2

Field = descriptor_pb2.FieldDescriptorProto
CLUSTER = "envoy.config.cluster.v3.Cluster"
DISCOVERY = "envoy.service.discovery.v3"
STATUS = "envoy.admin.v3.ClientResourceStatus"
ADS = f"{DISCOVERY}.AggregatedDiscoveryService"

PLANTS = []


def plant(*expected_lines):
    """Registers a function that damages a FileDescriptorSet, and the lines that must come of it."""
    def register(damage):
        PLANTS.append((damage.__name__, damage, list(expected_lines)))
        return damage
    return register


def find(files, full_name):
    """The message, enum or service of that name, as it stands in the set."""
    for file in files.file:
        if full_name.startswith(file.package + "."):
            found = _find_in(file, full_name.removeprefix(file.package + ".").split("."))
            if found is not None:
                return found
    raise KeyError(full_name)


def _find_in(scope, names):
    is_file = isinstance(scope, descriptor_pb2.FileDescriptorProto)
    messages = scope.message_type if is_file else scope.nested_type
    services = scope.service if is_file else []
    for candidate in (*messages, *scope.enum_type, *services):
        if candidate.name == names[0]:
            return candidate if len(names) == 1 else _find_in(candidate, names[1:])
    return None


def member(parts, name):
    return next(part for part in parts if part.name == name)


def field(files, message, name):
    return member(find(files, message).field, name)


@plant(f"{CLUSTER}.lrs_server: field number is 142, the foreign schema says 42")
def another_number(files):
    field(files, CLUSTER, "lrs_server").number = 142


@plant(f"{CLUSTER}.name: type is bytes, the foreign schema says string")
def another_scalar_type(files):
    field(files, CLUSTER, "name").type = Field.TYPE_BYTES


@plant(f"{CLUSTER}.lrs_server: type is envoy.config.core.v3.Locality, "
       "the foreign schema says envoy.config.core.v3.ConfigSource")
def another_message_type(files):
    field(files, CLUSTER, "lrs_server").type_name = ".envoy.config.core.v3.Locality"


@plant(f"{CLUSTER}.lb_policy: type is {CLUSTER}.DiscoveryType, "
       f"the foreign schema says {CLUSTER}.LbPolicy")
def another_enum_type(files):
    field(files, CLUSTER, "lb_policy").type_name = f".{CLUSTER}.DiscoveryType"


@plant(f"{CLUSTER}.lrs_report_endpoint_metrics: label is singular, the foreign schema says "
       "repeated")
def another_label(files):
    field(files, CLUSTER, "lrs_report_endpoint_metrics").label = Field.LABEL_OPTIONAL


# An enum field, because outside a oneof it also loses its presence; a message field would not.
@plant(f"{CLUSTER}.type: oneof is none, the foreign schema says cluster_discovery_type",
       f"{CLUSTER}.type: presence is False, the foreign schema says True")
def out_of_its_oneof(files):
    field(files, CLUSTER, "type").ClearField("oneof_index")


@plant(*(f"{CLUSTER}.{name}: oneof is discovery, the foreign schema says cluster_discovery_type"
         for name in ("type", "cluster_type")))
def a_renamed_oneof(files):
    member(find(files, CLUSTER).oneof_decl, "cluster_discovery_type").name = "discovery"


@plant(f"{CLUSTER}.alt_name: the foreign schema has no such field "
       "(its field 28 is alt_stat_name)")
def a_renamed_field(files):
    find(files, CLUSTER).field.add(name="alt_name", json_name="altName", number=28,
                                   type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL)


@plant(f"{CLUSTER}.invented: the foreign schema has no such field")
def a_field_they_do_not_have(files):
    find(files, CLUSTER).field.add(name="invented", json_name="invented", number=9999,
                                   type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL)


@plant(f"{CLUSTER}.connect_timeout: JSON name is timeout, the foreign schema says connectTimeout")
def another_json_name(files):
    field(files, CLUSTER, "connect_timeout").json_name = "timeout"


@plant("envoy.config.core.v3.HealthStatusSet.statuses: packed is False, "
       "the foreign schema says True")
def not_packed(files):
    field(files, "envoy.config.core.v3.HealthStatusSet", "statuses").options.packed = False


@plant(f"{DISCOVERY}.DeltaDiscoveryRequest.initial_resource_versions: map value type is bytes, "
       "the foreign schema says string")
def another_map_value(files):
    entry = f"{DISCOVERY}.DeltaDiscoveryRequest.InitialResourceVersionsEntry"
    field(files, entry, "value").type = Field.TYPE_BYTES


@plant("envoy.config.core.v3.Invented: the foreign schema has no such message")
def a_message_they_do_not_have(files):
    core = next(file for file in files.file if file.package == "envoy.config.core.v3")
    core.message_type.add(name="Invented")


@plant(f"{CLUSTER}.LbPolicy.BEST: the foreign schema has no such enum value",
       f"{CLUSTER}.LbPolicy: has no MAGLEV = 5")
def a_renamed_enum_value(files):
    member(find(files, f"{CLUSTER}.LbPolicy").value, "MAGLEV").name = "BEST"


@plant(f"{CLUSTER}.LbPolicy.MAGLEV: enum value is 4, the foreign schema says 5")
def another_enum_number(files):
    member(find(files, f"{CLUSTER}.LbPolicy").value, "MAGLEV").number = 4


@plant(f"{ADS}.StreamAggregatedResources: client streaming is False, the foreign schema says True")
def no_client_streaming(files):
    member(find(files, ADS).method, "StreamAggregatedResources").client_streaming = False


@plant(f"{ADS}.DeltaAggregatedResources: server streaming is False, the foreign schema says True")
def no_server_streaming(files):
    member(find(files, ADS).method, "DeltaAggregatedResources").server_streaming = False


@plant(f"{ADS}.DeltaAggregatedResources: input is {DISCOVERY}.DiscoveryRequest, "
       f"the foreign schema says {DISCOVERY}.DeltaDiscoveryRequest")
def another_input(files):
    method = member(find(files, ADS).method, "DeltaAggregatedResources")
    method.input_type = f".{DISCOVERY}.DiscoveryRequest"


@plant(f"{ADS}.Invented: the foreign schema has no such method")
def a_renamed_method(files):
    member(find(files, ADS).method, "DeltaAggregatedResources").name = "Invented"


@plant(f"{DISCOVERY}.DeltaDiscoveryResponse.resource_errors: field number is 7, "
       "the foreign schema says 9",
       f"{DISCOVERY}.DeltaDiscoveryResponse.control_plane: field number is 9, "
       "the foreign schema says 7",
       f"{DISCOVERY}.DeltaDiscoveryResponse.resource_errors: is (7, 'repeated', "
       f"'{DISCOVERY}.ResourceError'), required (9, 'repeated', '{DISCOVERY}.ResourceError')")
def delta_errors_where_the_other_variant_has_them(files):
    delta = f"{DISCOVERY}.DeltaDiscoveryResponse"
    field(files, delta, "control_plane").number = 9
    field(files, delta, "resource_errors").number = 7


@plant(f"{STATUS}: has no TIMEOUT = 6",
       f"{STATUS}: the values are {{'UNKNOWN': 0, 'REQUESTED': 1, 'DOES_NOT_EXIST': 2, 'ACKED': 3, "
       "'NACKED': 4, 'RECEIVED_ERROR': 5}, required {'UNKNOWN': 0, 'REQUESTED': 1, "
       "'DOES_NOT_EXIST': 2, 'ACKED': 3, 'NACKED': 4, 'RECEIVED_ERROR': 5, 'TIMEOUT': 6}")
def a_resource_status_short(files):
    del find(files, STATUS).value[-1]


@plant(f"{DISCOVERY}.ResourceError: the fields are {{'resource_name': (1, 'singular', "
       f"'{DISCOVERY}.ResourceName')}}, required {{'resource_name': (1, 'singular', "
       f"'{DISCOVERY}.ResourceName'), 'error_detail': (2, 'singular', 'google.rpc.Status')}}")
def a_resource_error_without_a_status(files):
    del find(files, f"{DISCOVERY}.ResourceError").field[1]


def check(name, expected, found):
    """Says what is wrong, if something is. Returns how many plants failed: 0 or 1."""
    # Order is the schema's business, not the plant's.
    if sorted(found) == sorted(expected):
        return 0
    print(f"{name}: expected", *expected, "but found", *found, sep="\n  ", file=sys.stderr)
    return 1


def check_empty(differences_of, floor):
    """A schema without any file: nothing differs, and that must not pass."""
    found = differences_of(descriptor_pb2.FileDescriptorSet())
    expected = [f"{what}: only 0 compared, expected {n} or more" for what, n in floor.items()]
    return check("nothing of ours", expected, [line for line in found if "compared" in line])


def run(files, differences_of, floor):
    """Plants each difference into a copy. Returns the exit code."""
    failed = check("nothing planted", [], differences_of(files))
    failed += check_empty(differences_of, floor)
    for name, damage, expected in PLANTS:
        planted = copy.deepcopy(files)
        damage(planted)
        failed += check(name, expected, differences_of(planted))
    print(f"planted {len(PLANTS)} differences, {failed} checks failed")
    return 1 if failed else 0
