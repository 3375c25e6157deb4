"""Sentences in templates, translated when a template is compiled and not each time it is printed.

What lives here: the rewriting of a compiled template. What never may: a catalogue, or a sentence. `_("Rule %(number)d",
number=n)` becomes the words of the language with the value between them, which Jinja then prints (and escapes) as if the
template had been written so. A page holds hundreds of them; most values in it are numbers, or markup already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

_FACT = re.compile(r"%(?:\((\w+)\)[sd]|(%))")


def escaped(value: Any) -> str:
    """What is printed of a value in HTML."""
    kind = type(value)
    if kind is Markup:
        return value  # type: ignore[no-any-return]
    return str(value) if kind is int else escape(value)


class _Escaping(CodeGenerator):
    """Code in which every value is printed by way of `escaped`."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.escaped(")


class Translated(jinja2.Environment):
    """An environment of one language: `translate` gives a sentence its words there."""

    code_generator_class = _Escaping
    escaped = staticmethod(escaped)
    translate: Callable[[str], str] = staticmethod(str)

    def compile(self, source: str | nodes.Template, name: str | None = None, *how: Any, **said: Any) -> Any:
        """What Jinja compiles, with its sentences in the environment's language."""
        tree = self.parse(source, name, *how[:1]) if isinstance(source, str) else source
        return super().compile(_Translator(self).visit(tree), name, *how, **said)


class _Translator(NodeTransformer):
    def __init__(self, environment: Translated) -> None:
        self._translate = environment.translate
        self._words: Callable[[str], str] = Markup if environment.autoescape else str

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802  # Jinja's name
        """`{{ … }}`: the words and values one after the other."""
        printed: list[nodes.Expr] = []
        for child in node.nodes:
            printed += self._spoken(child) or [self.visit(child)]
        return nodes.Output(printed, lineno=node.lineno)

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802
        """A sentence among other things: one text."""
        pieces = self._spoken(node)
        if pieces is None:
            self.generic_visit(node)
            return node
        return pieces[0] if len(pieces) == 1 else nodes.Concat(pieces, lineno=node.lineno)

    def _spoken(self, node: nodes.Node) -> list[nodes.Expr] | None:
        """The words and values of a sentence; None if the node is none."""
        if not (isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == "_"):
            return None
        self.generic_visit(node)
        facts = _Facts(node)
        return list(self._pieces(self._translate(node.args[0].as_const()), facts, node.lineno))

    def _pieces(self, sentence: str, facts: _Facts, lineno: int) -> Iterator[nodes.Expr]:
        begin = 0
        for found in _FACT.finditer(sentence):
            words = sentence[begin : found.start()] + (found[2] or "")
            yield nodes.Const(self._words(words), lineno=lineno)
            if found[1]:
                yield facts[found[1]]
            begin = found.end()
        yield nodes.Const(self._words(sentence[begin:]), lineno=lineno)


class _Facts:
    """What stands for each fact of a sentence: `number=n`; `**{"for": n}`, for a name that Python keeps to itself; `**facts`."""

    def __init__(self, call: nodes.Call) -> None:
        self._named = {pair.key: pair.value for pair in call.kwargs}
        self._more = call.dyn_kwargs
        if isinstance(call.dyn_kwargs, nodes.Dict):
            self._named |= {pair.key.as_const(): pair.value for pair in call.dyn_kwargs.items}

    def __getitem__(self, name: str) -> nodes.Expr:
        if name in self._named:
            return self._named[name]
        if self._more is None:
            raise jinja2.TemplateError(f"a sentence names {name}, which it is not given")
        return nodes.Getitem(self._more, nodes.Const(name), "load")
