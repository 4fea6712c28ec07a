# ---
# name: say_hello
# version: 1.0.0
# description: Greet a person.
# inputs: [{name: who, type: integer, description: Whom., required: false, default: 1_000}]
# outputs: {type: string}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.9", packages: []}
# ---
def main():
    return "hello"
