"""Regular expressions that are compiled when a text first needs them.

Part of the program that program.go joins. To load re and to compile one of the
large expressions takes longer than all else that is done with an ordinary tool.
So an expression may have needs: pieces of text of which every match has one.
TestPatternNeeds proves that from the expression itself.
"""

IGNORE, LINES, VERBOSE = 2, 8, 64  # as re.I, re.M and re.X

# Letters that re takes for ASCII ones where case does not count, and lower() does not.
ALIKE = {0x130: "i", 0x131: "i", 0x17F: "s"}


class Late:
    def __init__(self, text, flags=0, needs=""):
        self.text, self.flags, self.needs, self.made = text, flags, needs.split("|") if needs else (), None

    def pattern(self):
        if self.made is None:
            import re

            self.made = re.compile(self.text, self.flags)
        return self.made

    def possible(self, text):
        """Tells whether a text has one of the needs; without them anything may match."""
        low = text.lower() if text.isascii() else text.translate(ALIKE).lower()
        for need in self.needs:
            if need in low:
                return True
        return not self.needs

    def search(self, text):
        if self.needs and not self.possible(text):
            return None
        return self.pattern().search(text)

    def find(self, text):
        return self.pattern().finditer(text)
