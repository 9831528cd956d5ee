"""Calls of a compiled function by its address, from other compiled functions.

A game passes the addresses of its callbacks (``jit.host.address_of``) to the search, and the search
calls them. So the search is compiled once for all games.
"""

# numba has no types for its internals:
# pyright: reportAttributeAccessIssue=false, reportFunctionMemberAccess=false

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def calls_address(function: Callable[..., object]) -> Callable[..., Any]:
    """Decorator: returns a function that calls the compiled function at a given address.

    The returned function has the signature of ``function``, whose body is not used. Its first
    argument is the address. The other arguments are passed to the function at this address, and
    the result is int64. Only compiled functions can call it.

    The arguments must have exactly the types of the function at the address. This is not checked.
    """

    def typed(typing_context, *arguments):
        return types.int64(*arguments), _code

    signature = inspect.signature(function)
    context = inspect.Parameter("typing_context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    typed.__signature__ = signature.replace(parameters=[context, *signature.parameters.values()])
    typed.__name__, typed.__doc__ = function.__name__, function.__doc__
    return intrinsic(typed)


def _code(context, builder, signature, arguments):
    kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
    function = ir.FunctionType(context.get_value_type(signature.return_type), kinds)
    return builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])
