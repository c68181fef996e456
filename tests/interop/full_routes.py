"""RouteConfigurations that together set every field our schema has of them."""

from envoy.config.core.v3 import base_pb2
from envoy.config.route.v3 import route_components_pb2 as components_pb2
from envoy.config.route.v3 import route_pb2
from envoy.type.matcher.v3 import regex_pb2
from envoy.type.matcher.v3 import string_pb2
from envoy.type.v3 import range_pb2
from xds.core.v3 import extension_pb2

import full_filters
from full_values import (TEN_THOUSAND, any_of, boolean, duration, extension, fraction, regex, u32,
                         unknown_udpa, unknown_xds)

Route = components_pb2.Route
RouteAction = components_pb2.RouteAction
RouteMatch = components_pb2.RouteMatch
HashPolicy = RouteAction.HashPolicy
HeaderMatcher = components_pb2.HeaderMatcher
StringMatcher = string_pb2.StringMatcher


def one_host(name, routes, **more):
    host = components_pb2.VirtualHost(name=f"{name}-host", domains=["*"], routes=routes)
    return route_pb2.RouteConfiguration(name=name, virtual_hosts=[host], **more)


def to_cluster(name, match, cluster):
    return Route(name=name, match=match, route=RouteAction(cluster=cluster))


def one_route(name):
    """The smallest valid configuration; the inline one of a Listener."""
    return one_host(name, [to_cluster("all", RouteMatch(prefix=""), "cluster-inline")])


def string_header(name, **pattern):
    return HeaderMatcher(name=name, string_match=StringMatcher(**pattern))


def all_header_matchers():
    return [
        HeaderMatcher(name="h-exact", exact_match="exact-value"),
        HeaderMatcher(name="h-regex", safe_regex_match=regex("re.*x")),
        HeaderMatcher(name="h-range", range_match=range_pb2.Int64Range(start=-5, end=500)),
        HeaderMatcher(name="h-present", present_match=True),
        HeaderMatcher(name="h-prefix", prefix_match="pre-"),
        HeaderMatcher(name="h-suffix", suffix_match="-post", invert_match=True),
        HeaderMatcher(name="h-contains", contains_match="-in-"),
        string_header("s-exact", exact="s-exact-value"),
        string_header("s-prefix", prefix="s-pre-", ignore_case=True),
        string_header("s-suffix", suffix="-s-post"),
        string_header("s-regex", safe_regex=regex("s-re[gx]+")),
        string_header("s-contains", contains="-s-in-"),
    ]


def matching():
    """Each way to match. The route with query parameters is valid, and skipped."""
    runtime_fraction = base_pb2.RuntimeFractionalPercent(
        default_value=fraction(1250, TEN_THOUSAND), runtime_key="routing.canary")
    host = components_pb2.VirtualHost(
        name="host-matching",
        domains=["shop.example.com", "*.example.com", "shop.*"],
        routes=[
            to_cluster("by-prefix",
                       RouteMatch(prefix="/pay.Service/", case_sensitive=boolean(False)),
                       "cluster-by-prefix"),
            to_cluster("by-path",
                       RouteMatch(path="/pay.Service/Refund", runtime_fraction=runtime_fraction),
                       "cluster-by-path"),
            to_cluster("by-regex", RouteMatch(safe_regex=regex("/pay[.].*/Get.*")),
                       "cluster-by-regex"),
            to_cluster("by-headers", RouteMatch(prefix="", headers=all_header_matchers()),
                       "cluster-by-headers"),
            to_cluster("by-ignored",
                       RouteMatch(prefix="/", grpc=RouteMatch.GrpcRouteMatchOptions(),
                                  tls_context=RouteMatch.TlsContextMatchOptions()),
                       "cluster-by-ignored"),
            to_cluster("by-query",
                       RouteMatch(prefix="/",
                                  query_parameters=[components_pb2.QueryParameterMatcher()]),
                       "cluster-by-query"),
        ],
    )
    return route_pb2.RouteConfiguration(name="route-matching", virtual_hosts=[host])


def retry_policy(retry_on, retries, try_seconds, base_millis, max_millis):
    back_off = components_pb2.RetryPolicy.RetryBackOff(
        base_interval=duration(0, base_millis), max_interval=duration(0, max_millis))
    return components_pb2.RetryPolicy(retry_on=retry_on, num_retries=u32(retries),
                                      per_try_timeout=duration(try_seconds),
                                      retry_back_off=back_off)


def all_hash_policies():
    """The first and the last are used, the three between are accepted and ignored."""
    rewrite = regex_pb2.RegexMatchAndSubstitute(pattern=regex("user-([0-9]+)"),
                                                substitution="\\1")
    return [
        HashPolicy(header=HashPolicy.Header(header_name="x-user", regex_rewrite=rewrite),
                   terminal=True),
        HashPolicy(cookie=HashPolicy.Cookie()),
        HashPolicy(connection_properties=HashPolicy.ConnectionProperties()),
        HashPolicy(query_parameter=HashPolicy.QueryParameter()),
        HashPolicy(filter_state=HashPolicy.FilterState(key="io.grpc.channel_id")),
    ]


def full_forward():
    return RouteAction(
        cluster="cluster-forward",
        auto_host_rewrite=boolean(True),
        timeout=duration(21),
        retry_policy=retry_policy("unavailable,cancelled,gateway-error", 4, 22, 130, 1400),
        hash_policy=all_hash_policies(),
        max_stream_duration=RouteAction.MaxStreamDuration(
            max_stream_duration=duration(23), grpc_timeout_header_max=duration(24),
            grpc_timeout_header_offset=duration(0, 25)),
    )


def weighted():
    weight = components_pb2.WeightedCluster.ClusterWeight
    return RouteAction(weighted_clusters=components_pb2.WeightedCluster(
        clusters=[
            weight(name="cluster-light", weight=u32(10)),
            weight(name="cluster-heavy", weight=u32(70), typed_per_filter_config={
                "session": any_of(full_filters.session_override("heavy-sid", 87, "/heavy"))}),
        ],
        total_weight=u32(80),
    ))


def plugin(name, **more):
    """Unknown to everyone, so it must be optional, and a route that names it is skipped."""
    unknown = unknown_xds("holdfast.test.Plugin", table=name)
    return components_pb2.ClusterSpecifierPlugin(extension=extension(name, unknown),
                                                 is_optional=True, **more)


def forwarding():
    """Each way to choose a cluster. The last three routes are valid, and skipped."""
    anything = RouteMatch(prefix="")
    host = components_pb2.VirtualHost(
        name="host-forwarding",
        domains=["*"],
        retry_policy=retry_policy("internal,deadline-exceeded", 3, 26, 140, 1500),
        routes=[
            Route(name="to-cluster", match=anything, route=full_forward()),
            Route(name="to-weighted", match=anything, route=weighted()),
            Route(name="to-header", match=anything, route=RouteAction(cluster_header="x-cluster")),
            Route(name="to-plugin", match=anything,
                  route=RouteAction(cluster_specifier_plugin="plugin-declared")),
            Route(name="to-inline-plugin", match=anything,
                  route=RouteAction(inline_cluster_specifier_plugin=plugin("plugin-inline"))),
        ],
    )
    return route_pb2.RouteConfiguration(name="route-forwarding", virtual_hosts=[host],
                                        cluster_specifier_plugins=[plugin("plugin-declared")])


def other_actions():
    """Valid actions that no gRPC client forwards by."""
    anything = RouteMatch(prefix="")
    return one_host("route-other-actions", [
        Route(name="redirects", match=anything, redirect=components_pb2.RedirectAction()),
        Route(name="responds", match=anything,
              direct_response=components_pb2.DirectResponseAction()),
        Route(name="filters", match=anything, filter_action=components_pb2.FilterAction()),
        Route(name="serves", match=anything,
              non_forwarding_action=components_pb2.NonForwardingAction()),
    ])


def filter_overrides():
    """Overrides at host and route; those of a weighted cluster are in weighted().

    Unknown types only inside an optional FilterConfig, where they are dropped.
    """
    wrapped = components_pb2.FilterConfig
    host = components_pb2.VirtualHost(
        name="host-overrides",
        domains=["*"],
        typed_per_filter_config={
            "fault": any_of(full_filters.fault_by_grpc_status()),
            "session": any_of(full_filters.session_off()),
            "unknown-xds": any_of(wrapped(config=any_of(unknown_xds("holdfast.test.A", size=1)),
                                          is_optional=True)),
            "unknown-udpa": any_of(wrapped(config=any_of(unknown_udpa("holdfast.test.B", size=2)),
                                           is_optional=True, disabled=True)),
        },
        routes=[Route(
            name="with-overrides",
            match=RouteMatch(prefix=""),
            route=RouteAction(cluster="cluster-overrides"),
            typed_per_filter_config={
                "fault": any_of(wrapped(config=any_of(full_filters.fault_by_value()))),
                "session": any_of(full_filters.session_override("route-sid", 88, "/route")),
            },
        )],
    )
    return route_pb2.RouteConfiguration(name="route-overrides", virtual_hosts=[host])


def matched_by(name, **specifier):
    return one_host(name, [to_cluster("only", RouteMatch(**specifier), "cluster-only")])


def cases():
    pattern = extension("pattern", unknown_xds("holdfast.test.PathMatch", glob="/a/**"))
    custom = extension_pb2.TypedExtensionConfig(
        name="own-matcher", typed_config=any_of(
            unknown_xds("holdfast.test.StringMatch", like="a%")))
    return {
        "matching": matching(),
        "forwarding": forwarding(),
        "other_actions": other_actions(),
        "filter_overrides": filter_overrides(),
        "invalid_connect_matcher": matched_by("route-connect",
                                              connect_matcher=RouteMatch.ConnectMatcher()),
        "invalid_path_separated_prefix": matched_by("route-separated",
                                                    path_separated_prefix="/pay"),
        "invalid_path_match_policy": matched_by("route-policy", path_match_policy=pattern),
        "invalid_custom_string_match": matched_by(
            "route-custom", prefix="", headers=[string_header("s-custom", custom=custom)]),
    }
