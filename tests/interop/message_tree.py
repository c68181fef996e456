"""Looks through foreign messages, into the Anys they carry as well."""

from google.protobuf import any_pb2
from google.protobuf import descriptor_pool
from google.protobuf import message_factory
from google.protobuf import unknown_fields

import schemas

ANY = any_pb2.Any.DESCRIPTOR.full_name


def inside(packed):
    """The message an Any holds, or None if the foreign schema does not know its type."""
    name = packed.type_url.rpartition("/")[2]
    try:
        descriptor = descriptor_pool.Default().FindMessageTypeByName(name)
    except KeyError:
        return None
    return message_factory.GetMessageClass(descriptor).FromString(packed.value)


def walk(message):
    """The message and every message in it, those inside Anys included."""
    yield message
    if message.DESCRIPTOR.full_name == ANY:
        held = inside(message)
        if held is not None:
            yield from walk(held)
    for field, value in message.ListFields():
        for child in _child_messages(field, value):
            yield from walk(child)


def _child_messages(field, value):
    if field.message_type is None:
        return []
    if not schemas.is_map(field):
        return value if field.is_repeated else [value]
    holds_messages = field.message_type.fields_by_name["value"].message_type is not None
    return value.values() if holds_messages else []


def flatten(message, path=""):
    """{path: value} of all that is set. Two messages are equal if these are.

    Anys are opened, because two writers may put the same message into different bytes. A set but
    empty message, list element or Any shows as "set", so presence is compared too.
    """
    if message.DESCRIPTOR.full_name == ANY:
        held = inside(message)
        if held is not None:
            # In brackets, so that no field of the held message can have the same path.
            return {f"{path}<type_url>": message.type_url, **flatten(held, path)}
    flat = {path: "set"}
    for unknown in unknown_fields.UnknownFieldSet(message):
        flat[f"{path}.<unknown field {unknown.field_number}>"] = repr(unknown.data)
    for field, value in message.ListFields():
        for key, item in _items(field, value):
            here = f"{path}.{field.name}{key}"
            is_message = hasattr(item, "DESCRIPTOR")
            flat.update(flatten(item, here) if is_message else {here: item})
    return flat


def _items(field, value):
    if schemas.is_map(field):
        return [(f"[{key!r}]", item) for key, item in value.items()]
    if field.is_repeated:
        return [(f"[{index}]", item) for index, item in enumerate(value)]
    return [("", value)]
