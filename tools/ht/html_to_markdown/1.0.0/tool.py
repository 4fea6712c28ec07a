# ---
# name: html_to_markdown
# version: 1.0.0
# description: Convert an HTML page or fragment to clean Markdown without scripts, styles and hidden elements, and return it with the title of the page.
# inputs:
#   - name: html
#     type: string
#     description: The HTML text.
#     required: true
#     tainted_ok: true
#   - name: base_url
#     type: string
#     description: Address of the page, used to make relative links absolute, empty to leave them as they are.
#     required: false
#     default: ""
#     tainted_ok: true
#   - name: links
#     type: boolean
#     description: Whether links keep their addresses or only their text.
#     required: false
#     default: true
#   - name: main_only
#     type: boolean
#     description: Whether navigation, headers, footers and forms of the page are left out.
#     required: false
#     default: false
# outputs:
#   type: object
#   description: The title (null if the page has none) and the markdown text.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
#   packages: ["beautifulsoup4==4.13.4", "lxml==5.4.0", "markdownify==1.1.0"]
# external_auth: []
# x-tags: [html, markdown, web, convert]
# x-aliases: [html2md]
# x-examples:
#   - "Convert this web page to Markdown."
#   - "Give me the readable text of this HTML article with its links."
#   - "Turn the HTML table into a Markdown table."
# ---

import json
import re
import sys
import urllib.parse

import bs4
import markdownify

MAX_CHARS = 1_000_000
MAX_DEPTH = 200  # the converter recurses, about three frames a level
MAX_ELEMENTS = 100_000

NEVER_SHOWN = ("script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "head")
PAGE_FURNITURE = ("nav", "header", "footer", "aside", "form", "button")
LINK_SCHEMES = ("", "http", "https", "mailto", "tel")
IMAGE_SCHEMES = ("", "http", "https")
HIDING_STYLE = r"(?i)display\s*:\s*none|visibility\s*:\s*hidden"
CONTROL = r"[\x00-\x20\x7f]+"


def parse(html):
    """Return the document tree; refuses what is too large or too deep to convert."""
    if len(html) > MAX_CHARS:
        raise ValueError("html has %d characters, allowed are %d" % (len(html), MAX_CHARS))
    try:
        # The parser of the standard library knows no optional end tags (<li>, <p>)
        # and takes quadratic time on unclosed comments.
        soup = bs4.BeautifulSoup(html, "lxml")
    except (bs4.exceptions.ParserRejectedMarkup, ValueError) as error:
        raise ValueError("html cannot be parsed: %s" % error) from None
    count = 0
    waiting = [(soup, 0)]
    while waiting:
        element, depth = waiting.pop()
        count += 1
        if depth > MAX_DEPTH or count > MAX_ELEMENTS:
            raise ValueError("html is nested deeper than %d or has more than %d elements" % (MAX_DEPTH, MAX_ELEMENTS))
        waiting.extend((child, depth + 1) for child in element.children if isinstance(child, bs4.Tag))
    return soup


def is_hidden(tag):
    """Tell whether a person would not see the element."""
    return (
        tag.has_attr("hidden")
        or tag.get("aria-hidden") == "true"
        or re.search(HIDING_STYLE, str(tag.get("style", ""))) is not None
    )


def remove_unseen(soup, names):
    """Take out comments, the named elements and everything hidden."""
    for text in soup.find_all(string=lambda text: isinstance(text, bs4.element.PreformattedString)):
        text.extract()
    for tag in soup.find_all(lambda tag: tag.name in names or is_hidden(tag)):
        tag.extract()


def safe_address(address, base_url, schemes):
    """Return the absolute address, or None for one that is not of the allowed schemes."""
    try:
        # Browsers drop control characters, so "java\nscript:" is a scheme to them.
        joined = urllib.parse.urljoin(base_url, re.sub(CONTROL, "", address))
        scheme = urllib.parse.urlsplit(joined).scheme
    except ValueError:
        return None
    return joined if scheme.lower() in schemes else None


def rewrite_addresses(soup, base_url, links):
    """Make link and image addresses absolute; a link without a good one keeps only its text."""
    for tag in soup.find_all("a"):
        address = safe_address(str(tag.get("href", "")), base_url, LINK_SCHEMES) if links else None
        if address:
            tag["href"] = address
        else:
            tag.unwrap()
    for tag in soup.find_all("img"):
        address = safe_address(str(tag.get("src", "")), base_url, IMAGE_SCHEMES)
        if address:
            tag["src"] = address
        else:
            tag.replace_with(str(tag.get("alt", "")))


def tidy(markdown):
    """Drop trailing blanks and runs of empty lines outside of code blocks."""
    kept = []
    fenced = False
    for line in markdown.replace("\r\n", "\n").split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if not fenced:
            line = line.rstrip()
            if not line and kept and not kept[-1]:
                continue
        kept.append(line)
    return "\n".join(kept).strip("\n")


def main(html: str, base_url: str = "", links: bool = True, main_only: bool = False):
    soup = parse(html)
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    remove_unseen(soup, NEVER_SHOWN + PAGE_FURNITURE if main_only else NEVER_SHOWN)
    rewrite_addresses(soup, base_url, links)
    body = soup
    if main_only:
        body = soup.find("main") or soup.find("article") or soup
    markdown = markdownify.MarkdownConverter(
        heading_style=markdownify.ATX, bullets="-", newline_style=markdownify.BACKSLASH, table_infer_header=True
    ).convert_soup(body)
    return {"title": title or None, "markdown": tidy(markdown)}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
