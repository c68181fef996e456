"""What lint_test.py lints: texts with one mistake each, and texts with none.

The mark «» stands right before the place at which the problem is reported.
"""

TYPES = "type.googleapis.com/envoy"
CLUSTER = f"{TYPES}.config.cluster.v3.Cluster"
ROUTES = f"{TYPES}.config.route.v3.RouteConfiguration"
ENDPOINTS = f"{TYPES}.config.endpoint.v3.ClusterLoadAssignment"
LISTENER = f"{TYPES}.config.listener.v3.Listener"
NOBODY = "which no file defines: clients will be told that it does not exist"
MANAGER = f"{TYPES}.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
ROUTER = f"{TYPES}.extensions.filters.http.router.v3.Router"


def cluster(name, line, type_url=CLUSTER):
    """A cluster that needs nothing else, and one line more."""
    return f'resources:\n- "@type": {type_url}\n  name: {name}\n  type: STATIC\n  {line}\n'


def routes(name, line):
    return (f'resources:\n- "@type": {ROUTES}\n  name: {name}\n  virtual_hosts:\n'
            f'  - name: all\n    domains: ["*"]\n    routes:\n    - {line}\n')


def endpoints(name, locality):
    return (f'resources:\n- "@type": {ENDPOINTS}\n  cluster_name: {name}\n  endpoints:\n'
            f"  {locality}\n")


def error(entry):
    return f"errors:\n- {entry}\n"


ADDRESS = "endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: 9001}}}"
MARKED_ADDRESS = ADDRESS.replace("{socket", "«»{socket")
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi"))

# file: (text, kind, field, what is said)
BAD = {
    "access.yaml": (
        "«»access:\n- {clients: [web], read: [pay]}\n", "error", "access",
        "is not supported yet; nothing of this directory is served that was not served before, "
        "because without the rule everybody could read it"),
    "bomb.yaml": (
        BOMB.replace("[*e", "[«»*e", 1), "error", "",
        "up to here aliases make 234574 keys and values of 211116 bytes out of a file of 413 bytes;"
        " write out what they stand for"),
    "defined_1.yaml": (
        "resources:\n- «»" + cluster("twice", "alt_stat_name: a").partition("- ")[2], "error",
        "resources[0]",
        'cluster "twice" is defined twice, also at ./defined_2.yaml:4:3: which one is meant cannot '
        "be told, so none is taken; keep one"),
    "defined_2.yaml": (
        "# The same name.\n---\nresources:\n- «»" +
        cluster("twice", "alt_stat_name: b").partition("- ")[2], "error", "resources[0]",
        'cluster "twice" is defined twice, also at ./defined_1.yaml:2:3: which one is meant cannot '
        "be told, so none is taken; keep one"),
    "dangling_cluster.yaml": (
        f'resources:\n- «»"@type": {CLUSTER}\n  name: lonely\n  type: EDS\n'
        "  eds_cluster_config: {eds_config: {ads: {}}, service_name: nowhere}\n",
        "warning", "resources[0]",
        f'cluster "lonely" refers to endpoints "nowhere", {NOBODY}'),
    "dangling_listener.yaml": (
        f'resources:\n- «»"@type": {LISTENER}\n  name: lost\n  api_listener:\n    api_listener:\n'
        f'      "@type": {MANAGER}\n      rds: {{config_source: {{ads: {{}}}}, '
        "route_config_name: nowhere}\n      http_filters:\n"
        f'      - {{name: router, typed_config: {{"@type": {ROUTER}}}}}\n',
        "warning", "resources[0]",
        f'listener "lost" refers to route configuration "nowhere", {NOBODY}'),
    "dangling_route.yaml": (
        routes("astray", '{match: {prefix: ""}, route: {cluster: nowhere}}').replace(
            "- ", "- «»", 1),
        "warning", "resources[0]",
        f'route configuration "astray" refers to cluster "nowhere", {NOBODY}'),
    "duration.yaml": (
        cluster("duration", "connect_timeout: «»5"), "error", "resources[0].connect_timeout",
        "expected a duration in seconds, such as 1s or 0.25s, got a number (5)"),
    "enum.yaml": (
        cluster("enum", "lb_policy: «»RUOND_ROBIN"), "error", "resources[0].lb_policy",
        'unknown value "RUOND_ROBIN" of envoy.config.cluster.v3.Cluster.LbPolicy; did you mean '
        "ROUND_ROBIN?"),
    "error_name.yaml": (
        error('{type: cds, name: «»"", code: NOT_FOUND, message: m}'), "error", "errors[0].name",
        "must not be empty"),
    "error_ok.yaml": (
        error("{type: cds, name: a, code: «»OK, message: m}"), "error", "errors[0].code",
        "must not be OK: that is no error"),
    "error_star.yaml": (
        error('{type: cds, name: «»"*", code: NOT_FOUND, message: m}'), "error", "errors[0].name",
        'must not be "*", with which clients ask for everything'),
    "error_unsent.yaml": (
        cluster("served", "alt_stat_name: a") +
        error("«»{type: cds, name: served, code: UNAVAILABLE, message: m}"), "warning",
        "errors[0]",
        'cluster "served" is defined at ./error_unsent.yaml:2:3: it stays in service and '
        "UNAVAILABLE is not sent; only NOT_FOUND and PERMISSION_DENIED withdraw a resource"),
    "field.yaml": (
        cluster("field", "«»lb_policyy: ROUND_ROBIN"), "error", "resources[0].lb_policyy",
        "unknown field of envoy.config.cluster.v3.Cluster; did you mean lb_policy?"),
    "name.yaml": (
        f'resources:\n- «»"@type": {CLUSTER}\n  type: STATIC\n', "error", "resources[0].name",
        "a resource must have a name"),
    "nodes.yaml": (
        "«»nodes: {cluster: web}\n", "error", "nodes",
        "is not supported yet, so nothing in this document is served: without it everybody would "
        "get what is meant for some"),
    "priority_gap.yaml": (
        endpoints("gap", "«»- {priority: 1, locality: {}, load_balancing_weight: 1, "
                         f"lb_endpoints: [{{{ADDRESS}}}]}}"),
        "warning", "resources[0].endpoints",
        "grpc: priority 0 has no localities although priority 1 has"),
    "regex.yaml": (
        routes("regex", '{match: {safe_regex: {regex: «»"("}}, route: {cluster: served}}'), "error",
        "resources[0].virtual_hosts[0].routes[0].match.safe_regex.regex",
        '"(" is not a valid RE2 regex: missing ): ('),
    "same_address.yaml": (
        endpoints("same", "- {locality: {}, load_balancing_weight: 1, "
                          f"lb_endpoints: [{{{ADDRESS}}}, {{{MARKED_ADDRESS}}}]}}"),
        "warning", "resources[0].endpoints[0].lb_endpoints[1].endpoint.address",
        "grpc: is the same address as endpoints[0].lb_endpoints[0].endpoint.address "
        "(127.0.0.1:9001)"),
    "syntax.yaml": (
        "resources: [\n«»", "error", "", "not YAML: end of sequence flow not found"),
    "tab.yaml": (
        "resources:\n\t«»- a\n", "error", "",
        "this line is indented with a tab; YAML wants spaces"),
    "type.yaml": (
        cluster("type", "alt_stat_name: a", type_url="«»" + CLUSTER + "r"), "error",
        "resources[0].@type",
        'unknown type "envoy.config.cluster.v3.Clusterr"; did you mean '
        "envoy.config.cluster.v3.Cluster?"),
    "value.yaml": (
        cluster("value", "per_connection_buffer_limit_bytes: «»many"), "error",
        "resources[0].per_connection_buffer_limit_bytes", 'expected a number, got "many"'),
    "weights.yaml": (
        routes("weights", "{match: {prefix: \"\"}, route: {weighted_clusters: «»{clusters: "
                          "[{name: served, weight: 0}]}}}"),
        "error", "resources[0].virtual_hosts[0].routes[0].route.weighted_clusters",
        "must have a cluster with a weight above 0"),
}

# As Envoy's documentation shows configuration: made for a proxy, and nothing for gRPC.
ENVOY = """\
resources:
- "@type": type.googleapis.com/envoy.config.listener.v3.Listener
  name: listener_0
  address:
    socket_address: {address: 0.0.0.0, port_value: 10000}
  filter_chains:
  - filters:
    - name: envoy.filters.network.http_connection_manager
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
        stat_prefix: ingress_http
        codec_type: AUTO
        access_log:
        - name: envoy.access_loggers.stdout
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog
        http_filters:
        - name: envoy.filters.http.router
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
        route_config:
          name: local_route
          virtual_hosts:
          - name: local_service
            domains: ["*"]
            routes:
            - match: {prefix: "/"}
              route: {host_rewrite_literal: www.example.com, cluster: service_example_com}
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: service_example_com
  connect_timeout: 0.25s
  type: STRICT_DNS
  dns_lookup_family: V4_ONLY
  lb_policy: ROUND_ROBIN
  load_assignment:
    cluster_name: service_example_com
    endpoints:
    - lb_endpoints:
      - endpoint:
          address:
            socket_address: {address: www.example.com, port_value: 443}
  transport_socket:
    name: envoy.transport_sockets.tls
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
      sni: www.example.com
"""

# For gRPC: in the long form and in the short one.
CLEAN = """\
resources:
- "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
  name: pay
  type: EDS
  connect_timeout: 1s
  eds_cluster_config: {eds_config: {ads: {}}}
- "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
  cluster_name: pay
  endpoints:
  - locality: {}
    load_balancing_weight: 1
    lb_endpoints:
    - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: 9001}}}
services:
- name: web
  lb: round_robin
  endpoints: ["127.0.0.1:9001", "127.0.0.1:9002"]
errors:
- {type: cds, name: billing, code: PERMISSION_DENIED, message: "ask #payments"}
"""
