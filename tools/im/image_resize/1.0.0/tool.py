# ---
# name: image_resize
# version: 1.0.0
# description: Resize a PNG, JPEG, WebP or GIF image to fit into a width and height without distorting it and write the result to a new image file without its metadata.
# inputs:
#   - name: input_path
#     type: string
#     description: Path to the image to read.
#     required: true
#   - name: output_path
#     type: string
#     description: Path to the image to write, whose ending (png, jpg, jpeg, webp or gif) chooses the format.
#     required: true
#   - name: max_width
#     type: integer
#     description: Largest width in pixels, 0 for no limit.
#     required: false
#     default: 0
#   - name: max_height
#     type: integer
#     description: Largest height in pixels, 0 for no limit.
#     required: false
#     default: 0
#   - name: enlarge
#     type: boolean
#     description: Whether an image smaller than the limits is enlarged to them.
#     required: false
#     default: false
#   - name: quality
#     type: integer
#     description: Quality of JPEG and WebP output from 1 to 95.
#     required: false
#     default: 85
#   - name: overwrite
#     type: boolean
#     description: Whether an existing output file is replaced.
#     required: false
#     default: false
# outputs:
#   type: object
#   description: The path, format, width, height and size in bytes of the written file and the width and height of the original.
# capabilities:
#   network: false
#   filesystem: read-write
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
#   packages: ["pillow==11.3.0"]
# external_auth: []
# x-tags: [image, convert, file]
# x-aliases: [resize_image, thumbnail]
# x-examples:
#   - "Make a thumbnail of this photo at most 200 pixels wide."
#   - "Shrink screenshot.png to 1280 by 720 and save it as a JPEG."
#   - "Convert the picture to WebP at half of its size and strip the location data."
# ---

import io
import json
import os
import sys
import warnings

from PIL import Image, ImageOps

MAX_FILE_BYTES = 50_000_000
MAX_PIXELS = 50_000_000  # in and out; a small file can claim to be far larger
MAX_SIDE = 16_000

READ_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
WRITE_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP", ".gif": "GIF"}
OPAQUE = ("JPEG",)


def read_image(path):
    """Return the first frame, upright; the size is checked before any pixel is decoded."""
    try:
        size = os.path.getsize(path)
    except OSError as error:
        raise ValueError("cannot read %r: %s" % (path, error.strerror)) from None
    if size > MAX_FILE_BYTES:
        raise ValueError("the file has %d bytes, allowed are %d" % (size, MAX_FILE_BYTES))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(path, formats=READ_FORMATS)
            if image.width * image.height > MAX_PIXELS:
                raise Image.DecompressionBombError
            image.load()
        return ImageOps.exif_transpose(image)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise ValueError("the image has more than %d pixels" % MAX_PIXELS) from None
    except Image.UnidentifiedImageError:
        raise ValueError("%r is not a PNG, JPEG, WebP or GIF image" % path) from None
    except Exception as error:  # decoders of damaged files raise many kinds
        raise ValueError("cannot read the image %r: %s" % (path, error)) from None


def fitted_size(width, height, max_width, max_height, enlarge):
    """Return the largest size of the same proportions inside of the limits, in whole arithmetic."""
    limits = [(limit, side) for limit, side in ((max_width, width), (max_height, height)) if limit]
    # The tighter limit is the smaller fraction limit/side, compared by cross multiplication.
    limit, side = limits[0]
    for other_limit, other_side in limits[1:]:
        if other_limit * side < limit * other_side:
            limit, side = other_limit, other_side
    if limit >= side and not enlarge:
        return width, height
    return max(1, (width * limit + side // 2) // side), max(1, (height * limit + side // 2) // side)


def prepare_mode(image, file_format):
    """Return the image in a mode that resamples well and that the format can hold."""
    transparent = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
    if image.mode not in ("L", "RGB", "RGBA"):
        image = image.convert("RGBA" if transparent else "RGB")
    elif transparent and image.mode != "RGBA":
        image = image.convert("RGBA")
    if file_format in OPAQUE and image.mode == "RGBA":
        background = Image.new("RGB", image.size, "white")
        background.paste(image, mask=image.getchannel("A"))
        return background
    return image


def write_file(path, data, overwrite):
    """Write data; without overwrite a file that has content is left alone.

    An empty file counts as absent: a runtime that gives access to exactly one
    path has to make the file before the tool can be shown it.
    """
    try:
        with open(path, "ab") as file:
            if file.tell() > 0:
                if not overwrite:
                    raise ValueError("%r exists, set overwrite to replace it" % path)
                file.truncate(0)
            file.write(data)
    except OSError as error:
        raise ValueError("cannot write %r: %s" % (path, error.strerror)) from None


def main(
    input_path: str,
    output_path: str,
    max_width: int = 0,
    max_height: int = 0,
    enlarge: bool = False,
    quality: int = 85,
    overwrite: bool = False,
):
    file_format = WRITE_FORMATS.get(os.path.splitext(output_path)[1].lower())
    if file_format is None:
        raise ValueError("output_path must end in %s" % ", ".join(sorted(WRITE_FORMATS)))
    if not (0 <= max_width <= MAX_SIDE and 0 <= max_height <= MAX_SIDE) or not (max_width or max_height):
        raise ValueError("max_width and max_height must be from 0 to %d and not both 0" % MAX_SIDE)
    if not 1 <= quality <= 95:
        raise ValueError("quality must be from 1 to 95")

    image = read_image(input_path)
    original = image.size
    size = fitted_size(image.width, image.height, max_width, max_height, enlarge)
    if size[0] * size[1] > MAX_PIXELS or max(size) > MAX_SIDE:
        raise ValueError("the result would have %d by %d pixels" % size)
    profile = image.info.get("icc_profile")
    image = prepare_mode(image, file_format)
    if size != original:
        image = image.resize(size, Image.Resampling.LANCZOS)

    buffer = io.BytesIO()
    image.info.clear()  # metadata may tell where a photo was taken
    image.save(buffer, format=file_format, quality=quality, optimize=True, icc_profile=profile)
    data = buffer.getvalue()
    write_file(output_path, data, overwrite)
    return {
        "path": output_path,
        "format": file_format,
        "width": image.width,
        "height": image.height,
        "bytes": len(data),
        "original_width": original[0],
        "original_height": original[1],
    }


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), allow_nan=False))
