# ---
# name: say_hello
# version: 1.0.0
# description: Greet a person.
# inputs: []
# outputs: {type: string}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.9", packages: []}
# x-license: (MIT OR Apache-2.0) AND LicenseRef-our-data
# x-tags: [text, greeting, aa, ab, ac, ad, ae, aaaaaaaaaaaaaaaaaaaaaaaa]
# x-aliases: [greet, aaa, bbb, ccc, ddd]
# x-examples:
#   - Say hello 0 times
#   - Say hello 1 times
#   - Say hello 2 times
#   - Say hello 3 times
#   - Say hello 4 times
#   - Say hello 5 times
#   - Say hello 6 times
#   - Say hello to aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#   - "How do I greet somebody in one line: politely?"
#   - "Sag \u201eHallo\u201c zu Jürgen"
# ---
def main():
    return "hello"
