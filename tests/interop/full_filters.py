"""HTTP filter configurations, used by full_listeners.py and full_routes.py."""

from envoy.config.route.v3 import route_components_pb2 as route_pb2
from envoy.extensions.filters.common.fault.v3 import fault_pb2 as common_fault_pb2
from envoy.extensions.filters.http.fault.v3 import fault_pb2
from envoy.extensions.filters.http.stateful_session.v3 import stateful_session_pb2
from envoy.extensions.http.stateful_session.cookie.v3 import cookie_pb2 as session_cookie_pb2
from envoy.type.http.v3 import cookie_pb2

from full_values import HUNDRED, MILLION, TEN_THOUSAND, duration, extension, fraction, u32

FaultDelay = common_fault_pb2.FaultDelay
FaultAbort = fault_pb2.FaultAbort


def fault_by_value():
    """Both faults fixed in the config, the abort as an HTTP status."""
    return fault_pb2.HTTPFault(
        delay=FaultDelay(fixed_delay=duration(3, 250), percentage=fraction(11, HUNDRED)),
        abort=FaultAbort(http_status=404, percentage=fraction(2200, TEN_THOUSAND)),
        headers=[route_pb2.HeaderMatcher(name="x-fault", exact_match="please")],
        max_active_faults=u32(33),
    )


def fault_by_grpc_status():
    return fault_pb2.HTTPFault(
        abort=FaultAbort(grpc_status=14, percentage=fraction(440_000, MILLION)))


def fault_by_header():
    """Both faults asked for by request headers."""
    return fault_pb2.HTTPFault(
        delay=FaultDelay(header_delay=FaultDelay.HeaderDelay(), percentage=fraction(55, HUNDRED)),
        abort=FaultAbort(header_abort=FaultAbort.HeaderAbort(), percentage=fraction(66, HUNDRED)),
    )


def stateful_session(cookie_name, ttl_seconds, path):
    cookie = cookie_pb2.Cookie(name=cookie_name, ttl=duration(ttl_seconds), path=path)
    state = session_cookie_pb2.CookieBasedSessionState(cookie=cookie)
    return stateful_session_pb2.StatefulSession(
        session_state=extension("envoy.http.stateful_session.cookie", state))


def session_off():
    return stateful_session_pb2.StatefulSessionPerRoute(disabled=True)


def session_override(*cookie):
    return stateful_session_pb2.StatefulSessionPerRoute(stateful_session=stateful_session(*cookie))
