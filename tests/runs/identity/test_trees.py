"""Trees are walked without their leaves, and otherwise as Python's own functions walk them."""

import ast
from pathlib import Path

import pytest

import rmtsim
from rmtsim.runs._identity import trees

LEAVES = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop)
FILES = sorted(Path(rmtsim.__file__).parent.rglob("*.py"))[::25]
ODD = """
match point:
    case {"x": 1, **rest} | [1, *rest] as whole if (n := 3) > 2:
        print(f"{n!r:>{n}}", [y for x in range(3) if (y := x)], lambda a, /, b=1, *c, d, **e: a if b else not c)
async def f(x: "int" = 1) -> None:
    global g
    async with a as b, c: await d
    try: del x[1:2, ...]
    except* (E, F) as error: raise X("words") from error
class C(B, metaclass=M): field: int = -1
"""


@pytest.mark.parametrize("text", [*(file.read_text(encoding="utf-8") for file in FILES), ODD])
def test_children_and_walks_are_those_of_ast_without_leaves(text):
    tree = ast.parse(text)
    for node in ast.walk(tree):
        inside = [each for each in ast.iter_child_nodes(node) if not isinstance(each, LEAVES)]
        assert [id(each) for each in trees.children(node)] == [id(each) for each in inside]
    walked = [id(node) for node in ast.walk(tree) if not isinstance(node, LEAVES)]
    assert [id(node) for node in trees.walked(tree)] == walked
