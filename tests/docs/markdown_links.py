"""Links between the project's pages: the file is there, and so is the section; docs/README.md has all of docs/. Addresses
on the web are not asked."""
import glob
import os
import re

LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)")


def prose_of(text):
    """The page without its code, whose brackets are no links."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^\s*```.*?^\s*```$", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors_of(text):
    """As GitHub makes them of headings: lower case, blanks to hyphens, everything else but letters and digits gone."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


def broken_links(root, path):
    """"PATH: what" for each link of this page that leads nowhere."""
    def read(name):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            return file.read()

    faults = []
    for target, anchor in LINK.findall(prose_of(read(path))):
        name = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        if not os.path.exists(os.path.join(root, name)):
            faults.append(f"{path}: links to {target}, which is not there")
        elif anchor and name.endswith(".md") and anchor not in anchors_of(read(name)):
            faults.append(f"{path}: links to {target}#{anchor}; that page has no such section")
    return faults


def unlisted_pages(root):
    """"PATH: what" for each page of docs/ that docs/README.md does not lead to."""
    names = sorted(glob.glob("*.md", root_dir=os.path.join(root, "docs")))
    if "README.md" not in names:
        return []
    with open(os.path.join(root, "docs/README.md"), encoding="utf-8") as file:
        listed = {target for target, _ in LINK.findall(prose_of(file.read()))} | {"README.md"}
    return [f"docs/README.md: has no link to {name}" for name in names if name not in listed]
