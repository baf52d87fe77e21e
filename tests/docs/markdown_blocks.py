"""Reads a Markdown page: its fenced blocks, and the marks in HTML comments that tell docs_commands.py how to run them.

Pure: text in, a Page out. Whatever is wrong with the page itself (a block without a language, a mark nobody knows, a
reason that is missing) is in `faults`, each with its line. The marks are described in docs_commands.py.
"""
import re
import shlex
from dataclasses import dataclass, field

SHELLS = {"sh", "bash", "console", "powershell"}  # the last has to say why it is not run
# How a command looks that hides in a block of another language, where nobody would run it.
COMMAND = re.compile(r"^\s*(\$ |eilbote (?!ready on)|curl |psql |\./dev )")
# A line of a block of settings (`ini`); its comment is not part of the value.
SETTING = re.compile(r"^((?:EILBOTE|DISPATCH)_\w+)=(.*?)(\s+#.*)?$")
REASON_WORDS_MIN = 3


@dataclass
class Block:
    line: int
    language: str
    lines: list
    before: str = ""           # commands that prepare it, from its mark
    not_run: str = ""          # the reason; empty: it is run
    serves: bool = False       # its last command goes on until it is told to stop
    status: int = 0            # curl must be answered with this one
    exit_code: int = 0         # its last command must end with this one
    until: str = ""            # repeated until it prints this
    prints: list = field(default_factory=list)

    def is_settings(self):
        return self.language == "ini" and all(SETTING.match(line) for line in self.lines if line.strip())

    def commands(self):
        """What is run: of settings, whether the program takes them together."""
        if self.is_settings():
            settings = [SETTING.match(line).group(1, 2) for line in self.lines if line.strip()]
            return " ".join(["env", *(f"{name}={shlex.quote(value)}" for name, value in settings), "eilbote config > /dev/null"])
        if self.language != "console":
            return "\n".join(self.lines)
        return "\n".join(line[2:] for line in self.lines if line.startswith(("$ ", "> ")))

    def expected(self):
        """Lines its output must hold; in a console block these are the ones between the commands."""
        if self.language != "console":
            return self.prints
        shown = [line for line in self.lines if line.strip() and not line.startswith(("$ ", "> "))]
        return self.prints + shown


@dataclass
class Page:
    path: str
    blocks: list = field(default_factory=list)      # the shell blocks, in order
    server: list = field(default_factory=list)      # ["sqlite" or "postgres", "NAME=VALUE"...]; empty: none
    postgres: bool = False
    endpoint: int = 0                               # ports of what the page's commands talk to
    relay: int = 0
    faults: list = field(default_factory=list)      # "PATH:LINE: what"

    def fault(self, line, what):
        self.faults.append(f"{self.path}:{line}: {what}")


def set_page_mark(page, word, rest, line):
    """True when the mark is about the whole page."""
    if word == "server":
        kinds = rest.split()
        if kinds[:1] not in (["sqlite"], ["postgres"]) or not all("=" in one for one in kinds[1:]):
            page.fault(line, "`server` takes sqlite or postgres, then NAME=VALUE")
        page.server = kinds
        page.postgres = page.postgres or kinds[:1] == ["postgres"]
    elif word == "postgres":
        page.postgres = True
    elif word in ("endpoint", "relay") and rest.isdigit():
        setattr(page, word, int(rest))
    else:
        return False
    return True


def set_block_mark(page, block, mark, line):
    word, _, rest = mark.partition(":") if mark.startswith("none") else mark.partition(" ")
    word, rest = word.strip(), rest.strip()
    if word == "none":
        if len(rest.split()) < REASON_WORDS_MIN:
            page.fault(line, "a block that is not run needs a reason: <!-- test: none: why not -->")
        block.not_run = rest or "?"
    elif word == "serves" and not rest:
        block.serves = True
    elif word == "answers" and rest.isdigit():
        block.status = int(rest)
    elif word == "exits" and rest.isdigit():
        block.exit_code = int(rest)
    elif word == "until" and rest:
        block.until = rest
    elif word == "prints" and rest:
        block.prints.append(rest)
    else:
        page.fault(line, f"no mark `{mark}`: see tests/docs/docs_commands.py")


class Reader:
    """One walk over the lines; marks wait in `pending` for the block they stand before."""

    def __init__(self, page, text):
        self.page, self.lines, self.at, self.pending = page, text.splitlines(), 0, []

    def read(self):
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.lstrip().startswith("<!-- test:"):
                self.read_mark()
            elif line.lstrip().startswith("```"):
                self.read_block()
            elif line.strip():
                self.no_block_follows()
            self.at += 1
        self.no_block_follows()

    def no_block_follows(self):
        for _, line in self.pending:
            self.page.fault(line, "this mark belongs right before a shell block")
        self.pending = []

    def read_mark(self):
        first = self.at
        while "-->" not in self.lines[self.at]:
            self.at += 1
            if self.at == len(self.lines):
                self.page.fault(first + 1, "a comment that does not end")
                return
        text = "\n".join(self.lines[first:self.at + 1]).lstrip().removeprefix("<!-- test:")
        mark = text[:text.index("-->")].strip()
        word, _, rest = mark.partition(" ")
        if not set_page_mark(self.page, word, rest.strip(), first + 1):
            self.pending.append((mark, first + 1))

    def read_block(self):
        first = self.at
        indent = len(self.lines[first]) - len(self.lines[first].lstrip())
        words = self.lines[first].strip().strip("`").split()
        body = []
        self.at += 1
        while self.at < len(self.lines) and self.lines[self.at].strip() != "```":
            body.append(self.lines[self.at][indent:])
            self.at += 1
        block = Block(first + 1, words[0] if words else "", body)
        if block.language in SHELLS or block.is_settings():
            self.take_marks(block)
            self.page.blocks.append(block)
            return
        self.no_block_follows()
        if not block.language:
            self.page.fault(block.line, "a block without a language: sh when it is run, text, ini, json.. else")
        elif any(COMMAND.match(one) for one in body) and block.language not in ("python", "js", "ts"):
            self.page.fault(block.line, f"a command in a block of `{block.language}`: make it sh, so that it is run")

    def take_marks(self, block):
        for mark, line in self.pending:
            if mark.startswith("before"):
                block.before += mark.removeprefix("before").strip() + "\n"
            else:
                set_block_mark(self.page, block, mark, line)
        self.pending = []


def read_page(path, text):
    page = Page(path)
    Reader(page, text).read()
    return page
