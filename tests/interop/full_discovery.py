"""Discovery messages of both protocol variants that together set every field our schema has."""

from google.rpc import status_pb2

from envoy.config.cluster.v3 import cluster_pb2
from envoy.config.core.v3 import base_pb2
from envoy.config.listener.v3 import listener_pb2
from envoy.service.discovery.v3 import discovery_pb2

from full_values import TYPE_URL_PREFIX, any_of, duration, struct

LISTENER_TYPE = TYPE_URL_PREFIX + "envoy.config.listener.v3.Listener"
CLUSTER_TYPE = TYPE_URL_PREFIX + "envoy.config.cluster.v3.Cluster"

Constraints = discovery_pb2.DynamicParameterConstraints
Single = Constraints.SingleConstraint
ResourceName = discovery_pb2.ResourceName


def node():
    return base_pb2.Node(
        id="node-id",
        cluster="node-cluster",
        metadata=struct(role="tester", replicas=61, nested={"deep": True}, list=["a", "b"]),
        locality=base_pb2.Locality(region="node-region", zone="node-zone",
                                   sub_zone="node-sub-zone"),
        user_agent_name="holdfast",
        user_agent_version="0.1.0-test",
        client_features=["envoy.lb.does_not_support_overprovisioning",
                         "xds.config.resource-in-sotw"],
    )


def status(code, message):
    detail = any_of(base_pb2.ControlPlane(identifier=f"detail of {code}"))
    return status_pb2.Status(code=code, message=message, details=[detail])


def locator(name, **parameters):
    return discovery_pb2.ResourceLocator(name=name, dynamic_parameters=parameters)


def has_value(key, value):
    return Constraints(constraint=Single(key=key, value=value))


def exists(key):
    return Constraints(constraint=Single(key=key, exists=Single.Exists()))


def constraints():
    """(env = prod or canary exists) and not (debug exists)."""
    either = Constraints(or_constraints=Constraints.ConstraintList(
        constraints=[has_value("env", "prod"), exists("canary")]))
    neither = Constraints(not_constraints=exists("debug"))
    return Constraints(and_constraints=Constraints.ConstraintList(
        constraints=[either, neither]))


def resource_error(name, code, message, **more):
    return discovery_pb2.ResourceError(resource_name=ResourceName(name=name, **more),
                                       error_detail=status(code, message))


def resource_errors():
    return [
        resource_error("listener-gone", 5, "no such listener",
                       dynamic_parameter_constraints=constraints()),
        resource_error("listener-secret", 7, "not for you"),
    ]


def control_plane(name):
    return base_pb2.ControlPlane(identifier=name)


def sotw_request():
    return discovery_pb2.DiscoveryRequest(
        version_info="version-1",
        node=node(),
        resource_names=["listener-a", "listener-b"],
        resource_locators=[locator("listener-c", env="prod", canary="yes")],
        type_url=LISTENER_TYPE,
        response_nonce="nonce-1",
        error_detail=status(3, "listener-b: no"),
    )


def sotw_response():
    return discovery_pb2.DiscoveryResponse(
        version_info="version-2",
        resources=[any_of(listener_pb2.Listener(name="listener-a")),
                   any_of(listener_pb2.Listener(name="listener-b"))],
        canary=True,
        type_url=LISTENER_TYPE,
        nonce="nonce-2",
        control_plane=control_plane("control-plane-sotw"),
        resource_errors=resource_errors(),
    )


def delta_request():
    return discovery_pb2.DeltaDiscoveryRequest(
        node=node(),
        type_url=CLUSTER_TYPE,
        resource_names_subscribe=["cluster-a", "cluster-b"],
        resource_names_unsubscribe=["cluster-c"],
        resource_locators_subscribe=[locator("cluster-d", env="test")],
        resource_locators_unsubscribe=[locator("cluster-e", env="stage")],
        initial_resource_versions={"cluster-f": "version-f", "cluster-g": "version-g"},
        response_nonce="nonce-3",
        error_detail=status(3, "cluster-a: no"),
    )


def delta_resource():
    return discovery_pb2.Resource(
        name="cluster-a",
        resource_name=ResourceName(name="cluster-a-by-locator",
                                   dynamic_parameter_constraints=has_value("env", "test")),
        aliases=["cluster-alias-1", "cluster-alias-2"],
        version="version-4",
        resource=any_of(cluster_pb2.Cluster(name="cluster-a")),
        ttl=duration(62, 500),
        cache_control=discovery_pb2.Resource.CacheControl(do_not_cache=True),
        metadata=base_pb2.Metadata(filter_metadata={"origin": struct(file="clusters.yaml")}),
    )


def delta_response():
    return discovery_pb2.DeltaDiscoveryResponse(
        system_version_info="version-5",
        resources=[delta_resource()],
        type_url=CLUSTER_TYPE,
        nonce="nonce-5",
        removed_resources=["cluster-x", "cluster-y"],
        removed_resource_names=[ResourceName(name="cluster-z")],
        control_plane=control_plane("control-plane-delta"),
        resource_errors=resource_errors(),
    )
