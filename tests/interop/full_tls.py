"""Transport sockets of clusters, used by full_clusters.py.

The valid ones name certificate providers; a test that decodes them has a bootstrap with the
instances listed in PROVIDERS.
"""

from envoy.config.core.v3 import base_pb2
from envoy.extensions.transport_sockets.http_11_proxy.v3 import upstream_http_11_connect_pb2
from envoy.extensions.transport_sockets.tls.v3 import common_pb2
from envoy.extensions.transport_sockets.tls.v3 import secret_pb2
from envoy.extensions.transport_sockets.tls.v3 import tls_pb2
from envoy.type.matcher.v3 import string_pb2

from full_values import boolean, extension, regex, transport_socket, unknown_xds

PROVIDERS = ("ca-provider", "identity-provider", "old-ca-provider", "old-identity-provider")

Validation = common_pb2.CertificateValidationContext
CommonTls = tls_pb2.CommonTlsContext
StringMatcher = string_pb2.StringMatcher


def provider(instance, certificate):
    return common_pb2.CertificateProviderPluginInstance(instance_name=instance,
                                                        certificate_name=certificate)


def old_provider(instance, certificate):
    """The deprecated twin; where both are set the newer one counts."""
    return CommonTls.CertificateProviderInstance(instance_name=instance,
                                                 certificate_name=certificate)


def ca_provider():
    return provider("ca-provider", "ca-certificate")


def tls(common, **more):
    context = tls_pb2.UpstreamTlsContext(common_tls_context=common, **more)
    return transport_socket("envoy.transport_sockets.tls", context)


def mutual_tls():
    """Everything a client uses or may ignore, with a plain validation context."""
    validation = Validation(
        trusted_ca=base_pb2.DataSource(),
        allow_expired_certificate=True,
        trust_chain_verification=Validation.ACCEPT_UNTRUSTED,
        watched_directory=base_pb2.WatchedDirectory(),
        ca_certificate_provider_instance=ca_provider(),
        match_subject_alt_names=[
            StringMatcher(exact="san.example.com"),
            StringMatcher(prefix="spiffe://", ignore_case=True),
            StringMatcher(suffix=".example.org"),
            StringMatcher(safe_regex=regex("san-[0-9]+")),
            StringMatcher(contains="middle"),
        ],
    )
    common = CommonTls(
        alpn_protocols=["h2", "h3"],
        validation_context=validation,
        tls_certificate_provider_instance=provider("identity-provider", "identity-certificate"),
        tls_certificate_certificate_provider_instance=old_provider("old-identity-provider",
                                                                   "old-identity-certificate"),
    )
    return tls(common, sni="sni.example.com", auto_host_sni=True)


def system_root_tls():
    """System roots, said through the combined validation context."""
    combined = CommonTls.CombinedCertificateValidationContext(
        default_validation_context=Validation(system_root_certs=Validation.SystemRootCerts()),
        validation_context_certificate_provider_instance=old_provider("old-ca-provider",
                                                                      "old-ca-certificate"),
    )
    return tls(CommonTls(combined_validation_context=combined), auto_sni_san_validation=True)


def through_proxy(*inner):
    """A CONNECT proxy around a transport socket, or around none."""
    transport = upstream_http_11_connect_pb2.Http11ProxyUpstreamTransport(
        transport_socket=inner[0] if inner else None)
    return transport_socket("envoy.transport_sockets.http_11_proxy", transport)


def rejected_contexts():
    """CommonTlsContexts by the field that makes each of them invalid for a gRPC client."""
    roots = Validation(ca_certificate_provider_instance=ca_provider())
    secret = secret_pb2.SdsSecretConfig()
    handshaker = extension("handshaker", unknown_xds("holdfast.test.Handshaker", mode="odd"))
    return {
        "tls_params": CommonTls(validation_context=roots, tls_params=common_pb2.TlsParameters()),
        "tls_certificates": CommonTls(validation_context=roots,
                                      tls_certificates=[common_pb2.TlsCertificate()]),
        "tls_certificate_sds": CommonTls(validation_context=roots,
                                         tls_certificate_sds_secret_configs=[secret]),
        "custom_handshaker": CommonTls(validation_context=roots, custom_handshaker=handshaker),
        "validation_sds": CommonTls(validation_context_sds_secret_config=secret),
    }


def rejected_validations():
    """The same for validation contexts."""
    validator = extension("validator", unknown_xds("holdfast.test.Validator", mode="strict"))
    fields = {
        "verify_certificate_hash": ["hash-1"],
        "verify_certificate_spki": ["spki-1"],
        "require_signed_certificate_timestamp": boolean(True),
        "crl": base_pb2.DataSource(),
        "custom_validator_config": validator,
    }
    return {
        name: CommonTls(validation_context=Validation(
            ca_certificate_provider_instance=ca_provider(), **{name: value}))
        for name, value in fields.items()
    }


def rejected():
    return {name: tls(common)
            for name, common in (*rejected_contexts().items(), *rejected_validations().items())}
