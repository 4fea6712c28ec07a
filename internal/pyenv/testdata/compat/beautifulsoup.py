"""Beautiful Soup: links and cells of a page"""
# packages: beautifulsoup4==4.12.3 soupsieve==2.6
# file: page.html
import json
import sys

from bs4 import BeautifulSoup

with open(json.load(sys.stdin)["file"], encoding="utf-8") as f:
    soup = BeautifulSoup(f, "html.parser")
assert soup.title.string == "Stock" and soup.select("#t td")[2].get_text() == "caf\u00e9"
assert [a["href"] for a in soup.find_all("a")] == ["/next?a=1&b=2"]
