# ---
# description: Percent-decoding=latin-1 of a text.
# name: say_hello
# version: 1.0.0
# inputs: []
# outputs: {type: string}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.9", packages: []}
# ---
def main():
    return "hello"
