"""``by_pointer``: named tuples of arrays that compiled functions take as one pointer.

A tree has some fifty arrays, and numba describes each by about seven numbers. A tree passed by
value therefore adds some 350 arguments to every call in compiled code, and most of the compiled
code only passes them. With a pointer the search compiles in a third of the time, and a call from
Python unpacks nothing.

In Python such a tuple behaves as usual. Compiled code can read its fields by name. It cannot make,
return or unpack such a tuple. The pointer is the address of a block of 64-bit words that holds the
fields in order, in numba's layout:

* an array: 0, 0, number of items, bytes of an item, address of the data, shape, strides;
* a nested ``by_pointer`` tuple: its address;
* any other named tuple of arrays: its fields.
"""

from __future__ import annotations

import functools
import hashlib
import weakref
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)


class Block(types.Type):
    """The numba type of a ``PassedByPointer``. Its name and its fields' types identify it."""

    def __init__(self, name: str, fields: dict[str, types.Type]):
        self.fields = fields
        digest = hashlib.sha256(
            repr([(field, str(kind)) for field, kind in fields.items()]).encode()
        ).hexdigest()[:16]
        # A short name, since it is part of every symbol.
        super().__init__(name=f"{name}.{digest}")


Fields = TypeVar("Fields", bound=tuple)


def by_pointer(fields: type[Fields]) -> type[Fields]:
    """Class decorator: makes compiled functions take a named tuple as one pointer.

    Each field must be an array, a named tuple of arrays, or a ``by_pointer`` tuple.
    """
    by_pointer_class: Any = type(
        fields.__name__,
        (PassedByPointer, fields),
        {"__doc__": fields.__doc__, "__module__": fields.__module__},
    )
    return by_pointer_class


class PassedByPointer:
    """Base class that ``by_pointer`` adds to a class of named tuples."""

    @functools.cached_property
    def _kind(self) -> Block:
        fields: Any = self
        return Block(
            type(self).__name__,
            {name: typeof(value) for name, value in zip(fields._fields, fields, strict=True)},
        )

    @functools.cached_property
    def _block(self) -> np.ndarray:
        return np.array(_words(tuple(self)), np.int64)  # pyright: ignore[reportArgumentType]

    @functools.cached_property
    def _address(self) -> int:
        return self._block.ctypes.data

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy has a block of its own.
        return type(self), tuple(self)  # pyright: ignore[reportArgumentType]


def pointer_reader(like: Any) -> Any:
    """Returns a function that turns the address of a tuple into the tuple.

    The function is for compiled code only. A callback whose signature has no place for a tuple thus
    receives one in an array of numbers.

    Args:
      like: a ``by_pointer`` tuple whose arrays have the types of those that will be read.
    """
    kind = typeof(like)

    def typed(typing_context, address):
        return kind(types.int64), _same

    return intrinsic(typed)


def _same(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return arguments[0]


def address_of_block(value: Any) -> int:
    """Returns the address of a ``by_pointer`` tuple, for ``pointer_reader``.

    It is valid as long as the tuple lives (``keep_with``).
    """
    return value._address


def keep_with(array: np.ndarray, value: Any) -> None:
    """Makes a tuple live as long as an array that holds its address. A copy does not keep it."""
    weakref.finalize(array, _let_go, value).atexit = False


def _let_go(value: Any) -> None:
    """Receives a tuple that nothing else refers to any more."""


@typeof_impl.register(PassedByPointer)
def _typeof(value: PassedByPointer, _: Any) -> Block:
    value._block  # noqa: B018  raises TypeError for fields of other types
    return value._kind


def _words(value: Any) -> list[int]:
    """Returns the 64-bit words by which a block represents a field value.

    Raises TypeError for a value that is not made of arrays.
    """
    if isinstance(value, PassedByPointer):
        return [value._address]
    if isinstance(value, np.ndarray):
        return [0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides]
    if isinstance(value, tuple):
        return [word for field in value for word in _words(field)]
    raise TypeError(
        f"{value!r} cannot be passed by pointer: it is neither an array nor made of arrays"
    )


@register_model(Block)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Block):
        super().__init__(manager, kind, ir.IntType(64))


@unbox(Block)
def _unbox(kind: Block, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "_address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(address, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _Fields(AttributeTemplate):
    key = Block

    def generic_resolve(self, kind: Block, name: str) -> types.Type | None:
        return kind.fields.get(name)


@lower_getattr_generic(Block)
def _field(context: Any, builder: Any, kind: Block, value: Any, name: str) -> Any:
    shapes = [context.get_value_type(field) for field in kind.fields.values()]
    block = builder.inttoptr(value, ir.LiteralStructType(shapes).as_pointer())
    at = list(kind.fields).index(name)
    return _loaded(builder, cgutils.gep_inbounds(builder, block, 0, at))


def _loaded(builder: Any, where: Any) -> Any:
    """Emits code that loads the value at a pointer, word by word.

    The loads are marked as invariant, since a block never changes.
    """
    kind = where.type.pointee
    if isinstance(kind, ir.LiteralStructType | ir.ArrayType):
        count = kind.count if isinstance(kind, ir.ArrayType) else len(kind.elements)
        whole = ir.Constant(kind, ir.Undefined)
        for index in range(count):
            whole = builder.insert_value(
                whole, _loaded(builder, cgutils.gep_inbounds(builder, where, 0, index)), index
            )
        return whole
    word = builder.load(where)
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word
