# ---
# name: cron_next
# version: 1.0.0
# description: Compute the next times at which a five-field cron expression fires after a given moment and return them as ISO 8601 timestamps.
# inputs:
#   - name: expression
#     type: string
#     description: Cron fields for minute, hour, day of month, month and day of week, or a nickname such as @daily.
#     required: true
#     tainted_ok: true
#   - name: after
#     type: string
#     description: ISO 8601 date and time, with or without a UTC offset, after which to search and whose offset the answers keep.
#     required: true
#     tainted_ok: true
#   - name: count
#     type: integer
#     description: How many times to return, from 1 to 200.
#     required: false
#     default: 5
# outputs:
#   type: array
#   description: The times in ascending order as ISO 8601 strings with the offset of the start, if that had one.
#   items: {type: string}
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [cron, time, schedule]
# x-aliases: [crontab_next]
# x-examples:
#   - "When does the cron job 0 3 * * 1-5 run next?"
#   - "List the next ten times of @monthly after the first of May."
#   - "Does this crontab line ever fire on 30 February?"
# ---

import datetime
import json
import re
import sys

MAX_COUNT = 200
MAX_CHARS = 500
# 29 February comes back after eight years at most (1896, 1904; 2096, 2104).
HORIZON_DAYS = 366 * 9

NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
# name, lowest, highest, words and the number of the first word
FIELDS = (
    ("minute", 0, 59, (), 0),
    ("hour", 0, 23, (), 0),
    ("day of month", 1, 31, (), 0),
    ("month", 1, 12, MONTHS, 1),
    ("day of week", 0, 7, DAYS, 0),
)


def parse_number(text, field):
    """Return the number that a digit string or word stands for in a field."""
    name, lowest, highest, words, first = field
    if text in words:
        return words.index(text) + first
    if not re.fullmatch(r"[0-9]{1,2}", text) or not lowest <= int(text) <= highest:
        raise ValueError("%s has %r, allowed are %d to %d" % (name, text, lowest, highest))
    return int(text)


def parse_field(text, field):
    """Return the set of numbers that a field allows."""
    name, lowest, highest, _, _ = field
    allowed = set()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        if slash and not re.fullmatch(r"[1-9][0-9]?", step):
            raise ValueError("%s has the step %r" % (name, step))
        if span in ("*", "?"):
            start, end = lowest, highest
        elif "-" in span:
            left, _, right = span.partition("-")
            start, end = parse_number(left, field), parse_number(right, field)
            if name == "day of week" and end == 0 < start:
                end = 7  # fri-sun
            if start > end:
                raise ValueError("%s has the range %s, which goes backwards" % (name, span))
        else:
            start = parse_number(span, field)
            end = highest if slash else start
        allowed.update(range(start, end + 1, int(step) if slash else 1))
    if name == "day of week":
        return {number % 7 for number in allowed}
    return allowed


def parse_expression(text):
    """Return the five sets and a function that tells whether a date fits."""
    text = text.strip().lower()
    if len(text) > MAX_CHARS:
        raise ValueError("expression has more than %d characters" % MAX_CHARS)
    if text.startswith("@"):
        if text not in NICKNAMES:
            raise ValueError("unknown nickname %r, known are %s" % (text, ", ".join(sorted(NICKNAMES))))
        text = NICKNAMES[text]
    parts = text.split()
    if len(parts) != len(FIELDS):
        raise ValueError("expression has %d fields, needed are minute, hour, day, month and weekday" % len(parts))
    minutes, hours, days, months, weekdays = [parse_field(part, field) for part, field in zip(parts, FIELDS)]
    # POSIX: if both kinds of day are restricted, either one is enough.
    either = parts[2][0] not in "*?" and parts[4][0] not in "*?"

    def fits(date):
        by_day = date.day in days
        by_weekday = (date.weekday() + 1) % 7 in weekdays
        return date.month in months and ((by_day or by_weekday) if either else (by_day and by_weekday))

    return sorted(minutes), sorted(hours), fits


def parse_moment(text):
    """Return an ISO 8601 text as a datetime; a date alone is its midnight."""
    text = re.sub(r"[zZ]$", "+00:00", text.strip())
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("after %r is not a date and time such as 2026-05-04T12:00:00+02:00" % text[:50]) from None


def main(expression: str, after: str, count: int = 5):
    if not 1 <= count <= MAX_COUNT:
        raise ValueError("count must be from 1 to %d" % MAX_COUNT)
    minutes, hours, fits = parse_expression(expression)
    moment = parse_moment(after)
    found = []
    date = moment.date()
    idle_days = 0
    while len(found) < count and idle_days <= HORIZON_DAYS:
        idle_days += 1
        if fits(date):
            for hour in hours:
                for minute in minutes:
                    time = datetime.time(hour, minute, tzinfo=moment.tzinfo)
                    candidate = datetime.datetime.combine(date, time)
                    if candidate > moment and len(found) < count:
                        found.append(candidate.isoformat())
                        idle_days = 0
        try:
            date += datetime.timedelta(days=1)
        except OverflowError:
            break
    if not found:
        raise ValueError("the expression never fires after %s" % moment.isoformat())
    return found


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
