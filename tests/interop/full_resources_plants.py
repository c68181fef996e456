"""The self-test of full_resources.py: damage that `same` and `covers` must name."""

import copy
import pathlib
import sys
import tempfile

from full_values import any_of


def run(cases, write, differences, coverage_gaps):
    """Returns the exit code."""
    plants = [(f"same: {name}", expected, differences_after(damage, cases, write, differences))
              for name, damage, expected in DAMAGED_FILES]
    plants += [(f"covers: {name}", expected, gaps_after(damage, cases, coverage_gaps))
               for name, damage, expected in DAMAGED_CASES]
    failed = 0
    for name, expected, found in plants:
        if sorted(found) != sorted(expected):
            print(f"{name}: expected", *expected, "but found", *found, sep="\n  ", file=sys.stderr)
            failed += 1
    print(f"planted {len(plants)}, {failed} failed")
    return 1 if failed else 0


def differences_after(damage, cases, write, differences):
    """Writes the cases as our code would if all were well, damages them, compares."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        write(directory, cases)
        damage(directory, copy.deepcopy(cases))
        return differences(directory, cases)


def gaps_after(damage, cases, coverage_gaps):
    damaged = copy.deepcopy(cases)
    damage(damaged)
    return coverage_gaps(damaged)


def rewrite(directory, name, message):
    (directory / f"{name}.bin").write_bytes(message.SerializeToString())


def nothing(_directory, _cases):
    pass


def a_file_less(directory, _cases):
    (directory / "cluster.aggregate.bin").unlink()


def a_file_more(directory, cases):
    rewrite(directory, "cluster.invented", cases["cluster", "aggregate"])


def a_lost_field(directory, cases):
    cluster = cases["cluster", "logical_dns"]
    cluster.ClearField("name")
    rewrite(directory, "cluster.logical_dns", cluster)


def a_lost_empty_message(directory, cases):
    cluster = cases["cluster", "eds_full"]
    del cluster.transport_socket_matches[:]
    rewrite(directory, "cluster.eds_full", cluster)


def a_change_inside_an_any(directory, cases):
    cluster = cases["cluster", "aggregate"]
    packed = cluster.cluster_type.typed_config
    packed.value = packed.value.replace(b"cluster-dns", b"cluster-DNS")
    rewrite(directory, "cluster.aggregate", cluster)


def an_empty_message_of_another_type(directory, cases):
    """The bytes inside the two Anys are the same: none."""
    response = cases["sotw_response", "full"]
    response.resources[0].value = response.resources[1].value = b""
    response.resources[1].type_url = any_of(cases["cluster", "aggregate"]).type_url
    rewrite(directory, "sotw_response.full", response)


def the_other_typed_struct(directory, cases):
    """Same fields, same bytes, and a type_url inside that looks like the one outside."""
    cluster = cases["cluster", "lb_wrr_locality"]
    first = cluster.load_balancing_policy.policies[0].typed_extension_config.typed_config
    first.type_url = first.type_url.replace("xds.type.v3", "udpa.type.v1")
    rewrite(directory, "cluster.lb_wrr_locality", cluster)


def a_wrong_field_number(directory, cases):
    data = cases["endpoints", "empty"].SerializeToString()
    assert data[0] == 0x0A  # Field 1, as a string.
    (directory / "endpoints.empty.bin").write_bytes(b"\x7a" + data[1:])  # Field 15, as a string.


def no_message_at_all(directory, _cases):
    (directory / "endpoints.empty.bin").write_bytes(b"\xff")


CLUSTER_TYPE = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
LISTENER_TYPE = "type.googleapis.com/envoy.config.listener.v3.Listener"
UNNAMED = "sotw_response.full.resources"

DAMAGED_FILES = [
    ("nothing", nothing, []),
    ("a file less", a_file_less, ["cluster.aggregate: missing"]),
    ("a file more", a_file_more, ["cluster.invented: no such case"]),
    ("a lost field", a_lost_field,
     ["cluster.logical_dns.name: is 'not set', expected 'cluster-dns'"]),
    ("a lost empty message", a_lost_empty_message,
     ["cluster.eds_full.transport_socket_matches[0]: is 'not set', expected 'set'"]),
    ("a change inside an Any", a_change_inside_an_any,
     ["cluster.aggregate.cluster_type.typed_config.clusters[1]: is 'cluster-DNS', "
      "expected 'cluster-dns'"]),
    ("an empty message of another type", an_empty_message_of_another_type,
     [f"{UNNAMED}[0].name: is 'not set', expected 'listener-a'",
      f"{UNNAMED}[1].name: is 'not set', expected 'listener-b'",
      f"{UNNAMED}[1]<type_url>: is {CLUSTER_TYPE!r}, expected {LISTENER_TYPE!r}"]),
    ("the other TypedStruct", the_other_typed_struct,
     ["cluster.lb_wrr_locality.load_balancing_policy.policies[0].typed_extension_config"
      ".typed_config<type_url>: is 'type.googleapis.com/udpa.type.v1.TypedStruct', "
      "expected 'type.googleapis.com/xds.type.v3.TypedStruct'"]),
    ("a wrong field number", a_wrong_field_number,
     ["endpoints.empty.<unknown field 15>: is \"b'endpoints-empty'\", expected 'not set'",
      "endpoints.empty.cluster_name: is 'not set', expected 'endpoints-empty'"]),
    ("no message at all", no_message_at_all,
     ["endpoints.empty: does not parse as envoy.config.endpoint.v3.ClusterLoadAssignment"]),
]


def without_aggregate(cases):
    del cases["cluster", "aggregate"]


def without_least_request(cases):
    del cases["cluster", "lb_least_request"]


def an_empty_range(cases):
    headers = cases["route", "matching"].virtual_hosts[0].routes[3].match.headers
    matcher = next(header for header in headers if header.HasField("range_match"))
    matcher.range_match.end = matcher.range_match.start


def an_alternative_name(cases):
    cases["cluster", "aggregate"].alt_stat_name = "another"


def a_filter_chain(cases):
    cases["listener", "invalid_udp_address"].default_filter_chain.SetInParent()


AGGREGATE = "envoy.extensions.clusters.aggregate.v3.ClusterConfig"
LEAST_REQUEST = "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest"
CLUSTER = "envoy.config.cluster.v3.Cluster"

DAMAGED_CASES = [
    ("nothing", lambda cases: None, []),
    ("a type only ever inside an Any", without_aggregate,
     [f"{CLUSTER}.CustomClusterType: in no case", f"{CLUSTER}.cluster_type: set in no case",
      f"{AGGREGATE}: in no case"]),
    ("a type of one case", without_least_request, [f"{LEAST_REQUEST}: in no case"]),
    ("two equal fields", an_empty_range,
     ["envoy.type.v3.Int64Range.start and end: the same value in every case"]),
    ("a field we do not have", an_alternative_name,
     [f"{CLUSTER}.alt_stat_name: set in a case, but not in our schema"]),
    ("a message we do not have", a_filter_chain,
     ["envoy.config.listener.v3.Listener.default_filter_chain: set in a case, "
      "but not in our schema",
      "envoy.config.listener.v3.FilterChain: in a case, but not in our schema"]),
]
