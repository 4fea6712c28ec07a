# ---
# name: say_hello
# version: 1.0.0
# description: Greet a person.
# inputs: []
# outputs: {type: string}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.9", packages: []}
# x-license: (MIT OR Apache-2.0) AND LicenseRef-our-data
# x-tags: text
# x-aliases: [greet, hello_world]
# x-examples:
#   - Say hello to my colleague Ada
#   - "How do I greet somebody in one line: politely?"
#   - "Sag \u201eHallo\u201c zu Jürgen"
# ---
def main():
    return "hello"
