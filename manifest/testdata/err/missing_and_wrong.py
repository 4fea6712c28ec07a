# ---
# name: say_hello
# version: one
# inputs: [{name: a-b, type: text}, {name: ok, type: array, items: x}]
# outputs: {}
# capabilities: {network: on, filesystem: all, human_confirm: "no", extra: 1}
# runtime: {language: python, python_version: "3.9", packages: []}
# ---
def main():
    return "hello"
