"""Renders the text lines of this folder and lines.txt (file<TAB>text).

usage: render.py [FOLDER]
Only for making the pictures anew; they are committed. Needs Pillow and the Debian packages
fonts-dejavu-core fonts-liberation fonts-freefont-ttf fonts-roboto fonts-wqy-microhei fonts-wqy-zenhei.
tests/oracle/ort_lines.py then tells whether the recogniser reads each of them right.
"""
import pathlib
import sys

from PIL import Image, ImageDraw, ImageFont

FONTS = pathlib.Path("/usr/share/fonts/truetype")
BLACK, WHITE, CREAM, NAVY = (0, 0, 0), (255, 255, 255), (250, 244, 228), (20, 30, 90)
SLATE, AMBER, GREEN, RED = (38, 44, 52), (255, 196, 60), (20, 92, 48), (160, 24, 24)

# name, font, size in pixels, ink, paper, text
LINES = [
    ("greeting", "dejavu/DejaVuSans.ttf", 32, BLACK, WHITE, "Hello, world!"),
    ("pangram", "liberation/LiberationSerif-Regular.ttf", 30, BLACK, CREAM, "The quick brown fox jumps"),
    ("amount", "liberation/LiberationSans-Bold.ttf", 36, GREEN, WHITE, "Total: $1,234.56"),
    ("date", "liberation/LiberationMono-Regular.ttf", 28, NAVY, WHITE, "2024-11-30 12:45:07"),
    ("email", "roboto/unhinted/RobotoTTF/Roboto-Regular.ttf", 26, SLATE, WHITE, "info@example.com"),
    ("url", "dejavu/DejaVuSansMono.ttf", 22, BLACK, WHITE, "https://example.org/a?b=1"),
    ("sign", "freefont/FreeSansBold.ttf", 44, WHITE, RED, "NO PARKING"),
    ("terminal", "dejavu/DejaVuSansMono-Bold.ttf", 24, AMBER, SLATE, "make -j8 && ./run"),
    ("invoice", "freefont/FreeSerif.ttf", 34, BLACK, WHITE, "Invoice No. 80317/B"),
    ("phone", "roboto/unhinted/RobotoTTF/Roboto-Medium.ttf", 40, WHITE, NAVY, "+49 30 901820"),
    ("percent", "liberation/LiberationSansNarrow-Regular.ttf", 38, BLACK, CREAM, "Save 25% (today only)"),
    ("small", "dejavu/DejaVuSerif.ttf", 16, BLACK, WHITE, "Read me: size 16, serif"),
    ("italic", "liberation/LiberationSerif-Italic.ttf", 34, NAVY, CREAM, "Chapter 7: First light"),
    ("plate", "liberation/LiberationMono-Bold.ttf", 56, BLACK, AMBER, "KX-4821"),
    ("zh_hello", "wqy/wqy-microhei.ttc", 36, BLACK, WHITE, "你好，世界"),
    ("zh_exit", "wqy/wqy-zenhei.ttc", 40, WHITE, GREEN, "安全出口"),
    ("zh_mixed", "wqy/wqy-microhei.ttc", 30, SLATE, WHITE, "北京2024年11月30日"),
    ("zh_price", "wqy/wqy-zenhei.ttc", 28, RED, CREAM, "价格：128元"),
    ("long", "dejavu/DejaVuSansCondensed.ttf", 30, BLACK, WHITE, "One archive, one header"),
    ("digit", "freefont/FreeMonoBold.ttf", 36, BLACK, WHITE, "42"),
]


def render(font, size, ink, paper, text):
    face = ImageFont.truetype(FONTS / font, size)
    left, top, right, bottom = face.getbbox(text)
    margin = max(3, size // 6)
    picture = Image.new("RGB", (right - left + 2 * margin, bottom - top + 2 * margin), paper)
    ImageDraw.Draw(picture).text((margin - left, margin - top), text, font=face, fill=ink)
    return picture.quantize(32)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    rows = []
    for name, font, size, ink, paper, text in LINES:
        render(font, size, ink, paper, text).save(folder / f"{name}.png", optimize=True)
        rows.append(f"{name}.png\t{text}\n")
    (folder / "lines.txt").write_text("".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
