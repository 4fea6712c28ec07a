"""lxml: a page of bad HTML read, XPath, XSLT, no files from entities"""
# packages: lxml==5.3.0
# file: page.html
import json
import sys

import lxml.etree
import lxml.html

page = lxml.html.parse(json.load(sys.stdin)["file"]).getroot()
assert page.xpath("//table[@id='t']//td[1]/text()")[-1] == "caf\u00e9"
assert page.xpath("//a/@href") == ["/next?a=1&b=2"]
style = lxml.etree.XSLT(lxml.etree.XML("<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:template match='/'><n><xsl:value-of select='count(//td)'/></n></xsl:template></xsl:stylesheet>"))
assert style(page).getroot().text == "4"
