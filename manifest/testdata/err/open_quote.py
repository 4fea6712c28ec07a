# ---
# name: say_hello
# version: 1.0.0
# description: "Greet a person.
# inputs: []
# outputs: {type: string}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.9", packages: []}
# ---
def main():
    return "hello"
