"""Loads the two schemas the interop tests compare: ours and the foreign one.

Ours is a FileDescriptorSet made by protoc from proto/. The foreign one is what the pinned packages
of requirements.txt carry; importing their generated modules fills protobuf's default pool.
"""

import importlib
import pathlib
import sys

from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import make_protoset  # noqa: E402

FOREIGN_TREES = ("envoy", "xds", "udpa", "google.rpc", "grpc_health")

# Files of the protobuf project itself; both sides take them from there, so nobody compares them.
SYSTEM_PREFIX = "google/protobuf/"


def load_foreign():
    """Fills the default pool. Returns it, and "module: reason" for each module that would not load.

    A failed import is no failure by itself: most of the trees we never use. A type of ours that is
    then missing is one, and the caller prints these reasons beside it.
    """
    failures = []
    for tree in FOREIGN_TREES:
        for module in make_protoset.generated_modules(tree):
            try:
                importlib.import_module(module)
            except Exception as error:  # Generated code may fail in any way.
                failures.append(f"{module}: {error}")
    return descriptor_pool.Default(), failures


def read_descriptor_set(path):
    """The FileDescriptorSet in the file, which protoc wrote with --include_imports."""
    files = descriptor_pb2.FileDescriptorSet()
    files.ParseFromString(pathlib.Path(path).read_bytes())
    return files


def load_ours(files):
    """A pool of its own for our schema: in the default pool its names would clash."""
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


def our_files(files, pool):
    """The descriptors of the files that are ours to judge, in the order of the set."""
    return [pool.FindFileByName(f.name) for f in files.file if not f.name.startswith(SYSTEM_PREFIX)]


def messages_in(file):
    """Every message of a file, nested ones too, but not the entries that map fields are made of."""
    waiting = list(file.message_types_by_name.values())
    while waiting:
        message = waiting.pop(0)
        if not is_map_entry(message):
            yield message
            waiting.extend(message.nested_types)


def enums_in(file):
    yield from file.enum_types_by_name.values()
    for message in messages_in(file):
        yield from message.enum_types


def is_map_entry(message):
    return message.GetOptions().map_entry


def is_map(field):
    return field.message_type is not None and is_map_entry(field.message_type)
