"""Errors of the option parser as one sentence: a wrong option, value or argument."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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


_OUTPUTS = frozenset(("--out", "--sgf", "--sgf-out", "--svg"))


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


def refuse_empty(values: Mapping[str, Any], context: Any) -> None:
    """Raises ``typer.BadParameter`` for an empty argument, such as one from an unset variable.

    As the name of a file or folder it would stand for the current folder.

    Args:
      values: the words of each parameter, by its name.
      context: the context of the command.
    """
    for each in context.command.get_params(context):
        given = values.get(each.name)
        words = given if isinstance(given, tuple | list) else [given]
        if getattr(each, "param_type_name", "") == "argument" and "" in words:
            more = f"'{context.command_path} --help' shows what is needed"
            raise typer.BadParameter(f"empty; {more}", context, each)


def refuse_names_not_utf8(values: Mapping[str, Any], context: Any) -> None:
    """Raises ``typer.BadParameter`` for an output file or folder whose name is not UTF-8.

    Results contain the name, and JSON, SGF and SVG are UTF-8.

    Args:
      values: the words of each parameter, by its name.
      context: the context of the command.
    """
    for each in context.command.get_params(context):
        word = values.get(each.name)
        if isinstance(word, str) and _OUTPUTS.intersection(each.opts):
            try:
                word.encode()
            except UnicodeEncodeError:
                raise typer.BadParameter(
                    "the name is not UTF-8; give another one", context, each
                ) from None


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
            return f"{name or _argument(error.param)} is missing; {more} shows what is needed"
        words = _value(error.message.removesuffix("."))
        if words.startswith(("given twice", "empty")):
            return f"{name or _argument(error.param)} is {words}"
        value = _given(args, names)
        shown = ""
        if value is not None:
            words = words.removeprefix(f"{shortened(value)}: ")
        if value is not None and f"'{repr(value)[1:-1]}'" not in words:
            shown = f" {shortened(value)}"
        return f"{name}{shown}: {words}" if name else words
    if found := re.fullmatch(r"Got unexpected extra argument\(?s?\)? \((.*)\)", message):
        return f"unexpected argument {shortened(found[1]) or repr('')}; {more} shows what is needed"
    if found := re.fullmatch(r"Argument '(.*)' takes (\d+) values", message):
        params = context.command.get_params(context) if context else ()
        name = next((_argument(each) for each in params if each.name == found[1]), found[1])
        return f"{name}: give {found[2]} arguments; {more} shows what is needed"
    if found := re.match(r"No such command '(.*?)'(?=[.]|$)", message):
        if not found[1]:
            return f"the name of the command is empty; {more} lists them"
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
        hint = _argument(error.param)
        return "" if "|" in hint and hint.islower() else hint, ()  # a list of values is no name
    return error.param.opts[0], tuple(error.param.opts)


def _argument(param: Any) -> str:
    """Returns an argument as the help of its command shows it, without brackets around it."""
    hint = param.get_error_hint().strip("'")
    return hint[1:].partition("]")[0] if hint.startswith("[") else hint


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
