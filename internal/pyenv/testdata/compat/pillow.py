"""Pillow: a photo opened, turned, resized, drawn on and saved"""
# packages: pillow==11.0.0
# file: photo.png
import json
import sys

from PIL import Image, ImageDraw, ImageFilter, ImageFont

image = Image.open(json.load(sys.stdin)["file"])
assert image.size == (64, 48) and image.getpixel((0, 0)) == (0, 0, 0)
small = image.rotate(90, expand=True).resize((24, 32)).filter(ImageFilter.BLUR)
ImageDraw.Draw(small).text((1, 1), "x", fill="white", font=ImageFont.load_default())
for name in ("a.png", "a.jpg", "a.webp", "a.gif", "a.tiff"):
    small.save(name)
    assert Image.open(name).convert("RGB").size == (24, 32), name
