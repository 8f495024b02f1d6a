"""Descriptions of parameters, fields and properties, written once."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, dataclass_transform, get_args, get_origin, overload

Function = TypeVar("Function", bound=Callable[..., Any])
Value = TypeVar("Value")


def describes(**shared: str) -> Callable[[Function], Function]:
    r"""Decorator that completes a docstring with what several functions share.

    ``shared`` has type and description by the name of a parameter, and the text of a section by its title (``Returns``,
    ``Raises``). What the docstring says itself is kept; parameters come in the order of the signature.

    >>> print(describes(x="float\n    A number.")(lambda x: x).__doc__)
    None
    """

    def complete(function: Function) -> Function:
        if function.__doc__:
            summary, *written = re.split(_SECTION, inspect.cleandoc(function.__doc__))
            sections = {section.partition("\n")[0]: section for section in written}
            code = function.__code__
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            own = re.split(r"\n(?=[\w*])", sections.pop("Parameters", "Parameters\n---"))[1:]
            entries = list[str]()
            for name in names:
                kept = [each for each in own if name in re.findall(r"\w+", each.partition(" : ")[0])]
                entries += kept or ([f"{name} : {shared[name]}"] if name in shared else [])
            entries += own  # those of ``*`` and ``**`` come last
            added = (
                {"Parameters": "\n".join(["Parameters", "----------", *dict.fromkeys(entries)])}
                if entries
                else {}
            )
            for title in ("Returns", "Raises"):
                if title in shared or title in sections:
                    added[title] = (
                        sections.pop(title, None) or f"{title}\n{'-' * len(title)}\n{shared[title]}"
                    )
            function.__doc__ = "\n\n".join([summary, *added.values(), *sections.values()])
        return function

    return complete


returns_data = describes(Returns="dict\n    Finite numbers, text and None, ready for JSON.")
returns_figure = describes(Returns="matplotlib.figure.Figure\n    The figure.")
returns_text = describes(Returns="str\n    Several lines of text.")


_SECTION = r"\n\n(?=[A-Z][\w ]+\n---)"


class _Members:
    """Docstring of a class, completed from its source when it is read for the first time."""

    def __init__(self, text: str) -> None:
        self._text = inspect.cleandoc(text)

    def __get__(self, instance: object, owner: type) -> str:
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(owner)))
        except (OSError, TypeError, SyntaxError):  # the source is not available
            return self._text
        names = vars(sys.modules[owner.__module__])
        body = next(node for node in tree.body if isinstance(node, ast.ClassDef)).body
        sections = [("Parameters", _fields(body, names)), ("Attributes", _properties(body, names))]
        written = [
            "\n".join([title, "-" * len(title), *rows])
            for title, rows in sections
            if rows and f"\n{title}\n---" not in self._text
        ]
        summary, *rest = re.split(_SECTION, self._text, maxsplit=1)
        owner.__doc__ = "\n\n".join([summary, *written, *rest])
        return owner.__doc__


@overload
def frozen(cls: type[Value], /) -> type[Value]: ...
@overload
def frozen(
    *, eq: bool = ..., kw_only: bool = ..., repr: bool = ...
) -> Callable[[type[Value]], type[Value]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, **options: bool) -> Any:
    """Frozen dataclass whose docstring lists its fields and properties, as their own docstrings describe them.

    A string below a field describes it; types are those of the annotations. A section that the docstring has is kept.

    >>> from rmtsim.spectra import Mass
    >>> "value : float" in Mass.__doc__.splitlines()
    True
    """
    if cls is None:
        return functools.partial(frozen, **options)
    text = cls.__doc__
    made: Any = dataclass(frozen=True, **options)(cls)
    if text:
        made.__doc__ = _Members(text)
    return made


def _fields(body: list[ast.stmt], names: dict[str, Any]) -> list[str]:
    """Entries of the fields."""
    rows = list[str]()
    for statement, after in itertools.pairwise([*body, ast.Pass()]):
        if isinstance(statement, ast.AnnAssign) and not _hidden(statement):
            kind = type_in_words(statement.annotation, names)
            rows.append(f"{ast.unparse(statement.target)} : {kind}" + ", optional" * bool(statement.value))
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                rows.append(_indented(str(after.value.value)))
    return rows


def _hidden(field: ast.AnnAssign) -> bool:
    """Whether a field is private or no parameter."""
    text = ast.unparse(field)
    return text.startswith("_") or ": ClassVar" in text or "init=False" in text


def _properties(body: list[ast.stmt], names: dict[str, Any]) -> list[str]:
    """Entries of the public properties: the first paragraph of each."""
    rows = []
    for statement in body:
        if (
            isinstance(statement, ast.FunctionDef)
            and not statement.name.startswith("_")
            and statement.returns
        ):
            decorators = {ast.unparse(decorator).split(".")[-1] for decorator in statement.decorator_list}
            text = ast.get_docstring(statement)
            if text and not text.startswith("Deprecated") and decorators & {"property", "cached_property"}:
                kind = type_in_words(statement.returns, names)
                rows += [f"{statement.name} : {kind}", _indented(re.split(r"\n\n|\n>>>", text)[0])]
    return rows


def _indented(text: str) -> str:
    return textwrap.indent(inspect.cleandoc(text).rstrip(), "    ")


def type_in_words(node: ast.expr, names: Mapping[str, Any]) -> str:
    """An annotation as the documentation words it; ``names`` are those of its module.

    >>> [type_in_words(ast.parse(a).body[0].value, {}) for a in ("float | None", "tuple[int, ...]", "Literal[1, 2]")]
    ['float or None', 'tuple of int', '{1, 2}']
    """
    words = functools.partial(type_in_words, names=names)
    if isinstance(node, ast.BinOp):
        return f"{words(node.left)} or {words(node.right)}"
    if isinstance(node, ast.Name):
        alias = names.get(node.id)
        if get_origin(alias) is Literal:
            return f"{{{', '.join(map(repr, get_args(alias)))}}}".replace("'", '"')
        if getattr(get_origin(alias), "__name__", "") == "ndarray":
            return _array(str(alias))
        return _WORDS.get(node.id, node.id)
    if not isinstance(node, ast.Subscript):
        return ast.unparse(node)
    kind, inner = words(node.value), node.slice
    of = [
        part
        for part in (inner.elts if isinstance(inner, ast.Tuple) else [inner])
        if ast.unparse(part) != "..."
    ]
    if kind == "{}":
        return f"{{{', '.join(map(ast.unparse, of))}}}".replace("'", '"')
    if kind in ("ndarray", "callable"):
        return _array(ast.unparse(inner)) if kind == "ndarray" else kind
    parts = list(map(words, of))
    if kind in ("dict", "mapping"):
        return f"{kind} of {' to '.join(parts)}"
    return f"{kind} of " + (parts[0] if len(set(parts)) == 1 else f"({', '.join(parts)})")


def _array(entries: str) -> str:
    """An array in words; that it holds real numbers goes without saying."""
    return "ndarray" + next((f" of {word}" for part, word in _ENTRIES.items() if part in entries), "")


_WORDS = {
    "Any": "object",
    "ArrayLike": "array_like",
    "Callable": "callable",
    "Cost": "float or callable",
    "Literal": "{}",
    "Mapping": "mapping",
    "NDArray": "ndarray",
    "Parameters": "mapping",
    "Prediction": "float or callable",
    "Rule": "tuple of ndarray",
    "Sequence": "sequence",
    "Within": "float, Relative or Tolerance",
}
_ENTRIES = {".int": "int", ".bool": "bool", ".str_": "str", ".complex": "complex"}
