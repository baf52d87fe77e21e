"""The result of a run as an SVG file (--svg): what each figure is of its target, and the contestants side by side. Readable on light and on
dark pages, with no colour that says anything the text beside it does not."""
from xml.sax.saxutils import escape

from report import NOISE, is_less_better, shown

WIDTH, NAME, BAR, ROW, MARGIN = 1040, 510, 330, 22, 24
MOST = 2.0  # times the target: what is longer is cut
STYLE = """
  svg { font: 12px system-ui, sans-serif; --page: #ffffff; --text: #1f2328; --faint: #59636e; --bar: #2f6fb5;
        --other: #8a94a0; --missed: #b4540a; }
  @media (prefers-color-scheme: dark) {
    svg { --page: #0f1419; --text: #e6e9ed; --faint: #9aa4af; --bar: #5b9bdc; --other: #6f7a86; --missed: #e0904a; } }
  .page { fill: var(--page); } text { fill: var(--text); } .faint { fill: var(--faint); } .line { stroke: var(--text); }
  .bar { fill: var(--bar); } .other { fill: var(--other); } .missed { fill: var(--missed); } .title { font-size: 15px; }"""


class Page:
    """Rows from top to bottom."""

    def __init__(self):
        self.parts, self.y = [], MARGIN

    def text(self, x, text, kind="", anchor="start"):
        self.parts.append(f'<text x="{x}" y="{self.y}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>')

    def bar(self, name, length, kind, said):
        """One row: a name, a bar of `length` (0 to 1 of the room), and what it says."""
        self.y += ROW
        self.text(MARGIN, name)
        width = max(1.5, min(length, 1) * BAR)
        self.parts.append(f'<rect x="{NAME}" y="{self.y - 11}" width="{width:.1f}" height="14" rx="2" class="{kind}"/>')
        self.text(NAME + width + 6, said, "faint")

    def heading(self, text):
        self.y += 2 * ROW
        self.text(MARGIN, text)

    def line(self, x, top, bottom):
        self.parts.append(f'<line x1="{x}" x2="{x}" y1="{top}" y2="{bottom}" class="line" stroke-dasharray="3 3"/>')

    def svg(self):
        height = self.y + MARGIN
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">'
                f"<title>Eilbote, measured</title><style>{STYLE}</style>"
                f'<rect class="page" width="{WIDTH}" height="{height}"/>{"".join(self.parts)}</svg>\n')


def of_target(one):
    """1: just met. What is to be small counts the other way round; a target of nothing is met or missed."""
    value, target = one["value"], one["target"]
    if is_less_better(one):
        return MOST if value == 0 else target / value
    return value / target if target else MOST


def svg(result):
    page, machine = Page(), result["machine"]
    page.text(MARGIN, "Eilbote, measured" + (" (quick: not what the targets are for)" if result["quick"] else ""), "title")
    page.y += ROW
    taken = f"{result['at']}: {machine['cores']} cores, {machine['postgres']}; median of {result['rounds']}"
    page.text(MARGIN, taken + noise(machine), "faint")
    page.heading("Of its target (the dashed line is the target; longer is better)")
    top = page.y + 6
    for one in result["figures"]:
        said = f"{shown(one, 'value')} of {shown(one, 'target')}" + ("" if one["met"] else ", missed")
        page.bar(f"{one['figure']}  {one['name']}", of_target(one) / MOST, "bar" if one["met"] else "missed", said)
    page.line(NAME + BAR / MOST, top, page.y + 6)
    for one in result["figures"]:
        if len(one.get("contestants", {})) > 1:
            contestants(page, one)
    return page.svg()


def noise(machine):
    others = max(machine["coresBusyBefore"], machine["coresBusyAfter"])
    return f"; NOISY: other programs kept up to {others} cores busy" if others > NOISE else ""


def contestants(page, one):
    """By what the figure is about: the p99 where there is one, else how many per second."""
    key, unit = ("p99", "ms, shorter is better") if one["unit"] == "ms" else ("perSecond", "per second, longer is better")
    page.heading(f"{one['figure']}  {one['name'].split(' ÷ ')[0]} ({unit})")
    most = max(row[key] for row in one["contestants"].values())
    for n, (name, row) in enumerate(one["contestants"].items()):
        page.bar(name, row[key] / most if most else 0, "other" if n else "bar",
                 f"{row[key]:,.1f}; CPU {row['cpuMicrosSum']:,.0f} µs each")
