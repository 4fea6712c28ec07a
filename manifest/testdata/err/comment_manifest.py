# ---
# # name: say_hello
# ---
