"""PP-OCR's pipeline on ONNX Runtime: from the pixels of a page to its lines.

Written apart from apps/ocr, from the same description (README there): the two share no code but the
bilinear scaling, which ort_lines.py has in integers too.
"""
import dataclasses
import math

import numpy as np
import onnxruntime
from PIL import Image

import ort_lines

SIDE = 640
WIDTHS = (320, 640, 1280)
MODELS = {"det": "ch_PP-OCRv4_det_infer.onnx", "rec": "ch_PP-OCRv4_rec_infer.onnx",
          "cls": "ch_ppocr_mobile_v2.0_cls_infer.onnx"}


class Networks:
    """The three models as functions of one array."""

    def __init__(self, folder):
        self.sessions = {
            name: onnxruntime.InferenceSession(str(folder / file), providers=["CPUExecutionProvider"])
            for name, file in MODELS.items()}
        self.characters = ort_lines.characters(self.sessions["rec"])

    def __call__(self, name, x):
        return self.sessions[name].run(None, {"x": x.astype(np.float32)})[0]


@dataclasses.dataclass
class Line:
    text: str
    score: float
    corners: np.ndarray  # [4,2] x,y


def load(path):
    return np.asarray(Image.open(path).convert("RGB"))[:, :, ::-1]


def block_means(page, factor):
    height, width = (-(-n // factor) for n in page.shape[:2])
    padded = np.full((height * factor, width * factor, 3), np.nan)
    padded[:page.shape[0], :page.shape[1]] = page
    means = np.nanmean(padded.reshape(height, factor, width, factor, 3), axis=(1, 3))
    return np.floor(means + 0.5).astype(np.uint8)


def detector_input(page):
    """[1,3,640,640] and the pixels of the page per column and row of it."""
    factor = max(1, max(page.shape[:2]) // SIDE)
    small = block_means(page, factor)
    scale = min(1.0, SIDE / max(small.shape[:2]))
    height, width = (max(1, round(n * scale)) for n in small.shape[:2])
    scaled = ort_lines.resize(small, height, width) / 255.0
    x = np.zeros((1, 3, SIDE, SIDE))
    x[0, :, :height, :width] = ((scaled - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]).transpose(
        2, 0, 1)
    per_pixel = np.array([small.shape[1] * factor / width, small.shape[0] * factor / height])
    return x, per_pixel


def runs_of(row):
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist()))


def areas(mask):
    """Lists of corner points, one for each area connected by edges or corners (runs and union-find)."""
    parent, runs, above = [], [], []

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i

    for y, row in enumerate(mask):
        here = []
        for begin, end in runs_of(row):
            number = len(runs)
            runs.append((y, begin, end))
            parent.append(number)
            here.append(number)
            for other in above:
                if runs[other][1] <= end and begin <= runs[other][2]:
                    parent[root(other)] = root(number)
        above = here
    groups = {}
    for number, (y, begin, end) in enumerate(runs):
        groups.setdefault(root(number), []).extend(
            [(begin, y), (begin, y + 1), (end, y), (end, y + 1)])
    return [np.unique(np.array(points, float), axis=0) for points in groups.values()]


def hull(points):
    """Quickhull; corners in order around it."""
    def beyond(a, b, candidates):
        side = (b[0] - a[0]) * (candidates[:, 1] - a[1]) - (b[1] - a[1]) * (candidates[:, 0] - a[0])
        outside = candidates[side > 1e-9]
        if len(outside) == 0:
            return [a]
        far = candidates[side.argmax()]
        return beyond(a, far, outside) + beyond(far, b, outside)

    first, last = points[np.lexsort(points.T[::-1])[[0, -1]]]
    return np.array(beyond(first, last, points) + beyond(last, first, points))


@dataclasses.dataclass
class Box:
    centre: np.ndarray
    angle: float  # of the way in which it is read
    width: float
    height: float

    def axes(self):
        right = np.array([math.cos(self.angle), math.sin(self.angle)])
        return right, np.array([-right[1], right[0]])

    def at(self, u, v):
        """Points of the page; u and v in pixels from where the text begins."""
        right, down = self.axes()
        return (self.centre + (np.asarray(u) - self.width / 2)[..., None] * right
                + (np.asarray(v) - self.height / 2)[..., None] * down)

    def corners(self):
        w, h = self.width, self.height
        return self.at(np.array([0, w, w, 0]), np.array([0, 0, h, h]))


def least_box(points):
    corners = hull(points)
    edges = np.roll(corners, -1, axis=0) - corners
    best = None
    for angle in {0.0, *np.arctan2(edges[:, 1], edges[:, 0]) % (math.pi / 2)}:
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        local = corners @ turn
        low, high = local.min(axis=0), local.max(axis=0)
        size = high - low
        if best is None or size.prod() < best.width * best.height - 1e-9:
            best = Box(turn @ ((low + high) / 2), angle, *size)
    if best.angle > math.pi / 4:
        best = Box(best.centre, best.angle - math.pi / 2, best.height, best.width)
    return best


def mean_inside(probability, box):
    ys, xs = np.mgrid[:probability.shape[0], :probability.shape[1]] + 0.5
    right, down = box.axes()
    x, y = xs - box.centre[0], ys - box.centre[1]
    inside = ((np.abs(x * right[0] + y * right[1]) <= box.width / 2)
              & (np.abs(x * down[0] + y * down[1]) <= box.height / 2))
    return probability[inside].mean() if inside.any() else 0.0


def boxes_of(probability):
    for points in areas(probability > 0.3):
        box = least_box(points)
        if min(box.width, box.height) < 3 or mean_inside(probability, box) < 0.5:
            continue
        grow = box.width * box.height * 1.6 / (box.width + box.height)  # both sides
        box = Box(box.centre, box.angle, box.width + grow, box.height + grow)
        if box.height >= 1.5 * box.width:
            box = Box(box.centre, box.angle + math.pi / 2, box.height, box.width)
        yield box


def sample(page, points):
    x = np.clip(points[..., 0] - 0.5, 0, page.shape[1] - 1)
    y = np.clip(points[..., 1] - 0.5, 0, page.shape[0] - 1)
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    right, bottom = np.minimum(left + 1, page.shape[1] - 1), np.minimum(top + 1, page.shape[0] - 1)
    wx, wy = (x - left)[..., None], (y - top)[..., None]
    return ((page[top, left] * (1 - wx) + page[top, right] * wx) * (1 - wy)
            + (page[bottom, left] * (1 - wx) + page[bottom, right] * wx) * wy)


def natural_width(box):
    return max(1, math.ceil(48 * box.width / box.height))


def line_input(page, box, width):
    """[1,3,48,width]: cut out, upright, normalised to [-1,1], zeros on the right."""
    used = min(width, natural_width(box))
    fine_x = min(8, max(1, math.ceil(box.width / used)))
    fine_y = min(8, max(1, math.ceil(box.height / 48)))
    u = (np.arange(used * fine_x) + 0.5) * box.width / (used * fine_x)
    v = (np.arange(48 * fine_y) + 0.5) * box.height / (48 * fine_y)
    fine = sample(page, box.at(*np.meshgrid(u, v)))
    line = np.floor(fine.reshape(48, fine_y, used, fine_x, 3).mean(axis=(1, 3)) + 0.5)
    x = np.zeros((1, 3, 48, width))
    x[0, :, :, :used] = (line / 255 * 2 - 1).transpose(2, 0, 1)
    return x


def read(networks, page):
    """The lines of a page, in no particular order."""
    x, per_pixel = detector_input(page)
    lines = []
    for box in boxes_of(networks("det", x)[0, 0]):
        scale = math.sqrt(per_pixel.prod())
        box = Box(box.centre * per_pixel, box.angle, box.width * scale, box.height * scale)
        middle = Box(box.centre, box.angle, min(box.width, 4 * box.height), box.height)
        if networks("cls", line_input(page, middle, 192))[0, 1] > 0.9:
            box = Box(box.centre, box.angle + math.pi, box.width, box.height)
        width = next((w for w in WIDTHS if natural_width(box) <= w), WIDTHS[-1])
        probabilities = networks("rec", line_input(page, box, width))[0]
        text, score = ort_lines.decode(probabilities, networks.characters)
        if score >= 0.5:
            lines.append(Line(text, score, box.corners()))
    return lines
