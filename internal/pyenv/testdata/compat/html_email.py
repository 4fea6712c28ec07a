"""html.parser, email: a page and a letter with an attachment"""
import email.message
import email.policy
import html.parser


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name == "href"]


links = Links()
links.feed("<p><a href='/x'>y</a></p>")
assert links.found == ["/x"]
letter = email.message.EmailMessage()
letter["Subject"] = "caf\u00e9"
letter.set_content("text")
letter.add_attachment(b"data", maintype="application", subtype="octet-stream", filename="a.bin")
again = email.message_from_bytes(letter.as_bytes(), policy=email.policy.default)
assert again["Subject"] == "caf\u00e9" and [p.get_filename() for p in again.iter_attachments()] == ["a.bin"]
