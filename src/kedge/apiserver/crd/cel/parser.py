"""From tokens to the tree of an expression."""

import math

from kedge.apiserver.crd.cel import macro
from kedge.apiserver.crd.cel.lexer import Token, tokens_of
from kedge.apiserver.crd.cel.node import (
    Call,
    Entry,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Select,
    StructLiteral,
)
from kedge.apiserver.crd.cel.source import Issues
from kedge.apiserver.crd.cel.types import BOOL, BYTES, DOUBLE, INT, NULL, STRING, UINT
from kedge.apiserver.crd.cel.unquote import unquote, unquote_bytes
from kedge.apiserver.crd.cel.value import Uint

MAX_DEPTH = 250
TOO_DEEP = f"expression recursion limit exceeded: {MAX_DEPTH}"
_RELATIONS = {"<", "<=", ">=", ">", "==", "!=", "in"}
_OPERATORS = {"in": "@in", "!=": "_!=_"}
_RESERVED = frozenset(
    [
        "as",
        "break",
        "const",
        "continue",
        "else",
        "false",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "null",
        "return",
        "true",
        "var",
        "void",
        "while",
    ]
)
_START = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
    "BYTES, IDENTIFIER}"
)
_ENDINGS = frozenset({"<EOF>", ")", "]", "}", ",", "&&", "||", "==", "!=", "<", "<=", ">", ">="})
_BEGINNINGS = frozenset(
    [
        "[",
        "{",
        "(",
        ".",
        "-",
        "!",
        "true",
        "false",
        "null",
        "NUM_FLOAT",
        "NUM_INT",
        "NUM_UINT",
        "STRING",
        "BYTES",
        "IDENTIFIER",
    ]
)


class _StopError(Exception):
    """The text can not be read further; what is wrong has been noted."""


def parse(text: str, issues: Issues) -> Node | None:
    """Read an expression; None if it can not be read, with the reasons in `issues`."""
    tokens = tokens_of(text, issues)
    try:
        node = _Parser(tokens, issues).whole()
    except _StopError:
        return None
    return None if issues.found else node


class _Parser:
    def __init__(self, tokens: list[Token], issues: Issues) -> None:
        self.tokens = tokens
        self.issues = issues
        self.position = 0
        self.depth = 0

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.position]

    def take(self) -> Token:
        """Read a token."""
        self.position += 1
        return self.tokens[self.position - 1]

    def skip(self, kind: str) -> Token | None:
        """Read a token if it is of this kind."""
        return self.take() if self.next.kind == kind else None

    def fail(self, message: str, token: Token | None = None) -> _StopError:
        """Note a syntax error."""
        self.issues.add((token or self.next).at, f"Syntax error: {message}")
        return _StopError()

    def must(self, kind: str, *others: str) -> Token:
        """Read a token of this kind; one that is missing or too much is noted and mended."""
        found = self.skip(kind)
        if found is not None:
            return found
        wanted = f"{{{', '.join(repr(one) for one in (kind, *others))}}}" if others else f"'{kind}'"
        if self.after.kind in (kind, *others):
            self.fail(f"extraneous input '{self.next.text}' expecting {wanted}")
            self.take()
            return self.take()
        if not others and self.next.kind in (_BEGINNINGS if kind == ":" else _ENDINGS):
            self.fail(f"missing '{kind}' at '{self.next.text}'")
            return self.next
        raise self.fail(f"mismatched input '{self.next.text}' expecting {wanted}")

    @property
    def after(self) -> Token:
        """The token after the next."""
        return self.tokens[min(self.position + 1, len(self.tokens) - 1)]

    def whole(self) -> Node:
        """Read all of the text."""
        node = self.expr()
        if self.next.kind != "<EOF>":
            word = "extraneous" if self.after.kind == "<EOF>" else "mismatched"
            raise self.fail(f"{word} input '{self.next.text}' expecting <EOF>")
        return node

    def expr(self) -> Node:
        """Read a choice, or anything that binds closer."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.issues.add(0, TOO_DEEP)
            raise _StopError
        node = self.logic("||", "_||_")
        if mark := self.skip("?"):
            yes = self.logic("||", "_||_")
            self.must(":")
            node = Call(mark.at, "_?_:_", None, [node, yes, self.expr()])
        self.depth -= 1
        return node

    def logic(self, mark: str, function: str) -> Node:
        """Read alternatives or conditions in a row, as a balanced tree."""
        terms, places = [self.term(mark)], []
        while found := self.skip(mark):
            terms.append(self.term(mark))
            places.append(found.at)
        return _balanced(function, terms, places, 0, len(places) - 1) if places else terms[0]

    def term(self, mark: str) -> Node:
        """Read what stands between two marks."""
        return self.logic("&&", "_&&_") if mark == "||" else self.relation()

    def relation(self) -> Node:
        """Read comparisons."""
        node = self.calc(0)
        while self.next.kind in _RELATIONS:
            mark = self.take()
            function = _OPERATORS.get(mark.kind, f"_{mark.kind}_")
            node = Call(mark.at, function, None, [node, self.calc(0)])
        return node

    def calc(self, level: int) -> Node:
        """Read sums, and products within them."""
        marks = ("+", "-") if level == 0 else ("*", "/", "%")
        node = self.calc(1) if level == 0 else self.unary()
        while self.next.kind in marks:
            mark = self.take()
            right = self.calc(1) if level == 0 else self.unary()
            node = Call(mark.at, f"_{mark.kind}_", None, [node, right])
        return node

    def unary(self) -> Node:
        """Read something negated, or not."""
        for mark, function in (("!", "!_"), ("-", "-_")):
            if mark == "-" and self.after.kind in ("NUM_INT", "NUM_FLOAT"):
                continue
            first, count = self.next, 0
            while self.skip(mark):
                count += 1
            if count:
                node = self.member()
                return Call(first.at, function, None, [node]) if count % 2 else node
        return self.member()

    def member(self) -> Node:
        """Read something with fields, methods and indices."""
        node = self.primary()
        while True:
            if mark := self.skip("."):
                node = self.selection(node, mark)
            elif mark := self.skip("["):
                function = "_[?_]" if self.skip("?") else "_[_]"
                index = self.expr()
                self.must("]")
                node = Call(mark.at, function, None, [node, index])
            else:
                return node

    def selection(self, node: Node, mark: Token) -> Node:
        """Read a field or a method."""
        optional = self.skip("?")
        name = self.skip("IDENTIFIER") or self.skip("ESC_IDENTIFIER")
        if name is None:
            text = self.next.text
            if self.next.kind in ("true", "false", "null", "in"):
                raise self.fail(f"mismatched input '{text}' expecting IDENTIFIER")
            told = "" if text == "<EOF>" else text
            raise self.fail(f"no viable alternative at input '.{told}'")
        if name.kind == "ESC_IDENTIFIER":
            self.issues.add(name.at, "unsupported syntax: '`'")
        if optional:
            field = Literal(name.at, name.text, STRING)
            return Call(mark.at, "_?._", None, [node, field])
        if opened := self.skip("("):
            return self.call(opened.at, name.text, node)
        return Select(mark.at, node, name.text)

    def call(self, at: int, function: str, target: Node | None) -> Node:
        """Read the arguments of a call whose parenthesis has been read; a macro is expanded."""
        args: list[Node] = []
        if not self.skip(")"):
            if self.next.kind == "<EOF>":
                wanted = _START.replace("'(', ", "'(', ')', ")
                raise self.fail(f"mismatched input '<EOF>' expecting {wanted}")
            args.append(self.expr())
            while self.skip(","):
                args.append(self.expr())
            self.must(")")
        try:
            expanded = macro.expand(at, function, target, args)
        except macro.MacroError as exc:
            self.issues.add(exc.at, str(exc))
            return Literal(at, None, NULL)
        return expanded or Call(at, function, target, args)

    def primary(self) -> Node:
        """Read a name, a constant, or something in brackets."""
        token = self.next
        if token.kind == "." and self.tokens[self.position + 1].kind == "IDENTIFIER":
            self.take()
            return self.named(".")
        if token.kind == "IDENTIFIER":
            return self.named("")
        if self.skip("("):
            node = self.expr()
            self.must(")")
            return node
        if self.skip("["):
            return self.list_literal(token.at)
        if self.skip("{"):
            return self.map_literal(token.at)
        return self.literal()

    def named(self, prefix: str) -> Node:
        """Read what begins with a name."""
        token = self.take()
        name = prefix + token.text
        if token.text in _RESERVED:
            self.issues.add(token.at, f"reserved identifier: {token.text}")
        if opened := self.skip("("):
            return self.call(opened.at, name, None)
        if self.next.kind == "{":
            return self.struct_literal(name)
        return Ident(token.at, name)

    def struct_literal(self, name: str) -> Node:
        """Read an object of a named type."""
        at = self.must("{").at
        values = []
        while not self.skip("}"):
            self.must("IDENTIFIER")
            self.must(":")
            values.append(self.expr())
            if not self.skip(",") and self.next.kind != "}":
                self.must("}")
        return StructLiteral(at, name, values)

    def list_literal(self, at: int) -> Node:
        """Read the items of a list whose bracket has been read."""
        items: list[Node] = []
        optional = set()
        while not self.skip("]"):
            if self.skip("?"):
                optional.add(len(items))
            items.append(self.expr())
            if not self.skip(",") and self.next.kind != "]":
                self.must("]", ",")
                break
        return ListLiteral(at, items, frozenset(optional))

    def map_literal(self, at: int) -> Node:
        """Read the entries of a map whose brace has been read."""
        entries = []
        while not self.skip("}"):
            optional = self.skip("?") is not None
            key = self.expr()
            colon = self.must(":")
            entries.append(Entry(colon.at, key, self.expr(), optional))
            if not self.skip(",") and self.next.kind != "}":
                self.must("}", ",")
                break
        return MapLiteral(at, entries)

    def literal(self) -> Node:
        """Read a constant."""
        if self.next.kind not in _BEGINNINGS and self.after.kind in _BEGINNINGS:
            self.fail(f"extraneous input '{self.next.text}' expecting {_START}")
            self.take()
            return self.member()
        at = self.next.at
        sign = "-" if self.next.kind == "-" and self.take() else ""
        token = self.take()
        if token.kind == "NUM_INT":
            return self.integer(at, sign, token.text)
        if token.kind == "NUM_FLOAT":
            number = float(sign + token.text)
            if math.isinf(number):
                self.issues.add(at, "invalid double literal")
            return Literal(at, number, DOUBLE)
        constants = {"true": (True, BOOL), "false": (False, BOOL), "null": (None, NULL)}
        if token.kind in constants and not sign:
            return Literal(at, *constants[token.kind])
        if token.kind in ("NUM_UINT", "STRING", "BYTES") and not sign:
            return self.worded(at, token)
        raise self.fail(f"mismatched input '{token.text}' expecting {_START}", token)

    def integer(self, at: int, sign: str, text: str) -> Node:
        """Read an integer."""
        value = int(sign + text.removeprefix("0x"), 16 if text.startswith("0x") else 10)
        if not -(2**63) <= value < 2**63:
            self.issues.add(at, "invalid int literal")
        return Literal(at, value, INT)

    def worded(self, at: int, token: Token) -> Node:
        """Read an unsigned integer, a string or bytes."""
        if token.kind == "NUM_UINT":
            digits = token.text[:-1]
            value = int(digits.removeprefix("0x"), 16 if digits.startswith("0x") else 10)
            if value >= 2**64:
                self.issues.add(at, "invalid uint literal")
            return Literal(at, Uint(value), UINT)
        try:
            if token.kind == "STRING":
                return Literal(at, unquote(token.text), STRING)
            return Literal(at, unquote_bytes(token.text), BYTES)
        except ValueError as exc:
            self.issues.add(at, str(exc))
            return Literal(at, "", STRING)


def _balanced(function: str, terms: list[Node], places: list[int], low: int, high: int) -> Node:
    middle = (low + high + 1) // 2
    left = terms[middle]
    if middle != low:
        left = _balanced(function, terms, places, low, middle - 1)
    right = terms[middle + 1]
    if middle != high:
        right = _balanced(function, terms, places, middle + 1, high)
    return Call(places[middle], function, None, [left, right])
