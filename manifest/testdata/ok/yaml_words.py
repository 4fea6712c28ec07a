# ---
# name: say_hello
# version: 1.0.0
# description: Greet a person.
# inputs: []
# outputs: {type: string}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.9", packages: []}
# x-words: [yes, on, ~, 2026-01-01, 0x1F, 0o17, 010, 1_000, 1:30, .5, +1, True, NULL, .inf]
# x-empty:
# x-Case: {a: 1, A: 2}
# x-case: text
# ---
def main():
    return "hello"
