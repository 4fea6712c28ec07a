"""Sort the commits of a log by what they do, and print them as JSON.

The log has one commit on each line: the short hash, a tab, and the subject.
"""

import json
import sys

KINDS = {
    "added": ("add", "adds", "added", "feat", "introduce", "introduces", "new", "support", "supports"),
    "fixed": ("fix", "fixes", "fixed", "bug", "bugfix", "correct", "corrects", "repair", "repairs"),
    "removed": ("remove", "removes", "removed", "delete", "deletes", "drop", "drops"),
    "changed": ("change", "changes", "changed", "update", "updates", "improve", "improves", "refactor", "rename", "renames", "perf"),
}


def kind_of(subject):
    """Tell the kind of a commit by the first word that says one."""
    for word in subject.lower().replace(":", " ").replace("(", " ").split()[:4]:
        for kind, words in KINDS.items():
            if word.strip("!.,") in words:
                return kind
    return "other"


def sort(lines):
    """Return the commits of a log, by kind, in the order of the log."""
    found = {kind: [] for kind in (*KINDS, "other")}
    for line in lines:
        commit, _, subject = line.rstrip("\n").partition("\t")
        if subject:
            found[kind_of(subject)].append({"commit": commit, "subject": subject})
    return found


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        print(json.dumps(sort(log), ensure_ascii=False, indent=2))
