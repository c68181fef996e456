"""Listeners that together set every field our schema has of them."""

from envoy.config.core.v3 import address_pb2
from envoy.config.core.v3 import config_source_pb2
from envoy.config.core.v3 import protocol_pb2
from envoy.config.listener.v3 import api_listener_pb2
from envoy.config.listener.v3 import listener_pb2
from envoy.extensions.filters.http.router.v3 import router_pb2
from envoy.extensions.filters.network.http_connection_manager.v3 import (
    http_connection_manager_pb2 as hcm_pb2)
from xds.core.v3 import authority_pb2

import full_filters
import full_routes
from full_values import (ads, any_of, api_config_source, duration, extension, internal_address,
                         path_config_source, path_source, pipe_address, self_source,
                         socket_address, unknown_udpa, unknown_xds)


def listener(name, manager, **more):
    api_listener = api_listener_pb2.ApiListener(api_listener=any_of(manager))
    return listener_pb2.Listener(name=name, api_listener=api_listener, **more)


def http_filter(name, config, **more):
    return hcm_pb2.HttpFilter(name=name, typed_config=any_of(config), **more)


def router():
    return http_filter("router", router_pb2.Router())


def rds(source, name):
    return hcm_pb2.Rds(config_source=source, route_config_name=name)


def rds_ads():
    """Routes by ADS, with one of each filter. The two unknown ones are optional: dropped."""
    source = ads(
        initial_fetch_timeout=duration(7, 500),
        resource_api_version=config_source_pb2.V3,
        authorities=[authority_pb2.Authority(name="authority-a"),
                     authority_pb2.Authority(name="authority-b")],
    )
    return listener("listener-rds-ads", hcm_pb2.HttpConnectionManager(
        rds=rds(source, "route-by-ads"),
        http_filters=[
            http_filter("fault-by-value", full_filters.fault_by_value()),
            http_filter("fault-by-grpc-status", full_filters.fault_by_grpc_status()),
            http_filter("fault-by-header", full_filters.fault_by_header()),
            http_filter("session", full_filters.stateful_session("sid", 86, "/shop")),
            http_filter("unknown-xds", unknown_xds("holdfast.test.FilterA", colour="red"),
                        is_optional=True),
            http_filter("unknown-udpa", unknown_udpa("holdfast.test.FilterB", colour="blue"),
                        is_optional=True, disabled=True),
            router(),
        ],
        common_http_protocol_options=protocol_pb2.HttpProtocolOptions(
            idle_timeout=duration(71), max_stream_duration=duration(72, 250)),
    ))


def rds_self():
    return listener("listener-rds-self", hcm_pb2.HttpConnectionManager(
        rds=rds(self_source(), "route-by-self"), http_filters=[router()]))


def inline_routes():
    """Carries its routes, and an address beside the API listener, which stays a client's one."""
    return listener(
        "listener-inline",
        hcm_pb2.HttpConnectionManager(route_config=full_routes.one_route("route-inline"),
                                      http_filters=[router()]),
        address=socket_address("192.0.2.1", 8001),
    )


def invalid_scoped_routes():
    return listener("listener-scoped", hcm_pb2.HttpConnectionManager(
        scoped_routes=hcm_pb2.ScopedRoutes(name="scopes"), http_filters=[router()]))


def invalid_xff_num_trusted_hops():
    return listener("listener-xff", hcm_pb2.HttpConnectionManager(
        rds=rds(ads(), "route-xff"), http_filters=[router()], xff_num_trusted_hops=2))


def invalid_original_ip_detection():
    detection = extension("detection", unknown_xds("holdfast.test.Detection", header="x-ip"))
    return listener("listener-detection", hcm_pb2.HttpConnectionManager(
        rds=rds(ads(), "route-detection"), http_filters=[router()],
        original_ip_detection_extensions=[detection]))


def invalid_config_discovery():
    discovered = hcm_pb2.HttpFilter(name="discovered",
                                    config_discovery=config_source_pb2.ExtensionConfigSource())
    return listener("listener-discovered", hcm_pb2.HttpConnectionManager(
        rds=rds(ads(), "route-discovered"), http_filters=[discovered, router()]))


def rds_from(name, source):
    return listener(name, hcm_pb2.HttpConnectionManager(
        rds=rds(source, "route-elsewhere"), http_filters=[router()]))


def address_only(name, address):
    """No API listener: a gRPC server's listener, and one without a filter chain."""
    return listener_pb2.Listener(name=name, address=address)


def cases():
    return {
        "rds_ads": rds_ads(),
        "rds_self": rds_self(),
        "inline_routes": inline_routes(),
        "invalid_scoped_routes": invalid_scoped_routes(),
        "invalid_xff_num_trusted_hops": invalid_xff_num_trusted_hops(),
        "invalid_original_ip_detection": invalid_original_ip_detection(),
        "invalid_config_discovery": invalid_config_discovery(),
        "invalid_rds_path": rds_from("listener-path", path_source("/etc/routes")),
        "invalid_rds_path_config_source": rds_from("listener-path-2", path_config_source()),
        "invalid_rds_api_config_source": rds_from("listener-api", api_config_source()),
        "invalid_udp_address": address_only(
            "listener-udp",
            socket_address("192.0.2.2", 8002, protocol=address_pb2.SocketAddress.UDP)),
        "invalid_pipe_address": address_only("listener-pipe", pipe_address()),
        "invalid_internal_address": address_only("listener-internal", internal_address()),
    }
