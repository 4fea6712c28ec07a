"""PyYAML: a document, with the C parser"""
# packages: PyYAML==6.0.2
import yaml

text = "a: [1, 2]\nb: {c: caf\u00e9}\n"
assert yaml.safe_load(text) == yaml.load(text, Loader=yaml.CSafeLoader) == {"a": [1, 2], "b": {"c": "caf\u00e9"}}
assert yaml.safe_load(yaml.safe_dump({"x": 1})) == {"x": 1}
