"""Renders the pages of this folder, NAME.png, and beside each the text on it, NAME.txt, a line for
each line of text in reading order.

usage: render.py [FOLDER]
Only for making the pages anew; they are committed. Needs Pillow and the Debian packages
fonts-dejavu-core fonts-liberation fonts-wqy-microhei fonts-wqy-zenhei. The same fonts and Pillow
give the same bytes. tests/oracle/ocr_pages_test.py tells whether each is read right.
"""
import pathlib
import sys

from PIL import Image, ImageDraw, ImageFont

FONTS = pathlib.Path("/usr/share/fonts/truetype")
SANS, BOLD = "liberation/LiberationSans-Regular.ttf", "liberation/LiberationSans-Bold.ttf"
SERIF, MONO = "liberation/LiberationSerif-Regular.ttf", "liberation/LiberationMono-Regular.ttf"
DEJAVU, HEI, ZEN = "dejavu/DejaVuSans.ttf", "wqy/wqy-microhei.ttc", "wqy/wqy-zenhei.ttc"
BLACK, WHITE, CREAM, NAVY = (0, 0, 0), (255, 255, 255), (250, 244, 228), (20, 30, 90)
SLATE, AMBER, GREEN, RED = (38, 44, 52), (255, 196, 60), (20, 92, 48), (160, 24, 24)
SNOW, SKY = (235, 238, 240), (130, 190, 240)


class Page:
    """A page that is drawn line by line; `expected` is what is to be read, in order."""

    def __init__(self, width, height, paper=WHITE):
        self.picture = Image.new("RGB", (width, height), paper)
        self.expected = []

    def line(self, x, y, text, font=SANS, size=24, ink=BLACK, turned=False):
        """The text with its left end and top at (x,y); turned by 180 degrees in its place."""
        face = ImageFont.truetype(FONTS / font, size)
        if turned:
            box = face.getbbox(text)
            margin = 4
            cell = (box[2] - box[0] + 2 * margin, box[3] - box[1] + 2 * margin)
            paper = self.picture.getpixel((x, y))
            patch = Image.new("RGB", cell, paper)
            ImageDraw.Draw(patch).text((margin - box[0], margin - box[1]), text, font=face, fill=ink)
            self.picture.paste(patch.rotate(180), (x, y))
        else:
            ImageDraw.Draw(self.picture).text((x, y), text, font=face, fill=ink)
        self.expected.append(text)

    def lines(self, x, y, step, texts, **style):
        for i, text in enumerate(texts):
            self.line(x, y + i * step, text, **style)

    def rotate(self, degrees):
        """Counter-clockwise; the corners are filled with the paper of the top left pixel."""
        self.picture = self.picture.rotate(degrees, Image.Resampling.BICUBIC, expand=True,
                                           fillcolor=self.picture.getpixel((0, 0)))


def english():
    page = Page(640, 600)
    page.line(40, 30, "Melting Glass in a Kiln", font=BOLD, size=40)
    page.line(40, 96, "Notes from the workshop, part 3", font=SERIF, size=26, ink=NAVY)
    page.lines(40, 150, 36, [
        "Pieces of glass that are laid side by side",
        "become one sheet when the kiln is hot enough.",
        "Below that heat they only stick together,",
        "and a sharp edge can still be felt.",
        "Above it the sheet grows thin and round.",
    ], font=SERIF, size=28)
    page.lines(40, 360, 32, [
        "Heat slowly: 150 degrees an hour up to 540.",
        "Then as fast as the kiln can, up to 800.",
        "Hold for ten minutes and look through the hole.",
    ], font=SANS, size=22)
    page.lines(40, 480, 28, [
        "Every kiln differs; keep a diary of each firing.",
        "Small print, set in DejaVu Sans at 16 pixels.",
    ], font=DEJAVU, size=16, ink=SLATE)
    return page


def chinese():
    page = Page(640, 640, CREAM)
    page.line(200, 30, "春天的早晨", font=ZEN, size=48, ink=RED)
    page.lines(50, 120, 52, [
        "今天早上下了一场小雨，空气很清新。",
        "我和朋友一起去公园散步，看见许多花。",
        "孩子们在草地上跑来跑去，笑声不断。",
        "老人坐在树下喝茶，谈论天气和新闻。",
    ], font=HEI, size=30)
    page.lines(50, 350, 42, [
        "公园里有一条小河，河水很清，可以看见鱼。",
        "中午我们在路边的小店吃了一碗面条。",
        "下午三点坐地铁回家，路上用了四十分钟。",
    ], font=ZEN, size=24, ink=NAVY)
    page.line(50, 520, "电话：010-62781234", font=HEI, size=28)
    page.line(50, 570, "北京市海淀区", font=HEI, size=20, ink=SLATE)
    return page


def columns():
    page = Page(960, 640)
    page.line(60, 28, "The Evening Paper", font=BOLD, size=52)
    page.lines(60, 130, 40, [
        "The bridge over the river",
        "was opened on Monday by",
        "the mayor of the city. It is",
        "four hundred metres long",
        "and took six years to build.",
        "Buses may use it from June.",
    ], font=SERIF, size=32)
    page.lines(520, 142, 40, [
        "A train was late because",
        "a herd of sheep stood on",
        "the tracks near a village.",
        "Nobody was hurt, and the",
        "farmer brought hot tea for",
        "the passengers who waited.",
    ], font=SERIF, size=32)
    page.line(60, 540, "Weather: sunny, 21 degrees, wind from the west", font=SANS, size=34, ink=NAVY)
    return page


def rotated():
    page = Page(620, 420)
    page.line(40, 40, "Scanned a little askew", font=BOLD, size=38)
    page.lines(40, 120, 48, [
        "This sheet was not straight",
        "when it lay in the scanner.",
        "The lines rise to the right,",
        "but they can be read all the same.",
    ], font=SANS, size=32)
    page.line(40, 340, "Page 17 of 240", font=MONO, size=28)
    page.rotate(4)
    return page


def askew():
    page = Page(620, 420, SNOW)
    page.lines(40, 50, 60, [
        "Here they fall to the right",
        "by five degrees, no more.",
        "明天上午九点开会",
        "Room 305, second floor",
        "Bring the blue folder",
    ], font=HEI, size=36, ink=NAVY)
    page.rotate(-5)
    return page


def upside_down():
    page = Page(640, 420)
    page.line(40, 40, "This line stands upright", font=SANS, size=34)
    page.line(40, 110, "and this one on its head", font=SANS, size=34, turned=True)
    page.line(40, 180, "Another upright line", font=SERIF, size=34)
    page.line(40, 250, "Turn the page around", font=BOLD, size=36, ink=RED, turned=True)
    page.line(40, 330, "The end of the puzzle", font=SERIF, size=34)
    return page


def dark():
    page = Page(720, 480, SLATE)
    page.line(40, 36, "Build finished", font=BOLD, size=44, ink=AMBER)
    page.lines(40, 120, 46, [
        "compiled 67 kernels in 2.6 seconds",
        "linked the library and the header",
        "tests: 412 passed, none failed",
    ], font=MONO, size=28, ink=SNOW)
    page.line(40, 280, "warning: two files were skipped", font=MONO, size=28, ink=SKY)
    page.line(40, 340, "夜间模式已开启", font=HEI, size=36, ink=WHITE)
    page.line(40, 410, "Press any key to continue", font=DEJAVU, size=28, ink=AMBER)
    return page


def receipt():
    page = Page(420, 780)
    page.line(90, 24, "CORNER SHOP", font=BOLD, size=34)
    page.line(110, 70, "12 Station Road", font=SANS, size=26)
    page.line(40, 120, "2024-11-30 18:42", font=MONO, size=26)
    goods = [("Bread", "2.40"), ("Milk", "1.15"), ("Apples", "3.60"), ("Coffee", "7.99"),
             ("Cheese", "5.25"), ("Soap", "1.80")]
    for i, (name, price) in enumerate(goods):
        page.line(40, 190 + 52 * i, name, font=MONO, size=28)
        page.line(310, 190 + 52 * i, price, font=MONO, size=28)
    page.line(40, 530, "TOTAL", font=BOLD, size=36)
    page.line(290, 530, "22.19", font=BOLD, size=36)
    page.line(40, 590, "Card number 4821", font=SANS, size=30)
    page.line(40, 640, "VAT 19% included", font=SANS, size=30)
    page.line(90, 710, "Thank you!", font=SANS, size=32)
    return page


def poster():
    """Larger than the detector's input by 2.5."""
    page = Page(1600, 1200, (250, 250, 246))
    page.line(120, 120, "Summer Concert", font=BOLD, size=110, ink=RED)
    page.line(120, 320, "Saturday, 14 June 2025, 19:30", font=SANS, size=76)
    page.line(120, 460, "夏季音乐会", font=ZEN, size=130, ink=NAVY)
    page.line(120, 680, "Music for strings and two pianos", font=SERIF, size=72)
    page.line(120, 800, "Town Hall, main entrance", font=SERIF, size=72)
    page.line(120, 960, "Tickets: 15 and 25 euros", font=SANS, size=64, ink=GREEN)
    page.line(120, 1070, "Children under twelve pay nothing", font=SANS, size=48)
    return page


def sideways():
    """The whole page turned by a quarter: its lines run down."""
    page = Page(640, 420)
    page.lines(40, 40, 64, [
        "A page on its side",
        "reads from top to bottom",
        "until someone turns it",
        "Table 4: prices in 2024",
        "最后一行文字",
    ], font=HEI, size=36)
    page.picture = page.picture.rotate(-90, expand=True)
    return page


def letter():
    """Small print on a page 2.7 times as high as the detector's input: lines up to 28 times as wide
    as high, which PP-OCR's classifier of turned lines gets wrong when they are squeezed."""
    page = Page(1240, 1754)
    text = [
        "Dear Ms Walker, thank you for your letter of the third of March, which reached us yesterday.",
        "We have looked into the matter of the broken window and know that it must be replaced soon.",
        "The workshop will send two people on Thursday morning between eight and ten o'clock to measure.",
        "If nobody can be at home then, please leave the key with the neighbours on the second floor.",
    ]
    page.lines(110, 200, 44, text, size=25, font=SERIF)
    page.lines(110, 500, 44, text, size=25, font=SANS)
    page.lines(110, 800, 36, text, size=21, font=DEJAVU)
    return page


PAGES = [english, chinese, columns, rotated, askew, upside_down, dark, receipt, poster, sideways,
         letter]


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    for make in PAGES:
        page = make()
        page.picture.quantize(16).save(folder / f"{make.__name__}.png", optimize=True)
        text = "".join(line + "\n" for line in page.expected)
        (folder / f"{make.__name__}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
