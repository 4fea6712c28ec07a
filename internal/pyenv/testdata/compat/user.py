"""pwd, getpass: the name of the user"""
# not in landlock: the user has no name there, because `/etc/passwd` is the host's and stays closed
import getpass
import os
import pwd

assert getpass.getuser()
assert pwd.getpwuid(os.getuid()).pw_name
