# ---
# name: say_hello
# version: 1.0.0
# description: Greet a person.
# inputs:
#   - name: rows
#     type: array
#     description: Rows.
#     items:
#       type: [object, null]
#       title: Row
#       properties:
#         pattern: {type: string, pattern: "^\\p{Lu}", format: email}
#         kind: {enum: [a, 1, null, {pattern: "("}], default: a}
#         size: {anyOf: [{type: integer, minimum: 0, maximum: 10}, {type: null}], x-unit: cm}
#         pair: {prefixItems: [true, {const: 1}], items: false, uniqueItems: true}
#       required: [pattern]
#       additionalProperties: false
# outputs: {type: string}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.9", packages: []}
# ---
def main():
    return "hello"
