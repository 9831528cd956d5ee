"""Calls of a compiled function by its address, from other compiled functions.

One compiled search serves every game in this way: a game gives the addresses of its callbacks
(``jit.host.address_of``), and the search calls them.
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
    """Decorator: makes a function that calls its first argument, an address.

    The made function takes the arguments of ``function``, whose body is not used. It can be called
    from compiled functions only. It passes all arguments but the first on, and returns an int64.
    The types of the arguments are those of the call, so they must have the representation that the
    function at the address expects.
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
