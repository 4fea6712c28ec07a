"""Imports a tool, whose source is in the arguments, as a module and not as a program."""

import json
import sys

args = json.loads(sys.stdin.read())
code = compile(args["source"], "/tmp/tool.py", "exec", dont_inherit=True)
module = {"__name__": "tool", "__file__": "/tmp/tool.py", "__builtins__": __builtins__}
exec(code, module)
if not callable(module.get("main")):
    sys.exit("there is no function main")
print("\nimported")
