"""sys.stdin, args.json: the arguments, both ways"""
import json
import os
import sys

beside = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "args.json")))
assert json.load(sys.stdin) == beside == {}, beside
