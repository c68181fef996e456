"""Clusters that together set every field our schema has of them."""

from envoy.config.cluster.v3 import circuit_breaker_pb2
from envoy.config.cluster.v3 import cluster_pb2
from envoy.config.cluster.v3 import outlier_detection_pb2
from envoy.config.core.v3 import address_pb2
from envoy.config.core.v3 import base_pb2
from envoy.config.core.v3 import health_check_pb2
from envoy.config.core.v3 import protocol_pb2
from envoy.config.endpoint.v3 import endpoint_components_pb2
from envoy.config.endpoint.v3 import endpoint_pb2
from envoy.extensions.clusters.aggregate.v3 import cluster_pb2 as aggregate_pb2
from envoy.extensions.filters.http.gcp_authn.v3 import gcp_authn_pb2
from envoy.extensions.load_balancing_policies.least_request.v3 import least_request_pb2
from envoy.extensions.load_balancing_policies.pick_first.v3 import pick_first_pb2
from envoy.extensions.load_balancing_policies.ring_hash.v3 import ring_hash_pb2
from envoy.extensions.load_balancing_policies.round_robin.v3 import round_robin_pb2
from envoy.extensions.load_balancing_policies.wrr_locality.v3 import wrr_locality_pb2
from envoy.extensions.upstreams.http.v3 import http_protocol_options_pb2

import full_tls
from full_values import (ads, any_of, duration, extension, path_source, self_source,
                         socket_address, struct, u32, u64, unknown_udpa, unknown_xds)

Cluster = cluster_pb2.Cluster
RingHash = ring_hash_pb2.RingHash


def eds_cluster(name, **more):
    """The smallest valid EDS cluster, plus what the case is about."""
    eds = Cluster.EdsClusterConfig(eds_config=ads())
    return Cluster(name=name, type=Cluster.EDS, eds_cluster_config=eds, **more)


def circuit_breakers():
    thresholds = circuit_breaker_pb2.CircuitBreakers.Thresholds
    high = thresholds(priority=base_pb2.HIGH, max_requests=u32(101))
    default = thresholds(max_connections=u32(102), max_pending_requests=u32(103),
                         max_requests=u32(104), max_retries=u32(105))
    return circuit_breaker_pb2.CircuitBreakers(
        thresholds=[high, default],
        per_host_thresholds=[thresholds(max_connections=u32(106))])


def outlier_detection():
    return outlier_detection_pb2.OutlierDetection(
        interval=duration(31),
        base_ejection_time=duration(32),
        max_ejection_time=duration(33),
        max_ejection_percent=u32(34),
        enforcing_success_rate=u32(35),
        success_rate_minimum_hosts=u32(36),
        success_rate_request_volume=u32(37),
        success_rate_stdev_factor=u32(1938),
        failure_percentage_threshold=u32(39),
        enforcing_failure_percentage=u32(40),
        failure_percentage_minimum_hosts=u32(41),
        failure_percentage_request_volume=u32(42),
    )


def metadata():
    audience = gcp_authn_pb2.Audience(url="https://audience.example.com")
    return base_pb2.Metadata(
        filter_metadata={"plain": struct(colour="green", size=43.5)},
        typed_filter_metadata={"authn": any_of(audience)})


def upstream_config():
    options = http_protocol_options_pb2.HttpProtocolOptions(
        common_http_protocol_options=protocol_pb2.HttpProtocolOptions(idle_timeout=duration(44)))
    return extension("envoy.upstreams.http.http_protocol_options", options)


def eds_full():
    """EDS with everything that does not choose a policy or a transport socket of its own."""
    statuses = health_check_pb2.HealthStatusSet(statuses=[
        health_check_pb2.HEALTHY, health_check_pb2.DRAINING, health_check_pb2.DEGRADED])
    return Cluster(
        name="cluster-eds",
        type=Cluster.EDS,
        eds_cluster_config=Cluster.EdsClusterConfig(eds_config=self_source(),
                                                    service_name="endpoints-of-eds"),
        connect_timeout=duration(5, 125),
        lb_policy=Cluster.RING_HASH,
        ring_hash_lb_config=Cluster.RingHashLbConfig(minimum_ring_size=u64(2048),
                                                     maximum_ring_size=u64(4096)),
        circuit_breakers=circuit_breakers(),
        outlier_detection=outlier_detection(),
        transport_socket=full_tls.mutual_tls(),
        transport_socket_matches=[Cluster.TransportSocketMatch()],
        metadata=metadata(),
        common_lb_config=Cluster.CommonLbConfig(override_host_status=statuses),
        lrs_server=self_source(),
        lrs_report_endpoint_metrics=["cpu_utilization", "named_metrics.queue"],
        upstream_config=upstream_config(),
    )


def dns_cluster(name, address, **more):
    endpoint = endpoint_components_pb2.Endpoint(address=address)
    locality = endpoint_components_pb2.LocalityLbEndpoints(
        lb_endpoints=[endpoint_components_pb2.LbEndpoint(endpoint=endpoint)])
    assignment = endpoint_pb2.ClusterLoadAssignment(cluster_name=f"{name}-assignment",
                                                    endpoints=[locality])
    return Cluster(name=name, type=Cluster.LOGICAL_DNS, load_assignment=assignment, **more)


def logical_dns():
    return dns_cluster(
        "cluster-dns", socket_address("backend.example.com", 8443),
        lb_policy=Cluster.LEAST_REQUEST,
        least_request_lb_config=Cluster.LeastRequestLbConfig(choice_count=u32(6)))


def aggregate():
    members = aggregate_pb2.ClusterConfig(clusters=["cluster-eds", "cluster-dns"])
    return Cluster(name="cluster-aggregate", cluster_type=Cluster.CustomClusterType(
        name="envoy.clusters.aggregate", typed_config=any_of(members)))


def policies(*messages):
    policy = cluster_pb2.LoadBalancingPolicy.Policy
    return cluster_pb2.LoadBalancingPolicy(policies=[
        policy(typed_extension_config=extension(f"policy-{index}", message))
        for index, message in enumerate(messages)])


def balanced_by(name, *messages):
    return eds_cluster(name, load_balancing_policy=policies(*messages))


def wrr_locality():
    """Two unknown policies first: skipped, since a list is searched for the first known one."""
    child = policies(round_robin_pb2.RoundRobin())
    return balanced_by("cluster-wrr",
                       unknown_xds("holdfast.test.PolicyA", speed=45),
                       unknown_udpa("holdfast.test.PolicyB", speed=46),
                       wrr_locality_pb2.WrrLocality(endpoint_picking_policy=child))


def ring_hash():
    return balanced_by("cluster-ring", RingHash(
        hash_function=RingHash.XX_HASH, minimum_ring_size=u64(512), maximum_ring_size=u64(1024)))


def invalid_murmur_hash():
    config = Cluster.RingHashLbConfig(hash_function=Cluster.RingHashLbConfig.MURMUR_HASH_2)
    return eds_cluster("cluster-murmur", lb_policy=Cluster.RING_HASH, ring_hash_lb_config=config)


def invalid_dns_named_port():
    socket = address_pb2.SocketAddress(address="backend.example.com", named_port="https")
    return dns_cluster("cluster-named-port", address_pb2.Address(socket_address=socket))


def invalid_dns_resolver_name():
    return dns_cluster("cluster-resolver",
                       socket_address("backend.example.com", 8444, resolver_name="resolver"))


def rejected_tls():
    return {f"invalid_tls_{field}": eds_cluster(f"cluster-tls-{field}", transport_socket=socket)
            for field, socket in full_tls.rejected().items()}


def cases():
    in_proxy = full_tls.through_proxy(full_tls.system_root_tls())
    return {
        "eds_full": eds_full(),
        "logical_dns": logical_dns(),
        "aggregate": aggregate(),
        "lb_wrr_locality": wrr_locality(),
        "lb_ring_hash": ring_hash(),
        "lb_least_request": balanced_by("cluster-least",
                                        least_request_pb2.LeastRequest(choice_count=u32(7))),
        "lb_pick_first": balanced_by("cluster-first",
                                     pick_first_pb2.PickFirst(shuffle_address_list=True)),
        "tls_system_roots": eds_cluster("cluster-roots",
                                        transport_socket=full_tls.system_root_tls()),
        "tls_in_proxy": eds_cluster("cluster-tls-in-proxy", transport_socket=in_proxy),
        "plain_in_proxy": eds_cluster("cluster-plain-in-proxy",
                                      transport_socket=full_tls.through_proxy()),
        "invalid_murmur_hash": invalid_murmur_hash(),
        "invalid_dns_named_port": invalid_dns_named_port(),
        "invalid_dns_resolver_name": invalid_dns_resolver_name(),
        "invalid_lrs_server": eds_cluster("cluster-lrs", lrs_server=path_source("/etc/lrs")),
        **rejected_tls(),
    }
