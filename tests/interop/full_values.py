"""Small values the full_*.py builders are made of. Foreign classes only: nothing here is ours."""

from google.protobuf import any_pb2
from google.protobuf import duration_pb2
from google.protobuf import struct_pb2
from google.protobuf import wrappers_pb2

from envoy.config.core.v3 import address_pb2
from envoy.config.core.v3 import base_pb2
from envoy.config.core.v3 import config_source_pb2
from envoy.config.core.v3 import extension_pb2
from envoy.type.matcher.v3 import regex_pb2
from envoy.type.v3 import percent_pb2
from udpa.type.v1 import typed_struct_pb2 as udpa_typed_struct_pb2
from xds.type.v3 import typed_struct_pb2

TYPE_URL_PREFIX = "type.googleapis.com/"
HUNDRED = percent_pb2.FractionalPercent.HUNDRED
TEN_THOUSAND = percent_pb2.FractionalPercent.TEN_THOUSAND
MILLION = percent_pb2.FractionalPercent.MILLION


def any_of(message):
    packed = any_pb2.Any()
    packed.Pack(message, deterministic=True)  # Map order is free; files should not change by run.
    return packed


def duration(seconds, millis=0):
    return duration_pb2.Duration(seconds=seconds + millis // 1000,
                                 nanos=millis % 1000 * 1_000_000)


def u32(value):
    return wrappers_pb2.UInt32Value(value=value)


def u64(value):
    return wrappers_pb2.UInt64Value(value=value)


def boolean(value):
    return wrappers_pb2.BoolValue(value=value)


def struct(**fields):
    result = struct_pb2.Struct()
    result.update(fields)
    return result


def fraction(numerator, denominator):
    return percent_pb2.FractionalPercent(numerator=numerator, denominator=denominator)


def regex(text):
    engine = regex_pb2.RegexMatcher.GoogleRE2()
    return regex_pb2.RegexMatcher(google_re2=engine, regex=text)


def extension(name, message):
    return extension_pb2.TypedExtensionConfig(name=name, typed_config=any_of(message))


def transport_socket(name, message):
    return base_pb2.TransportSocket(name=name, typed_config=any_of(message))


def unknown_xds(type_name, **fields):
    """A type nobody knows, written the newer way."""
    return typed_struct_pb2.TypedStruct(type_url=TYPE_URL_PREFIX + type_name,
                                        value=struct(**fields))


def unknown_udpa(type_name, **fields):
    """A type nobody knows, written the older way."""
    return udpa_typed_struct_pb2.TypedStruct(type_url=TYPE_URL_PREFIX + type_name,
                                             value=struct(**fields))


def socket_address(address, port, **more):
    socket = address_pb2.SocketAddress(address=address, port_value=port, **more)
    return address_pb2.Address(socket_address=socket)


def pipe_address():
    return address_pb2.Address(pipe=address_pb2.Pipe())


def internal_address():
    return address_pb2.Address(envoy_internal_address=address_pb2.EnvoyInternalAddress())


def ads(**more):
    source = config_source_pb2.AggregatedConfigSource()
    return config_source_pb2.ConfigSource(ads=source, **more)


def self_source():
    source = config_source_pb2.ConfigSource()
    # Not as an argument: protobuf's pure python runtime would take it for its own self.
    getattr(source, "self").transport_api_version = config_source_pb2.V3
    return source


def path_source(path):
    return config_source_pb2.ConfigSource(path=path)


def path_config_source():
    source = config_source_pb2.PathConfigSource()
    return config_source_pb2.ConfigSource(path_config_source=source)


def api_config_source():
    source = config_source_pb2.ApiConfigSource()
    return config_source_pb2.ConfigSource(api_config_source=source)
