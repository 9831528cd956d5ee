"""Errors of the option parser as one sentence: a wrong option, value or argument."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import typer

from jaxsolve.core import spelling
from jaxsolve.core.strict_json import shortened

# The parser's messages about a value, and what would be right.
_VALUES = (
    (r"Input should be a valid number\b.*", "give a number"),
    (r"Input should be a valid integer\b.*", "give a whole number"),
    (r"Input should be greater than or equal to (\S+)", r"give \1 or more"),
    (r"Input should be less than or equal to (\S+)", r"give \1 or less"),
    (r"Input should be less than (\S+)", r"give less than \1"),
    (r"Input should be greater than (\S+)", r"give more than \1"),
)


def sentence(error: typer.TyperException, args: Sequence[str]) -> str:
    """Returns the message of an error of the option parser as one sentence.

    It names the option or argument, the value, and what would be right or the help that says so.
    Line ends and control characters are escaped.

    Args:
      error: the error.
      args: the words of the command line, without the name of the program.
    """
    return _printable(_sentence(error, args))


def refuse_repeated(given: Sequence[Any], context: Any) -> None:
    """Raises ``typer.BadParameter`` for an option that is given twice and takes one value.

    Args:
      given: the parameters of a command line, in the order in which they were given.
      context: the context of the command.
    """
    seen: list[Any] = []
    for each in given:
        single = getattr(each, "param_type_name", "") == "option" and not each.multiple
        if single and each in seen:
            hint = each.opts[0]
            raise typer.BadParameter("given twice; give it once", context, param_hint=hint)
        seen.append(each)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _sentence(error: typer.TyperException, args: Sequence[str]) -> str:
    context = getattr(error, "ctx", None)
    more = f"'{context.command_path if context else 'jaxsolve'} --help'"
    if option := getattr(error, "option_name", None):
        if not hasattr(error, "possibilities"):
            takes_none = "does not take" in error.format_message()
            return f"{option} takes no value" if takes_none else f"{option} needs a value"
        return _unknown("option", option, _options(context), f"{more} lists them")
    message = " ".join(error.format_message().split()).removesuffix(".")
    if isinstance(error, typer.BadParameter):
        name, names = _name(error)
        if message.startswith("Missing"):
            return f"{name} is missing; {more} shows what is needed"
        words = _value(error.message.removesuffix("."))
        if words.startswith("given twice"):
            return f"{name} is {words}"
        value = _given(args, names)
        shown = ""
        if value is not None:
            words = words.removeprefix(f"{shortened(value)}: ")
        if value is not None and f"'{repr(value)[1:-1]}'" not in words:
            shown = f" {shortened(value)}"
        return f"{name}{shown}: {words}" if name else words
    if found := re.fullmatch(r"Got unexpected extra argument\(?s?\)? \((.*)\)", message):
        return f"unexpected argument {shortened(found[1])}; {more} shows what is needed"
    if found := re.match(r"No such command '(.*?)'(?=[.]|$)", message):
        names = getattr(context and context.command, "commands", ())
        return _unknown("command", found[1], names, f"{more} lists them")
    return f"{message[:1].lower()}{message[1:]}; {more} shows what is there"


def _unknown(kind: str, word: str, names: Iterable[str], otherwise: str) -> str:
    """Returns the sentence about an unknown option or command, with the name that is meant.

    If none of ``names`` is near, the sentence ends with ``otherwise``.
    """
    near = spelling.nearest(word, names)
    hint = otherwise if near is None else f"did you mean {near}?"
    return f"there is no {kind} {shortened(word)}; {hint}"


def _options(context: Any) -> list[str]:
    """Returns all names of options of the command that is parsed."""
    if context is None:
        return []
    return [name for each in context.command.get_params(context) for name in each.opts]


def _name(error: Any) -> tuple[str, tuple[str, ...]]:
    """Returns the name of the option or argument of an error, and all its names."""
    if error.param_hint is not None:
        hint = error.param_hint
        names = (hint,) if isinstance(hint, str) else tuple(hint)
        return names[0], names
    if error.param is None:
        return "", ()
    if getattr(error.param, "param_type_name", "") == "argument":
        hint = error.param.get_error_hint().strip("'")
        return "" if "|" in hint else hint, ()  # a list of all values is no name
    return error.param.opts[0], tuple(error.param.opts)


def _value(message: str) -> str:
    """Returns the parser's message about a value in plain words."""
    message = " ".join(message.split()).removeprefix("Value error, ")
    if found := re.fullmatch(r"'.*' is not one of (.*)", message):
        *names, last = found[1].replace("'", "").split(", ")
        return f"give {', '.join(names)} or {last}" if names else f"give {last}"
    for pattern, words in _VALUES:
        if found := re.fullmatch(pattern, message):
            return found.expand(words)
    return message


def _given(args: Sequence[str], names: Sequence[str]) -> str | None:
    """Returns the last value given for an option with these names; None if there is none."""
    value = None
    for word, after in zip(args, [*args[1:], None], strict=True):
        name, equals, rest = word.partition("=")
        if name in names:
            value = rest if equals else after
    return None if value is not None and re.match("--[a-z]", value) else value
