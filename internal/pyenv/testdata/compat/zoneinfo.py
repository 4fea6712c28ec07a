"""zoneinfo: time zones of the world"""
from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

summer = datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin"))
assert summer.utcoffset().total_seconds() == 7200
assert datetime(2026, 1, 1, tzinfo=ZoneInfo("America/New_York")).utcoffset().total_seconds() == -18000
assert len(available_timezones()) > 300
