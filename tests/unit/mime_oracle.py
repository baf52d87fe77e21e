"""Reads messages back with Python's email package and compares them with what was meant.

Called by mime_oracle_test.cpp with a folder: NAME.eml is what Eilbote wrote, NAME.json what it should say.
Prints every difference; the exit code is 1 when there was one.
"""
import base64
import email
import email.errors
import email.policy
import json
import pathlib
import quopri
import re
import sys

ENCODED_WORD = re.compile(r"=\?UTF-8\?([QB])\?([^?]*)\?=")


def lines_faults(raw, utf8):
    """The rules every message keeps, whatever is in it."""
    if not raw.endswith(b"\r\n"):
        yield "does not end with CRLF"
    if b"\r" in raw.replace(b"\r\n", b"") or b"\n" in raw.replace(b"\r\n", b""):
        yield "bare CR or LF"
    if b"\0" in raw:
        yield "NUL"
    if not utf8 and any(byte > 126 or (byte < 32 and byte not in b"\r\n\t") for byte in raw):
        yield "not 7-bit safe"
    head, _, body = raw.partition(b"\r\n\r\n")
    for line in raw.split(b"\r\n"):
        if len(line) > 998:
            yield f"line of {len(line)} octets"
    for line in head.split(b"\r\n"):
        # A line that holds more than one word could have been folded.
        if len(line) > 78 and b" " in line.strip().partition(b": ")[2]:
            yield f"header line of {len(line)} octets: {line[:40]}"
        if not line.strip():
            yield "a header line of nothing but blanks"
    inside_part_header = False
    for line in body.split(b"\r\n"):
        if line.startswith(b"--=_"):
            inside_part_header = not line.endswith(b"--")
        elif not line:
            inside_part_header = False
        elif not inside_part_header and len(line) > 76:
            yield f"body line of {len(line)} octets"
    names = [line.split(b":")[0].lower() for line in head.split(b"\r\n") if not line.startswith(b" ")]
    for name in set(names):
        if names.count(name) > 1:
            yield f"header {name} is there twice"
    if b"bcc" in names:
        yield "Bcc"


def word_faults(head):
    for match in ENCODED_WORD.finditer(head):
        if len(match.group(0)) > 75:
            yield f"encoded word of {len(match.group(0))}"
        kind, text = match.groups()
        if kind == "B":
            data = base64.b64decode(text, validate=True)
        else:
            if re.search(r"[^A-Za-z0-9!*+\-/=_]", text):
                yield f"sign in a Q word: {text}"
            data = quopri.decodestring(text.replace("_", "=20"))
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            yield "encoded word ends inside a code point"


def boxes(message, name):
    """Names without blanks: this reader keeps those between adjacent encoded words, which RFC 2047 §6.2 drops."""
    header = message[name]
    return [] if header is None else [["".join(a.display_name.split()), address(a)] for a in header.addresses]


def address(box):
    """This reader forgets the quotes of a local part that needs them for its dots alone."""
    needs_quotes = re.search(r"^\.|\.\.|\.$", box.username) and not box.addr_spec.startswith('"')
    return f'"{box.username}"@{box.domain}' if needs_quotes else box.addr_spec


def names_without_blanks(wanted):
    return [["".join(name.split()), address] for name, address in wanted]


def shape(part):
    if not part.is_multipart():
        return part.get_content_type()
    return part.get_content_subtype() + "(" + ", ".join(shape(p) for p in part.iter_parts()) + ")"


def text_of(part):
    return None if part is None else part.get_content().replace("\r\n", "\n")


def attachments(message):
    found = []
    for part in message.walk():
        if part.get_content_disposition() is None:
            continue
        found.append({
            # Not get_filename: it takes blanks, quotes and angle brackets off the ends of a name that has them itself.
            "name": part["Content-Disposition"].params.get("filename"),
            "type": part.get_content_type(),
            "content": part.get_payload(decode=True).hex(),
            "contentId": (part["Content-ID"] or "").strip("<>"),
            "inline": part.get_content_disposition() == "inline",
        })
    return found


def defects(message, utf8):
    for part in message.walk():
        for defect in part.defects:
            yield f"defect {defect!r}"
        for name, value in part.items():
            for defect in getattr(value, "defects", ()):
                if utf8 and isinstance(defect, email.errors.NonASCIILocalPartDefect):
                    continue  # RFC 6532 allows it
                yield f"defect in {name}: {defect!r}"


def read(raw, utf8):
    # Headers in UTF-8 (RFC 6532) are only read from text.
    if utf8:
        return email.message_from_string(raw.decode("utf-8"), policy=email.policy.default)
    return email.message_from_bytes(raw, policy=email.policy.default)


def seen(message):
    text = message.get_body(preferencelist=("plain",))
    html = message.get_body(preferencelist=("html",))
    return {
        "from": boxes(message, "From"),
        "to": boxes(message, "To"),
        "cc": boxes(message, "Cc"),
        "replyTo": boxes(message, "Reply-To"),
        "subject": str(message["Subject"]),
        "date": message["Date"].datetime.isoformat(),
        "messageId": str(message["Message-ID"]),
        "mimeVersion": str(message["MIME-Version"]),
        "shape": shape(message),
        "text": text_of(text),
        "html": text_of(html),
        "attachments": attachments(message),
    }


def check(path):
    raw = path.read_bytes()
    want = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    utf8 = want.pop("utf8")
    headers = want.pop("headers")
    yield from lines_faults(raw, utf8)
    yield from word_faults(raw.partition(b"\r\n\r\n")[0].decode("utf-8"))
    message = read(raw, utf8)
    yield from defects(message, utf8)
    got = seen(message)
    for key, value in want.items():
        if key in ("from", "to", "cc", "replyTo"):
            value = names_without_blanks(value)
        if got[key] != value and key == "attachments" and len(got[key]) == len(value):
            yield from (f"attachment: want {a!r}, got {b!r}" for a, b in zip(value, got[key]) if a != b)
        elif got[key] != value:
            yield f"{key}: want {value!r}, got {got[key]!r}"
    for name, value in headers.items():
        # A long name pushes the value to the next line, and this reader keeps that line's blank.
        if str(message[name]) not in (value, " " + value):
            yield f"{name}: want {value!r}, got {str(message[name])!r}"
    known = {"from", "to", "cc", "reply-to", "subject", "date", "message-id", "mime-version", "content-type",
             "content-transfer-encoding"} | {name.lower() for name in headers}
    for name in message.keys():
        if name.lower() not in known:
            yield f"a header nobody asked for: {name}"


def main():
    paths = sorted(pathlib.Path(sys.argv[1]).glob("*.eml"))
    faults = [f"{path.stem}: {fault}" for path in paths for fault in check(path)]
    print("\n".join(faults))
    print(f"{len(paths)} messages read")
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
