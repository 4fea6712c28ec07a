# ---
# name: ical_events
# version: 1.0.0
# description: List the events of an iCalendar text that fall into a time window, with recurring events expanded, and return them sorted by start in the wanted time zone.
# inputs:
#   - name: ics
#     type: string
#     description: The iCalendar text (RFC 5545).
#     required: true
#     tainted_ok: true
#   - name: start
#     type: string
#     description: ISO 8601 date or time at which the window begins.
#     required: true
#   - name: end
#     type: string
#     description: ISO 8601 date or time before which events of the window begin, at most ten years after its start.
#     required: true
#   - name: time_zone
#     type: string
#     description: Name of the time zone for the answer and for times without a zone, such as Europe/Berlin.
#     required: false
#     default: UTC
#   - name: max_events
#     type: integer
#     description: Largest number of events to return, from 1 to 5000.
#     required: false
#     default: 500
# outputs:
#   type: object
#   description: The events with uid, summary, start, end (not part of the event any more), all_day, recurring, location, description and status, whether there are more, and warnings about what could not be read.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
#   packages: []
# external_auth: []
# x-tags: [calendar, ical, time]
# x-aliases: [ics_events, calendar_events]
# x-examples:
#   - "What is in my calendar next week?"
#   - "List the meetings of March from this .ics file in Berlin time."
#   - "When does the weekly team meeting take place this month?"
# ---

import calendar
import datetime
import json
import re
import sys
import zoneinfo

MAX_CHARS = 4_000_000
MAX_COMPONENTS = 20_000
MAX_EVENTS = 5_000
MAX_WINDOW_DAYS = 3_660
MAX_WORK = 1_000_000  # dates that are looked at, over all rules
WORK_PER_OCCURRENCE = 10
MAX_WARNINGS = 50

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
RULE_PARTS = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST"}
PERIOD_DAYS = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 31, "YEARLY": 366}
UTC = datetime.timezone.utc
LINE = r'([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*):(.*)'
# Names that Outlook and Exchange write, after the Unicode CLDR table windowsZones.
WINDOWS_ZONES = {
    "Romance Standard Time": "Europe/Paris", "W. Europe Standard Time": "Europe/Berlin",
    "Central Europe Standard Time": "Europe/Budapest", "GMT Standard Time": "Europe/London",
    "FLE Standard Time": "Europe/Kyiv", "Eastern Standard Time": "America/New_York",
    "Central Standard Time": "America/Chicago", "Mountain Standard Time": "America/Denver",
    "Pacific Standard Time": "America/Los_Angeles", "India Standard Time": "Asia/Kolkata",
    "China Standard Time": "Asia/Shanghai", "Tokyo Standard Time": "Asia/Tokyo",
    "AUS Eastern Standard Time": "Australia/Sydney", "E. South America Standard Time": "America/Sao_Paulo",
}


def read_components(text):
    """Return the VEVENTs as dictionaries of name -> [(parameters, value)]; alarms in them are skipped."""
    lines = re.split(r"\r\n|\n|\r", re.sub(r"(?:\r\n|\n|\r)[ \t]", "", text.lstrip("\ufeff")))
    if not any(line.strip().upper() == "BEGIN:VCALENDAR" for line in lines):
        raise ValueError("the text is no iCalendar, it has no BEGIN:VCALENDAR")
    events = []
    open_names = []
    for line in lines:
        match = re.fullmatch(LINE, line)
        if not match:
            continue
        name, value = match[1].upper(), match[3]
        if name == "BEGIN":
            open_names.append(value.strip().upper())
            if open_names[-1] == "VEVENT":
                events.append({})
                if len(events) > MAX_COMPONENTS:
                    raise ValueError("the calendar has more than %d events" % MAX_COMPONENTS)
        elif name == "END":
            if open_names:
                open_names.pop()
        elif open_names and open_names[-1] == "VEVENT":
            parameters = dict(re.findall(r';([A-Za-z0-9-]+)="?([^";:,]*)', match[2].upper()))
            if "TZID" in parameters:  # the one parameter whose case matters
                parameters["TZID"] = re.search(r'(?i);TZID="?([^";:,]*)', match[2])[1]
            events[-1].setdefault(name, []).append((parameters, value))
    return events


def find_zone(name):
    """Return the time zone of a name, None if there is none."""
    name = WINDOWS_ZONES.get(name, name)
    if name.upper() in ("UTC", "GMT", "Z", "ETC/UTC"):
        return UTC
    # Some programs put a path of their own before the name.
    for candidate in (name, "/".join(name.split("/")[-2:])):
        try:
            return zoneinfo.ZoneInfo(candidate)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            continue
    return None


def warn(state, message):
    if len(state["warnings"]) < MAX_WARNINGS and message not in state["warnings"]:
        state["warnings"].append(message)


def spend(state, amount):
    """Count work; a calendar that needs too much of it is not listed in part."""
    state["work"] += amount
    if state["work"] > MAX_WORK:
        raise RuntimeError("the calendar has too many recurrences, choose a smaller window")


def read_time(state, parameters, text):
    """Return (naive local datetime, zone); the zone is None for a date, which stands for a whole day."""
    match = re.fullmatch(r"([0-9]{8})(?:T([0-9]{6})(Z?))?", text.strip())
    if not match:
        raise ValueError("%r is not a date or time" % text[:30])
    if match[2] is None:
        return datetime.datetime.strptime(match[1], "%Y%m%d"), None
    seconds = min(match[2][4:], "59")  # a leap second is allowed in the format, not in Python
    moment = datetime.datetime.strptime(match[1] + match[2][:4] + seconds, "%Y%m%d%H%M%S")
    zone_name = parameters.get("TZID")
    if match[3]:
        return moment, UTC
    if zone_name and zone_name not in state["zones"]:
        state["zones"][zone_name] = find_zone(zone_name)
        if state["zones"][zone_name] is None:
            warn(state, "unknown time zone %r, its times are taken as local" % zone_name[:60])
    return moment, state["zones"].get(zone_name) or state["zone"]


def instant(local, zone):
    """Return what identifies an occurrence: the date of a whole day, else the moment in UTC."""
    return local.date() if zone is None else local.replace(tzinfo=zone).astimezone(UTC)


def read_duration(text):
    match = re.fullmatch(
        r"\+?P(?:([0-9]{1,4})W)?(?:([0-9]{1,5})D)?(?:T(?:([0-9]{1,6})H)?(?:([0-9]{1,7})M)?(?:([0-9]{1,8})S)?)?",
        text.strip().upper(),
    )
    if not match:
        raise ValueError("%r is not a duration" % text[:30])
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return datetime.timedelta(days, seconds, 0, 0, minutes, hours, weeks)


def read_rule(state, text, first, zone):
    """Return a recurrence rule as a dictionary; raises ValueError for what is not supported."""
    parts = dict(part.partition("=")[::2] for part in text.strip().upper().strip(";").split(";"))
    frequency = parts.get("FREQ")
    strange = sorted(set(parts) - RULE_PARTS)
    if frequency not in PERIOD_DAYS or strange:
        raise ValueError("the rule with %s is not supported" % (", ".join(strange) or "FREQ=%s" % frequency))

    def numbers(name, lowest, highest):
        found = [int(item) for item in parts[name].split(",")] if parts.get(name) else []
        if any(number == 0 or not lowest <= number <= highest for number in found):
            raise ValueError("the rule has %s=%s" % (name, parts[name][:30]))
        return found

    days = []
    for item in filter(None, parts.get("BYDAY", "").split(",")):
        match = re.fullmatch(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)", item)
        if not match or (match[1] and frequency in ("DAILY", "WEEKLY")):
            raise ValueError("the rule has the day %r" % item[:10])
        days.append((int(match[1] or 0), WEEKDAYS.index(match[2])))
    months, month_days = sorted(numbers("BYMONTH", 1, 12)), numbers("BYMONTHDAY", -31, 31)
    if not days and not month_days:  # what the rule leaves open is taken from the first occurrence
        if frequency == "WEEKLY":
            days = [(0, first.weekday())]
        elif frequency in ("MONTHLY", "YEARLY"):
            month_days = [first.day]
            months = months or ([first.month] if frequency == "YEARLY" else [])
    until = None
    if parts.get("UNTIL"):
        until, until_zone = read_time(state, {}, parts["UNTIL"])
        if until_zone is None:
            until += datetime.timedelta(days=1, seconds=-1)
        elif until_zone is UTC and zone is not None:
            until = until.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)
    return {
        "frequency": frequency,
        "interval": (numbers("INTERVAL", 1, 10_000) or [1])[0],
        "count": (numbers("COUNT", 1, 1_000_000) or [None])[0],
        "until": until,
        "days": days,
        "month_days": month_days,
        "months": months,
        "positions": numbers("BYSETPOS", -366, 366),
        "week_start": WEEKDAYS.index(parts.get("WKST") or "MO"),
    }


def period(rule, first, number):
    """Return (first date, dates in question) of the period of that number, counted from the one of first."""
    step = number * rule["interval"]
    if rule["frequency"] in ("DAILY", "WEEKLY"):
        length = PERIOD_DAYS[rule["frequency"]]
        begin = first.date() + datetime.timedelta(step * length)
        if length == 7:
            begin -= datetime.timedelta((begin.weekday() - rule["week_start"]) % 7)
        return begin, [begin + datetime.timedelta(index) for index in range(length)]
    if rule["frequency"] == "MONTHLY":
        year, month = divmod(first.year * 12 + first.month - 1 + step, 12)
        months = [month + 1]
    else:
        year, months = first.year + step, rule["months"] or range(1, 13)
    begin = datetime.date(year, months[0], 1)
    dates = [
        datetime.date(year, month, day + 1) for month in months for day in range(calendar.monthrange(year, month)[1])
    ]
    return begin, dates


def chosen_days(rule, dates):
    """Return those of a period's dates on which the event takes place (RFC 5545, the table of section 3.3.10)."""
    months, month_days, days = rule["months"], rule["month_days"], rule["days"]
    # The second Monday is counted in the year only where nothing names a month.
    in_year = rule["frequency"] == "YEARLY" and not months
    chosen = []
    for date in dates:
        size = calendar.monthrange(date.year, date.month)[1]
        if months and date.month not in months:
            continue
        if month_days and date.day not in month_days and date.day - size - 1 not in month_days:
            continue
        if days:
            index = date.day - 1
            if in_year:
                index, size = date.timetuple().tm_yday - 1, 365 + calendar.isleap(date.year)
            places = (0, index // 7 + 1, -((size - 1 - index) // 7 + 1))
            if not any(weekday == date.weekday() and ordinal in places for ordinal, weekday in days):
                continue
        chosen.append(date)
    if rule["positions"]:
        wanted = {position - 1 if position > 0 else len(chosen) + position for position in rule["positions"]}
        chosen = [date for index, date in enumerate(chosen) if index in wanted]
    return chosen


def expand(state, rule, first, lower, upper):
    """Yield the local times of a recurring event from lower to upper; first always counts [RFC 5545, 3.8.5.3]."""
    yield first
    count = 1
    number = 0
    if rule["count"] is None and lower > first:
        # Without a count nothing before the window matters; 31 and 366 never skip too far.
        number = max(0, (lower - first).days // (PERIOD_DAYS[rule["frequency"]] * rule["interval"]) - 1)
    while rule["count"] is None or count < rule["count"]:
        try:
            begin, dates = period(rule, first, number)
        except (OverflowError, ValueError):  # after the year 9999
            return
        spend(state, 1 + len(dates))
        last = rule["until"] if rule["until"] is not None and rule["until"] < upper else upper
        if datetime.datetime.combine(begin, first.time()) > last:
            return
        for date in chosen_days(rule, dates):
            local = datetime.datetime.combine(date, first.time())
            if local > last or (rule["count"] is not None and count >= rule["count"]):
                return
            if local > first:
                count += 1
                yield local
        number += 1


def unescape(text):
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] in "nN" else match[1], text)


def listed_times(state, event, name):
    """Return the local times of all EXDATE or RDATE lines; of a period its start."""
    return [
        read_time(state, parameters, item.partition("/")[0])
        for parameters, value in event.get(name, [])
        for item in value.split(",")
        if item.strip()
    ]


def event_instances(state, event, replaced):
    """Yield (local start, zone, duration) of the occurrences of one VEVENT near the window."""
    first, zone = read_time(state, *event["DTSTART"][0])
    if "DTEND" in event:
        end, end_zone = read_time(state, *event["DTEND"][0])
        if (zone is None) != (end_zone is None):
            raise ValueError("start and end are not both dates or both times")
        length = instant(end, end_zone) - instant(first, zone)
    elif "DURATION" in event:
        length = read_duration(event["DURATION"][0][1])
    else:
        length = datetime.timedelta(days=1 if zone is None else 0)
    length = max(length, datetime.timedelta(0))
    starts = [(first, zone)]
    if "RRULE" in event and "RECURRENCE-ID" not in event:
        slack = datetime.timedelta(days=2)  # local times are up to 26 hours apart
        try:
            rule = read_rule(state, event["RRULE"][0][1], first, zone)
            lower = state["lower"] - length - slack
            starts = [(local, zone) for local in expand(state, rule, first, lower, state["upper"] + slack)]
        except ValueError as error:
            warn(state, "%s, only its first occurrence is listed" % error)
    if "RECURRENCE-ID" in event:
        replaced = set()
    else:
        starts += listed_times(state, event, "RDATE")
        replaced = replaced | {instant(*moment) for moment in listed_times(state, event, "EXDATE")}
    seen = set()
    for moment in starts:
        key = instant(*moment)
        if key not in replaced and key not in seen:
            seen.add(key)
            yield moment[0], moment[1], length


def parse_bound(name, text, zone):
    """Return a bound of the window in UTC; without an offset it is in the zone of the answer."""
    try:
        moment = datetime.datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text.strip()))
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        wanted = "a date or time such as 2026-05-04 or 2026-05-04T12:00:00Z"
        raise ValueError("%s %r is not %s" % (name, text[:40], wanted)) from None


def describe(event, local, zone, length, out_zone):
    """Return ((start, end) in UTC, the answer's object) of one occurrence."""
    if zone is None:
        begin, end = local.replace(tzinfo=out_zone), (local + length).replace(tzinfo=out_zone)
        shown = [local.date().isoformat(), (local + length).date().isoformat()]
    else:
        begin = local.replace(tzinfo=zone).astimezone(UTC)
        end = begin + length
        shown = [begin.astimezone(out_zone).isoformat(), end.astimezone(out_zone).isoformat()]
    answer = {"start": shown[0], "end": shown[1], "all_day": zone is None}
    answer["recurring"] = any(name in event for name in ("RRULE", "RDATE", "RECURRENCE-ID"))
    for name in ("UID", "SUMMARY", "LOCATION", "DESCRIPTION", "STATUS"):
        answer[name.lower()] = unescape(event[name][0][1]) if name in event else None
    return (begin.astimezone(UTC), end.astimezone(UTC)), answer


def main(ics: str, start: str, end: str, time_zone: str = "UTC", max_events: int = 500):
    if len(ics) > MAX_CHARS:
        raise ValueError("ics has %d characters, allowed are %d" % (len(ics), MAX_CHARS))
    if not 1 <= max_events <= MAX_EVENTS:
        raise ValueError("max_events must be from 1 to %d" % MAX_EVENTS)
    out_zone = find_zone(time_zone)
    if out_zone is None:
        raise ValueError("unknown time zone %r, or this computer has no time zone data" % time_zone[:60])
    begin, finish = parse_bound("start", start, out_zone), parse_bound("end", end, out_zone)
    if not datetime.timedelta(0) < finish - begin <= datetime.timedelta(MAX_WINDOW_DAYS):
        raise ValueError("end must be after start, by at most %d days" % MAX_WINDOW_DAYS)
    state = {
        "zone": out_zone,
        "zones": {},
        "warnings": [],
        "work": 0,
        "lower": begin.replace(tzinfo=None),
        "upper": finish.replace(tzinfo=None),
    }

    events = read_components(ics)
    replaced = {}
    for event in events:
        if "RECURRENCE-ID" in event and "UID" in event:
            parameters, value = event["RECURRENCE-ID"][0]
            if "RANGE" in parameters:
                warn(state, "a change of all later occurrences (RANGE) is applied to one occurrence alone")
            try:
                moment = instant(*read_time(state, parameters, value))
                replaced.setdefault(event["UID"][0][1], set()).add(moment)
            except (ValueError, OverflowError) as error:
                warn(state, "RECURRENCE-ID: %s" % error)

    found = []
    for event in events:
        uid = event["UID"][0][1] if "UID" in event else None
        try:
            if "DTSTART" not in event:
                raise ValueError("it has no DTSTART")
            for occurrence in event_instances(state, event, replaced.get(uid, set())):
                (first, last), answer = describe(event, *occurrence, out_zone)
                if first < finish and (last > begin or first == last == begin):
                    found.append((first, answer["summary"] or "", answer["uid"] or "", len(found), answer))
                    spend(state, WORK_PER_OCCURRENCE)
        except (ValueError, OverflowError) as error:
            warn(state, "event %r: %s" % ((uid or "without UID")[:60], error))
    found.sort(key=lambda item: item[:4])
    return {
        "events": [item[4] for item in found[:max_events]],
        "truncated": len(found) > max_events,
        "warnings": state["warnings"],
    }


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
