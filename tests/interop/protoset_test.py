"""Is the protoset that setup makes whole, and the same every time?

    python protoset_test.py
"""
# ctest: interop.protoset

import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2

MAKE_PROTOSET = pathlib.Path(__file__).resolve().parents[2] / "tools/make_protoset.py"

# One field each that a published configuration sets, or that the control plane speaks of.
WANTED = {
    "envoy.config.cluster.v3.Cluster": "connect_timeout",
    "envoy.service.discovery.v3.DiscoveryResponse": "resource_errors",
    "envoy.service.discovery.v3.DeltaDiscoveryResponse": "resource_errors",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager":
        "stat_prefix",
    "google.protobuf.Any": "type_url",
    "validate.FieldRules": "message",
}


def make(folder, name):
    out = pathlib.Path(folder) / name
    subprocess.run([sys.executable, MAKE_PROTOSET, "--from-peers", out], check=True)
    return out.read_bytes()


def mistakes_in(files):
    seen, fields = set(), {}
    for file in files.file:
        for dependency in file.dependency:
            if dependency not in seen:
                yield f"{file.name}: comes before {dependency}, which it imports"
        seen.add(file.name)
        for message in file.message_type:
            fields[f"{file.package}.{message.name}"] = {field.name for field in message.field}
    for message, field in WANTED.items():
        if field not in fields.get(message, ()):
            yield f"{message}.{field}: not there"


def main():
    with tempfile.TemporaryDirectory() as folder:
        first, second = make(folder, "first"), make(folder, "second")
    mistakes = list(mistakes_in(descriptor_pb2.FileDescriptorSet.FromString(first)))
    if first != second:
        mistakes.append("two runs wrote different bytes")
    print("\n".join(mistakes) or f"{len(first)} bytes, whole and the same every time")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
