"""Mutants: the source of a rulebook with one small thing changed.

Odds and thresholds, comparisons, conditions, outcomes, and rules that never apply. Each says where
it is, what was changed, and which paragraphs stand beside it. What only makes the words of a
message is left alone. Two events never have the same place, so that "before" is not made "before or
at" but "after". That one condition of several is left out is a kind apart.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CLAUSE = re.compile(r"\d+(\.\d+)+[a-d]?")
_SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
_OUTCOMES = {"LOSE": "RETURNED", "RETURNED": "LOSE", "STAND_OFF": "LOSE", "SURRENDERED": "LOSE"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change in one module."""

    module: str
    line: int
    change: str
    text: str  # what was changed, as it stands there
    clauses: tuple[str, ...]
    function: int  # the first line of the function around it; 0 where there is none
    name: str  # of the outermost function around it, as the module knows it
    source: str

    def __str__(self) -> str:
        cited = f" ({', '.join(self.clauses)})" if self.clauses else ""
        return f"{self.module}:{self.line}: {self.change} in `{self.text}`{cited}"


def mutants_of(module: str, path: Path, *, drop: bool = False) -> list[Mutant]:
    """Every mutant of one module; with `drop` those that leave out one condition of several."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    cited, functions = _clauses_beside(tree), _functions_around(tree)
    out = []
    for number, node in enumerate(_places(tree)):
        for change in _drops(node) if drop else _changes(node):
            mutated = copy.deepcopy(tree)
            target = next(n for k, n in enumerate(_places(mutated)) if k == number)
            _apply(mutated, target, change)
            ast.fix_missing_locations(mutated)
            line = getattr(node, "lineno", 0)
            source = ast.unparse(mutated)
            around = cited.get(id(node), ())
            inside = functions.get(id(node), (0, ""))
            out.append(Mutant(module, line, change, _text(node, text), around, *inside, source))
    return out


def _text(node: ast.AST, text: str) -> str:
    """The changed part, or the whole line where the part alone says nothing."""
    if isinstance(node, (ast.Constant, ast.Name)):
        return text.splitlines()[getattr(node, "lineno", 1) - 1].strip()
    if isinstance(node, ast.Call):
        return ast.unparse(node.args[0])
    return ast.unparse(node)


def _places(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node in which something that decides can be changed, in a fixed order."""
    kinds = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Name, ast.Call, ast.Constant)
    if isinstance(tree, ast.JoinedStr):
        return  # words
    if isinstance(tree, kinds):
        yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _places(child)


def _changes(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        yield from _swaps(node)
    elif isinstance(node, ast.BoolOp) and not _falls_back_on_words(node):
        yield "and becomes or" if isinstance(node.op, ast.And) else "or becomes and"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not is dropped"
    elif isinstance(node, ast.Name) and node.id in _OUTCOMES and isinstance(node.ctx, ast.Load):
        yield f"{node.id} becomes {_OUTCOMES[node.id]}"
    elif isinstance(node, ast.Call) and _is_rule(node):
        yield "the rule never applies"
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{node.value} becomes {node.value + 1}"


def _drops(node: ast.AST) -> dict[str, list[ast.expr]]:
    """Each condition of an and/or left out: what changed, and what stays."""
    if not isinstance(node, ast.BoolOp) or _falls_back_on_words(node):
        return {}
    return {
        f"{ast.unparse(value)} is left out": [v for v in node.values if v is not value]
        for value in node.values
    }


def _swaps(node: ast.Compare) -> dict[str, list[ast.cmpop]]:
    """Each comparison of a chain turned by itself: what changed, and the chain with it."""
    out: dict[str, list[ast.cmpop]] = {}
    sides = [node.left, *node.comparators]
    for number, op in enumerate(node.ops):
        new = _swapped(op, sides[number], sides[number + 1])
        if new is not None:
            where = f" before {ast.unparse(sides[number + 1])}" if len(node.ops) > 1 else ""
            change = f"{type(op).__name__} becomes {new.__name__}{where}"
            out[change] = [*node.ops[:number], new(), *node.ops[number + 1 :]]
    return out


def _swapped(op: ast.cmpop, left: ast.expr, right: ast.expr) -> type[ast.cmpop] | None:
    if isinstance(right, ast.Constant) and right.value is None:
        return None  # `x is None` guards a value: turned round it only makes an error of the types
    if type(op) in _TURNED and (_is_place(left) or _is_place(right)):
        return _TURNED[type(op)]
    return _SWAPS.get(type(op))


def _is_place(node: ast.expr) -> bool:
    """The place of an event in the round: `at`, `card.at`, `hand.stood_at`."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name == "at" or name.endswith("_at")


def _falls_back_on_words(node: ast.BoolOp) -> bool:
    """`found or "nothing"`: words of a message."""
    last = node.values[-1]
    return isinstance(last, ast.Constant) and isinstance(last.value, str)


def _is_rule(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "Rule" and len(node.args) >= 5


def _apply(tree: ast.Module, node: ast.AST, change: str) -> None:
    if isinstance(node, ast.Compare):
        node.ops = _swaps(node)[change]
    elif isinstance(node, ast.BoolOp) and change in (left := _drops(node)):
        node.values = left[change]
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.UnaryOp):
        node.operand, node.op = ast.UnaryOp(ast.Not(), node.operand), ast.Not()
    elif isinstance(node, ast.Name):
        node.id = _OUTCOMES[node.id]
        names = [ast.alias(node.id)]
        tree.body.insert(_after_future(tree), ast.ImportFrom("replay.rules", names, 0))
    elif isinstance(node, ast.Call):
        node.args[3] = ast.parse("lambda _: False", mode="eval").body
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        node.value += 1


def _after_future(tree: ast.Module) -> int:
    for index, statement in enumerate(tree.body):
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            return index + 1
    return 0


def _clauses_beside(tree: ast.Module) -> dict[int, tuple[str, ...]]:
    """For each node the paragraphs that the innermost rule or function around it names."""
    out: dict[int, tuple[str, ...]] = {}

    def walk(node: ast.AST, around: tuple[str, ...]) -> None:
        if (isinstance(node, ast.Call) and _is_rule(node)) or isinstance(node, ast.FunctionDef):
            around = _cited(node) or around
        out[id(node)] = around
        for child in ast.iter_child_nodes(node):
            walk(child, around)

    walk(tree, ())
    return out


def _functions_around(tree: ast.Module) -> dict[int, tuple[int, str]]:
    """For each node the innermost function around it: its first line, as its code has it, and the
    name by which the module knows the outermost one (none for a lambda)."""
    out: dict[int, tuple[int, str]] = {}

    def walk(node: ast.AST, inside: tuple[int, str], path: tuple[str, ...]) -> None:
        out[id(node)] = inside
        if isinstance(node, ast.ClassDef) and not inside[0]:
            path = (*path, node.name)
        body = inside
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            decorators = getattr(node, "decorator_list", [])
            if any("cache" in ast.unparse(decorator) for decorator in decorators):
                return  # called once for all rounds: as if it stood in none
            name = ".".join((*path, node.name)) if isinstance(node, ast.FunctionDef) else ""
            line = min(n.lineno for n in (node, *decorators))
            body = (line, inside[1] if inside[0] else name)
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):  # what a parameter is without a word, is said before
                    walk(child, inside if field in {"args", "decorator_list"} else body, path)

    walk(tree, (0, ""), ())
    return out


def _cited(node: ast.AST) -> tuple[str, ...]:
    found = [
        n.value
        for n in ast.walk(node)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and _CLAUSE.fullmatch(n.value)
    ]
    return tuple(dict.fromkeys(found))
