"""pandas: a CSV read, grouped, reshaped and written"""
# packages: pandas==2.2.3 numpy==2.1.3 python-dateutil==2.9.0.post0 pytz==2024.2 tzdata==2024.2 six==1.16.0
# file: rows.csv
import json
import sys

import pandas as pd

frame = pd.read_csv(json.load(sys.stdin)["file"], parse_dates=["day"])
assert frame.groupby("city")["degrees"].mean().to_dict() == {"Bern": -0.625, "Kyiv": -5.0}
wide = frame.pivot(index="day", columns="city", values="degrees")
assert wide.shape == (2, 2) and wide.index.tz_localize("Europe/Berlin")[0].utcoffset().total_seconds() == 3600
wide.to_csv("wide.csv")
assert pd.read_csv("wide.csv").columns.tolist() == ["day", "Bern", "Kyiv"]
