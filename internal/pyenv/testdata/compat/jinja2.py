"""Jinja2: a template, escaped"""
# packages: Jinja2==3.1.4 MarkupSafe==3.0.2
from jinja2 import DictLoader, Environment

env = Environment(loader=DictLoader({"t": "{% for x in items %}<i>{{ x }}</i>{% endfor %}"}), autoescape=True)
assert env.get_template("t").render(items=["a", "<b>"]) == "<i>a</i><i>&lt;b&gt;</i>"
