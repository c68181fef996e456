"""ClusterLoadAssignments that together set every field our schema has of them."""

from envoy.config.core.v3 import base_pb2
from envoy.config.core.v3 import health_check_pb2
from envoy.config.endpoint.v3 import endpoint_components_pb2 as components_pb2
from envoy.config.endpoint.v3 import endpoint_pb2

from full_values import (HUNDRED, MILLION, TEN_THOUSAND, any_of, fraction, internal_address,
                         path_source, pipe_address, socket_address, struct, u32)

ClusterLoadAssignment = endpoint_pb2.ClusterLoadAssignment
Endpoint = components_pb2.Endpoint
LbEndpoint = components_pb2.LbEndpoint
LocalityLbEndpoints = components_pb2.LocalityLbEndpoints


def locality(region, zone, sub_zone):
    return base_pb2.Locality(region=region, zone=zone, sub_zone=sub_zone)


def plain_endpoint(address, port):
    return LbEndpoint(endpoint=Endpoint(address=socket_address(address, port)))


def proxied_by(address, port):
    """gRFC A86's metadata: the proxy in front of an endpoint or of a whole locality."""
    proxy = any_of(socket_address(address, port))
    return {"envoy.http11_proxy_transport_socket.proxy_address": proxy}


def full_endpoint():
    return LbEndpoint(
        endpoint=Endpoint(
            address=socket_address("10.0.0.1", 1001),
            hostname="host-1.example.com",
            additional_addresses=[
                Endpoint.AdditionalAddress(address=socket_address("2001:db8::1", 1002)),
                Endpoint.AdditionalAddress(address=socket_address("10.0.0.2", 1003)),
            ],
        ),
        health_status=health_check_pb2.HEALTHY,
        load_balancing_weight=u32(51),
        metadata=base_pb2.Metadata(
            filter_metadata={"envoy.lb": struct(hash_key="hash-key-1")},
            typed_filter_metadata=proxied_by("10.9.0.1", 3128)),
    )


def endpoints_by_health():
    """One endpoint per other status; only draining (and unknown, elsewhere) is kept."""
    statuses = (health_check_pb2.UNHEALTHY, health_check_pb2.DRAINING, health_check_pb2.TIMEOUT,
                health_check_pb2.DEGRADED)
    return [
        LbEndpoint(endpoint=Endpoint(address=socket_address("10.0.1.1", 1100 + status)),
                   health_status=status)
        for status in statuses
    ]


def drops():
    drop = ClusterLoadAssignment.Policy.DropOverload
    return [
        drop(category="drop-hundred", drop_percentage=fraction(1, HUNDRED)),
        drop(category="drop-ten-thousand", drop_percentage=fraction(250, TEN_THOUSAND)),
        drop(category="drop-million", drop_percentage=fraction(35_000, MILLION)),
    ]


def full():
    """Two priorities. named_endpoints is accepted and ignored."""
    near = LocalityLbEndpoints(
        locality=locality("region-1", "zone-1", "sub-zone-1"),
        lb_endpoints=[full_endpoint(), *endpoints_by_health()],
        load_balancing_weight=u32(52),
        metadata=base_pb2.Metadata(typed_filter_metadata=proxied_by("10.9.0.2", 3129)),
    )
    far = LocalityLbEndpoints(
        locality=locality("region-2", "zone-2", "sub-zone-2"),
        lb_endpoints=[plain_endpoint("10.0.2.1", 1201)],
        load_balancing_weight=u32(53),
        priority=1,
    )
    return ClusterLoadAssignment(
        cluster_name="endpoints-full",
        endpoints=[near, far],
        named_endpoints={"named-1": Endpoint(address=socket_address("10.0.3.1", 1301))},
        policy=ClusterLoadAssignment.Policy(drop_overloads=drops(),
                                            overprovisioning_factor=u32(154)),
    )


def one_locality(name, *endpoints, **more):
    only = LocalityLbEndpoints(locality=locality("region-3", "zone-3", "sub-zone-3"),
                               lb_endpoints=endpoints, load_balancing_weight=u32(55), **more)
    return ClusterLoadAssignment(cluster_name=name, endpoints=[only])


def load_balancer_endpoints():
    """The list that was to replace lb_endpoints, and never did: accepted and ignored."""
    never_used = LocalityLbEndpoints.LbEndpointList(
        lb_endpoints=[plain_endpoint("10.0.4.9", 1409)])
    return one_locality("endpoints-list", plain_endpoint("10.0.4.1", 1401),
                        load_balancer_endpoints=never_used)


def invalid_leds():
    """Invalid twice: we do not support LEDS, and no client reads it from a file."""
    leds = components_pb2.LedsClusterLocalityConfig(leds_config=path_source("/etc/leds"),
                                                    leds_collection_name="leds-collection")
    return one_locality("endpoints-leds", leds_cluster_locality_config=leds)


def addressed_by(name, address):
    return one_locality(name, LbEndpoint(endpoint=Endpoint(address=address)))


def cases():
    return {
        "full": full(),
        "load_balancer_endpoints": load_balancer_endpoints(),
        "empty": ClusterLoadAssignment(cluster_name="endpoints-empty"),
        "invalid_leds": invalid_leds(),
        "invalid_endpoint_name": one_locality("endpoints-named",
                                              LbEndpoint(endpoint_name="named-2")),
        "invalid_pipe_address": addressed_by("endpoints-pipe", pipe_address()),
        "invalid_internal_address": addressed_by("endpoints-internal", internal_address()),
    }
