"""The suite's picture, a plain SVG: one panel a thread count, one row of bars a network.

Bars are times relative to the fastest peer's, so that every network has one scale: frit's bar ends
left of the line at 1 where frit is fastest. The label of each bar is its time in milliseconds.
"""
from dataclasses import dataclass
from html import escape

# Okabe and Ito's colours, told apart by colour-blind eyes; every bar is labelled in text too.
COLOURS = ["#d55e00", "#56b4e9", "#009e73", "#999999"]
LEFT, RIGHT, WIDTH = 150, 110, 900  # names; ratio; whole picture
BAR, GAP, TOP, HEAD = 11, 10, 58, 52
MOST = 3.0  # bars longer than this many times the fastest peer are cut and marked


@dataclass
class Row:
    name: str
    times_ns: dict  # engine -> median
    ratio: float | None  # fastest peer / frit


@dataclass
class Panel:
    title: str
    note: str
    rows: list


def text(x, y, content, size=11, anchor="start", weight="normal", colour="#222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'font-weight="{weight}" fill="{colour}">{escape(content)}</text>')


def bar(x_of, y, share, colour, label):
    end = x_of(min(share, MOST))
    parts = [f'<rect x="{x_of(0):.1f}" y="{y}" width="{end - x_of(0):.1f}" height="{BAR - 2}" '
             f'fill="{colour}"/>']
    cut = f"  ({share:.1f}x)" if share > MOST else ""
    inside = share > MOST * 0.85
    parts.append(text(end - 4 if inside else end + 4, y + BAR - 3, label + cut, 9,
                      "end" if inside else "start", colour="#000"))
    return parts


def row_parts(row, names, y, x_of):
    peers = [time for name, time in row.times_ns.items() if name != "frit"]
    base = min(peers, default=row.times_ns.get("frit"))
    parts = [text(LEFT - 8, y + len(names) * BAR / 2 + 4, row.name, 12, "end", "bold")]
    for i, name in enumerate(names):
        at = y + i * BAR
        if name in row.times_ns and base:
            time = row.times_ns[name]
            parts += bar(x_of, at, time / base, COLOURS[i], f"{time / 1e6:.2f} ms")
        else:
            parts.append(text(x_of(0) + 4, at + BAR - 3, f"{name}: not timed", 9, colour="#666"))
    verdict = "-" if row.ratio is None else f"{row.ratio:.2f}x"
    colour = "#222" if row.ratio is None or row.ratio >= 1 else "#b00020"
    parts.append(text(WIDTH - 8, y + len(names) * BAR / 2 + 5, verdict, 15, "end", "bold", colour))
    return parts


def panel_parts(panel, names, top):
    def x_of(share):
        return LEFT + (WIDTH - LEFT - RIGHT) * share / MOST

    height = len(panel.rows) * (len(names) * BAR + GAP)
    parts = [text(8, top + 16, panel.title, 15, weight="bold"), text(8, top + 32, panel.note, 11)]
    parts.append(text(WIDTH - 8, top + HEAD - 6, "fastest peer / frit", 9, "end"))
    y = top + HEAD
    for share in (0.5, 1.0, 1.5, 2.0, 2.5, 3.0):
        strong = share == 1.0
        parts.append(f'<line x1="{x_of(share):.1f}" x2="{x_of(share):.1f}" y1="{y - 2}" '
                     f'y2="{y + height - GAP + 2}" stroke="{"#222" if strong else "#ccc"}" '
                     f'stroke-dasharray="{"none" if strong else "2 3"}"/>')
        parts.append(text(x_of(share), y - 6, f"{share:g}", 9, "middle"))
    for row in panel.rows:
        parts += row_parts(row, names, y, x_of)
        y += len(names) * BAR + GAP
    return parts, y + 14


def svg(panels, names):
    """The whole picture as text."""
    title = "Time of one inference relative to the fastest peer (shorter is faster)"
    parts = [text(8, 20, title, 16, weight="bold")]
    for i, name in enumerate(names):
        x = 8 + i * 130
        parts.append(f'<rect x="{x}" y="32" width="12" height="12" fill="{COLOURS[i]}"/>')
        parts.append(text(x + 17, 42, name, 12))
    y = TOP
    for panel in panels:
        made, y = panel_parts(panel, names, y)
        parts += made
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" '
            f'height="{y}" font-family="sans-serif">\n<title>{title}</title>\n'
            f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")
