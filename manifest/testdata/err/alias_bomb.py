# ---
# name: say_hello
# version: 1.0.0
# description: Greet a person.
# inputs: []
# x-a: &a [1,1,1,1,1,1,1,1,1]
# x-b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]
# x-c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]
# x-d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]
# x-e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]
# x-f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]
# x-g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]
# x-h: &h [*g,*g,*g,*g,*g,*g,*g,*g,*g]
# x-i: &i [*h,*h,*h,*h,*h,*h,*h,*h,*h]
# x-j: &j [*i,*i,*i,*i,*i,*i,*i,*i,*i]
# outputs: {type: string}
# capabilities: {network: false, filesystem: none, human_confirm: false}
# runtime: {language: python, python_version: "3.9", packages: []}
# ---
def main():
    return "hello"
