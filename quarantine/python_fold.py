"""Folds constant expressions, executing nothing of the file.

Part of the program that begins with python_scope.py. An own interpreter of the
few operations with which constants are put together: it knows no names but
those of python_decode.py, looks at every node once, and has a budget. A handler
is a generator that yields the nodes whose values it needs, so that depth of the
tree costs memory and never the stack of the interpreter.
"""

import _string
import _ast as ast

SPEC = Late(r"^[<>=^+ #0-9.]{0,4}[a-zA-Z]?$")
HANDLERS = {
    "Tuple": "sequence", "List": "sequence", "Set": "sequence", "Dict": "dictionary", "Name": "name", "Attribute": "attribute",
    "BinOp": "binary", "JoinedStr": "fstring", "Subscript": "subscript", "UnaryOp": "unary", "IfExp": "either",
    "BoolOp": "alternatives", "NamedExpr": "inner", "Await": "inner", "ListComp": "repeated", "GeneratorExp": "repeated",
    "SetComp": "repeated", "Compare": "compare", "Call": "call",
}  # fmt: skip


class Fold(Meanings):
    """Folds constants of one tree.

    text(node) is a str or bytes that the expression always has, else None.
    loose(node) is a str that it has as far as anybody can tell, with GAP for
    what is unknown, else None; it also believes attributes, and lists that
    might have been changed since. names(node) are the dotted names that the
    expression may stand for: "os.system", "builtins.eval", "socket.socket().send".

    exhausted says that the file used up the budget, so that None means nothing.
    """

    def __init__(self, tree):
        self.bindings = Bindings(tree)
        self.memo = {True: {}, False: {}}
        self.known, self.by_name, self.by_attribute = {}, {}, {}
        self.cut = False  # meanings were followed to their limit
        self.steps, self.bytes = MAX_FOLD_STEPS, MAX_FOLD_BYTES
        self.exhausted = False

    def text(self, node):
        value = self.value(node)
        return value if type(value) in (str, bytes) else None

    def loose(self, node):
        value = self.value(node, strict=False)
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        return str(value) if isinstance(value, str) else None

    def names(self, node):
        key = id(node)
        if key not in self.known:
            found = self.run(self.meanings(node), None, False)
            self.known[key] = [] if found is NOTHING else found
        return self.known[key]

    def value(self, node, strict=True):
        return self.run(self.only(node), None, strict)

    def only(self, node):
        return (yield node)

    def run(self, task, env, strict):
        """Drives generators: each yields a node, or (node, names), and is sent its value."""
        self.strict, self.open = strict, set()
        stack, answer = [(task, env, None)], None
        while stack:
            task, env, key = stack[-1]
            try:
                wanted = task.send(answer)
            except StopIteration as e:
                answer = e.value if key is None else self.weigh(e.value)
            except (RecursionError, MemoryError):
                answer, self.exhausted = NOTHING, True
            except Exception:  # an operation that fails has no value
                answer = NOTHING
            else:
                node, env = wanted if isinstance(wanted, tuple) else (wanted, env)
                answer, task = self.begin(node, env)
                if task is not None:
                    stack.append((task, env, id(node)))
                    answer = None
                continue
            stack.pop()
            self.open.discard(key)
            if env is None and key is not None:
                self.memo[strict][key] = answer
        return answer

    def begin(self, node, env):
        """The value of a node at once, or the generator that makes it."""
        self.steps -= 1
        if isinstance(node, ast.Constant):
            known = isinstance(node.value, (str, bytes, int, float, type(None))) and size(node.value) <= MAX_FOLDED
            return (node.value if known else NOTHING), None
        memo, key = self.memo[self.strict], id(node)
        if env is None and key in memo:
            return memo[key], None
        handler = HANDLERS.get(type(node).__name__)
        if handler is None or self.steps < 0 or env is None and key in self.open:
            self.exhausted = self.exhausted or self.steps < 0
            return NOTHING, None
        self.open.add(key)
        return None, getattr(self, handler)(node, env)

    def weigh(self, value):
        if value is NOTHING or size(value) > MAX_FOLDED:
            return NOTHING
        self.bytes -= size(value)
        if self.bytes < 0:
            self.exhausted = True
            return NOTHING
        return value

    def sequence(self, node, env):
        values = []
        for part in node.elts:
            if isinstance(part, ast.Starred):
                values.extend((yield part.value))
            else:
                values.append((yield part))
        if self.strict and any(v is NOTHING for v in values):
            return NOTHING
        return tuple(values) if isinstance(node, ast.Tuple) else values

    def dictionary(self, node, env):
        made = {}
        for key, value in zip(node.keys, node.values):
            made[(yield key)] = yield value
        return NOTHING if any(v is NOTHING for pair in made.items() for v in pair) else made

    def name(self, node, env):
        if env is not None and node.id in env:
            return env[node.id]
        found = self.bindings.names.get(node.id, [])
        if len(found) != 1 or found[0][0] != "value":
            return NOTHING
        value = yield found[0][1], None
        return value if not self.strict or fixed(value) else NOTHING

    def attribute(self, node, env):
        if self.strict:
            return NOTHING
        for full in (yield from self.meanings(node)):
            if full in CONSTANTS:
                return CONSTANTS[full]
        found = self.bindings.attributes.get(node.attr, [])
        if len(found) != 1 or found[0][0] != "value" or found[0][1] is None:
            return NOTHING
        return (yield found[0][1], None)

    def binary(self, node, env):
        if isinstance(node.op, ast.Add):
            # Long sums are deep trees; they are taken apart here at once.
            parts = [node]
            while isinstance(parts[-1], ast.BinOp) and isinstance(parts[-1].op, ast.Add):
                parts[-1:] = [parts[-1].right, parts[-1].left]
            values = []
            for part in reversed(parts):
                values.append((yield part))
            return self.added(values)
        left, right = (yield node.left), (yield node.right)
        if isinstance(node.op, ast.Mod) and isinstance(left, (str, bytes)):
            return self.percent(left, right)
        if isinstance(node.op, ast.Mult) and isinstance(left, int) and isinstance(right, int):
            return left * right if size(left) + size(right) < 1024 else NOTHING
        if isinstance(node.op, ast.Mult) and size(left if isinstance(right, int) else right) * (right if isinstance(right, int) else left) <= MAX_FOLDED:
            return left * right
        if isinstance(node.op, ast.Mod) and isinstance(right, int):
            return left % right
        if isinstance(node.op, ast.Div) and not self.strict and (isinstance(left, str) or isinstance(right, str)):
            return self.glue([left, "/", right])
        if isinstance(left, int) and isinstance(right, int) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](left, right)
        return NOTHING

    def added(self, values):
        if not self.strict and any(isinstance(v, str) for v in values):
            return self.glue(values)
        if any(v is NOTHING for v in values):
            return NOTHING
        if all(isinstance(v, str) for v in values) or all(isinstance(v, bytes) for v in values):
            return values[0][:0].join(values) if sum(map(len, values)) <= MAX_FOLDED else NOTHING
        total = values[0]
        for value in values[1:]:
            total = total + value
            if size(total) > MAX_FOLDED:
                return NOTHING
        return total

    def glue(self, values):
        """The texts one after the other, with gaps; nothing where all is gap."""
        texts = [v if isinstance(v, str) else text_of(v) if type(v) is int else GAP for v in values]
        whole = "".join(texts)[:MAX_FOLDED]
        while GAP + GAP in whole:
            whole = whole.replace(GAP + GAP, GAP)
        if GAP not in whole:
            return whole
        return Partly(whole) if whole.strip(GAP) else NOTHING

    def percent(self, form, values):
        group = values if isinstance(values, tuple) else (values,)
        if not self.strict and isinstance(form, str) and any(v is NOTHING or isinstance(v, Partly) for v in group):
            pieces, rest = between(form), list(group)
            glued = [pieces[0]]
            for piece in pieces[1:]:
                glued += [rest.pop(0) if rest and "%(" not in form else NOTHING, piece]
            return self.glue(glued)
        if any(v is NOTHING for v in group) or wide(form):
            return NOTHING
        largest = max([size(v) for v in group] + [size(v) for d in group if isinstance(d, dict) for v in d.values()] + [16])
        percents = form.count(b"%" if isinstance(form, bytes) else "%")
        return form % values if percents * (largest * 3 + 999) <= 16 * MAX_FOLDED else NOTHING

    def formatted(self, form, args, named):
        """str.format, for fields that are a name, a number or nothing, without nested widths."""
        out, at, free = [], 0, iter(args)
        for literal, field, spec, conversion in _string.formatter_parser(form):
            out.append(literal)
            if field is None:
                continue
            if field == "":
                value = next(free, NOTHING)
            else:
                value = args[int(field)] if field.isdigit() and int(field) < len(args) else named.get(field, NOTHING)
            if spec or conversion:
                value = self.in_form(value, spec)
            out.append(value)
            at += size(value)
            if at > MAX_FOLDED:
                return NOTHING
        return self.text_with_gaps(out)

    def text_with_gaps(self, parts):
        if not self.strict:
            return self.glue(parts)
        if any(v is NOTHING for v in parts):
            return NOTHING
        return "".join(text_of(v) if type(v) is int else v for v in parts)

    def in_form(self, value, spec):
        """format(value, spec) for a spec without great widths."""
        if type(value) not in (str, int) or not isinstance(spec, str):
            return NOTHING
        return format(value, spec) if SPEC.search(spec) and not wide(spec) else NOTHING

    def fstring(self, node, env):
        parts, total = [], 0
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = yield part.value
                if part.format_spec is not None:
                    value = self.in_form(value, (yield part.format_spec))
                if part.conversion == 114 or isinstance(value, bytes):
                    value = NOTHING
            else:
                value = yield part
            parts.append(value)
            total += size(value)
            if total > MAX_FOLDED:
                return NOTHING
        return self.text_with_gaps(parts)

    def subscript(self, node, env):
        value = yield node.value
        index = getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice  # before 3.9
        if value is NOTHING and not self.strict:
            full = yield from self.meanings(node.value)
            key = (yield index) if "os.environ" in full and not isinstance(index, ast.Slice) else NOTHING
            return Partly("$" + key + GAP) if isinstance(key, str) else NOTHING
        if value is NOTHING or isinstance(value, Partly):
            return NOTHING
        if isinstance(index, ast.Slice):
            ends = []
            for part in (index.lower, index.upper, index.step):
                ends.append(None if part is None else (yield part))
            return NOTHING if any(e is NOTHING for e in ends) else value[slice(*ends)]
        key = yield index
        return NOTHING if key is NOTHING else value[key]

    def unary(self, node, env):
        value = yield node.operand
        if isinstance(node.op, ast.Not):
            return NOTHING if value is NOTHING else not value
        if isinstance(value, int):
            return {ast.USub: lambda: -value, ast.UAdd: lambda: +value, ast.Invert: lambda: ~value}[type(node.op)]()
        return NOTHING

    def either(self, node, env):
        test = yield node.test
        if test is NOTHING:
            return NOTHING
        return (yield node.body if test else node.orelse)

    def alternatives(self, node, env):
        value = NOTHING
        for part in node.values:
            value = yield part
            if value is NOTHING or isinstance(value, Partly) or bool(value) == isinstance(node.op, ast.Or):
                return value
        return value

    def inner(self, node, env):
        return (yield node.value)

    def repeated(self, node, env):
        """A comprehension with one loop over a constant."""
        if len(node.generators) != 1 or not isinstance(node.generators[0].target, (ast.Name, ast.Tuple)):
            return NOTHING
        loop, out = node.generators[0], []
        items = yield loop.iter
        if items is NOTHING or isinstance(items, Partly) or len(items) > MAX_REPEATS:
            return NOTHING
        names = target_names(loop.target)
        for item in items:
            here = dict(env or {}, **dict(zip(names, item if isinstance(loop.target, ast.Tuple) else [item])))
            keep = True
            for test in loop.ifs:
                keep = keep and (yield test, here)
            if keep is NOTHING:
                return NOTHING
            if keep:
                out.append((yield node.elt, here))
                if out[-1] is NOTHING:
                    return NOTHING
        return set(out) if isinstance(node, ast.SetComp) else out

    def compare(self, node, env):
        left, right = (yield node.left), (yield node.comparators[0])
        if len(node.ops) != 1 or left is NOTHING or right is NOTHING or type(node.ops[0]) not in (ast.Eq, ast.NotEq):
            return NOTHING
        return (left == right) == isinstance(node.ops[0], ast.Eq)

    def call(self, node, env):
        keywords = [k for k in node.keywords if k.arg not in ("encoding", "errors", "validate", "byteorder")]
        full = yield from self.meanings(node.func)
        function = next((FUNCTIONS[f] for f in full if f in FUNCTIONS), None)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if "builtins.map" in full and len(node.args) == 2:
            return (yield from self.mapped(node))
        if function is None and not method:
            return NOTHING
        base = NOTHING if function is not None else (yield node.func.value)
        args = []
        for arg in node.args:
            value = yield arg.value if isinstance(arg, ast.Starred) else arg
            args.extend(value if isinstance(arg, ast.Starred) else [value])
        named = {}
        for keyword in node.keywords if method == "format" else []:
            named[keyword.arg] = yield keyword.value
        if method == "format" and isinstance(base, str) and type(base) is str:
            return self.formatted(base, args, named)
        if not self.strict and function is joined_path:
            return self.glue([p for a in args for p in ("/", a)][1:])
        if not self.strict and method == "joinpath" and isinstance(base, str):
            return self.glue([base] + [p for a in args for p in ("/", a)])
        if not self.strict and function is None and any(f in HOMES for f in full):
            return Partly(GAP)
        if keywords or any(a is NOTHING or isinstance(a, Partly) for a in args):
            return self.joined(base, args) if method == "join" and not self.strict else NOTHING
        if function is not None:
            return function(*args)
        if isinstance(base, Partly):
            return base if method in ("expanduser", "resolve", "absolute", "as_posix", "strip", "encode", "format") else NOTHING
        if method == "join":
            return self.joined(base, args)
        if method == "replace" and len(args) >= 2:
            least = max(len(args[0]), 1)
            return base.replace(*args) if (len(base) // least + 1) * len(args[1]) + len(base) <= 4 * MAX_FOLDED else NOTHING
        if method == "translate" and isinstance(args[0], dict) and any(size(v) > 4 for v in args[0].values() if not isinstance(v, int)):
            return NOTHING
        known = METHODS.get(type(base), {})
        return known[method](base, *args) if method in known else NOTHING

    def joined(self, base, args):
        items = args[0] if len(args) == 1 else NOTHING
        if base is NOTHING or items is NOTHING or isinstance(base, Partly) or size(base) * len(items) + sum(map(size, items)) > MAX_FOLDED:
            return NOTHING
        if any(v is NOTHING or isinstance(v, Partly) for v in items):
            return self.glue([p for v in items for p in (base, v)][1:])
        return base.join(items)

    def mapped(self, node):
        function, items = node.args[0], (yield node.args[1])
        if items is NOTHING or isinstance(items, Partly) or len(items) > MAX_REPEATS:
            return NOTHING
        out = []
        if isinstance(function, ast.Lambda) and len(function.args.args) == 1:
            for item in items:
                out.append((yield function.body, {function.args.args[0].arg: item}))
            return NOTHING if any(v is NOTHING for v in out) else out
        full = yield from self.meanings(function)
        known = next((FUNCTIONS[f] for f in full if f in FUNCTIONS), None)
        return NOTHING if known is None else [known(i) for i in items]
