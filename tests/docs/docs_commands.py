#!/usr/bin/env python3
"""Runs every command of the project's pages (PAGES below), as it stands there, against the real program.

docs_commands.py --program EILBOTE [--root FOLDER] [PAGE...]   exit code 0: all ran; 1: faults, told; 77: cannot run here

Each page has a folder and a network of its own (so that 127.0.0.1:8925 is free) and one shell: its blocks marked sh, bash
or console run in order, and variables carry over. A block that fails, or a curl that is answered with 400 or more, fails the
page. Links to other pages must lead somewhere, and docs/README.md to every page of docs/. Blocks of settings (ini) must be
taken by `eilbote config`. HTML comments tell what cannot be seen:

  <!-- test: server sqlite [NAME=VALUE..] -->   for the page: a server runs while its blocks do (or `server postgres ..`)
  <!-- test: postgres -->                       for the page: PostgreSQL on its default port, user mailer, database outbox
  <!-- test: endpoint 9000 -->                  for the page: answers POST with 200, or with N below /status/N
  <!-- test: relay 1025 -->                     for the page: an SMTP server that takes everything
  <!-- test: none: REASON -->                   the next block is not run, and why; they are counted and listed
  <!-- test: serves -->                         its last command is a server: it runs on until the next such block
  <!-- test: answers 409 -->                    curl in the next block must be refused with this
  <!-- test: exits 1 -->                        the next block's last command must end with this
  <!-- test: until TEXT -->                     the next block is repeated until it prints this
  <!-- test: prints TEXT -->                    the next block must print this (in console blocks: what is shown)
  <!-- test: before COMMANDS -->                run before the next block, not shown to the reader

Nothing in a command is replaced.
"""
import argparse
import concurrent.futures
import contextlib
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is left behind in the source folder

from markdown_blocks import read_page
from markdown_links import broken_links, unlisted_pages
from page_world import POSTGRES_URL, die_with_parent, empty_cluster, in_own_network, world_of

PAGES = ("README.md", "docs/*.md", "examples/*/README.md", "deploy/*/README.md", "bench/README.md")
CANNOT_RUN = 77
PAGE_SECONDS = 120
BEGIN = "@@ block "

# What a page's script begins with. Names with _docs_ are ours.
PROLOGUE = r"""
set -euo pipefail
_docs_server=
_docs_stop() {  # ends what a `serves` block started; it must end well
  [ -n "$_docs_server" ] || return 0
  kill -TERM -- "-$_docs_server"
  local ended=0
  wait "$_docs_server" || ended=$?
  _docs_server=
  [ "$ended" = 0 ] || { echo "the server of the block ended with $ended"; return 1; }
}
trap '[ -z "$_docs_server" ] || kill -KILL -- "-$_docs_server"' EXIT
_docs_ready() {  # FILE: waits for the ready line
  local i
  for i in $(seq 300); do
    grep -q '^eilbote ready on' "$1" 2>/dev/null && return 0
    kill -0 "$_docs_server" 2>/dev/null || break
    sleep 0.1
  done
  echo "no ready line:"; cat "$1"; return 1
}
_docs_until() {  # TEXT, the block on standard input
  local script out i
  script=$(cat)
  for i in $(seq 150); do
    out=$(set -e; eval "$script" 2>&1) || true
    case "$out" in *"$1"*) printf '%s\n' "$out"; return 0 ;; esac
    sleep 0.1
  done
  printf 'never printed "%s"; the last time:\n%s\n' "$1" "$out"; return 1
}
"""


def script_of_server(commands):
    """In the background, in a process group of its own; the subshell outlives SIGTERM to tell how the server ended."""
    return ("_docs_stop; rm -f .server.log; set -m\n"
            f"( trap : TERM\n{commands}\n) > .server.log 2>&1 & _docs_server=$!\n"
            "set +m; _docs_ready .server.log")


def script_of_block(block):
    commands = block.commands()
    if block.serves:
        return script_of_server(commands)
    if block.until:
        return f"_docs_until {shlex.quote(block.until)} <<'_DOCS_END'\n{commands}\n_DOCS_END"
    if block.status or block.exit_code:
        wanted = block.exit_code or 22  # curl's "the server says 400 or more"
        told = f"grep -q 'error: {block.status}$' .said" if block.status else "true"
        return (f"set +e; ( set -e\n{commands}\n) > .said 2>&1; _docs_code=$?; set -e; cat .said\n"
                f"[ $_docs_code = {wanted} ] && {told} || {{ echo 'not refused as the page says'; exit 1; }}")
    return commands


def script_of(page):
    parts = [PROLOGUE]
    if page.server:
        settings = [shlex.quote(one) for one in page.server[1:]]
        if page.server[0] == "postgres":
            settings.append("EILBOTE_STORE_URL=" + POSTGRES_URL)
            parts.append(" ".join(["env", *settings, "eilbote migrate"]))
        parts.append(script_of_server(" ".join(["env", *settings, "eilbote serve"])))
    for number, block in enumerate(page.blocks):
        if block.not_run:
            continue
        parts += [f"printf '\\n%s\\n' '{BEGIN}{number}'", block.before, script_of_block(block)]
    return "\n".join([*parts, f"printf '\\n%s\\n' '{BEGIN}end'", "_docs_stop", ""])


def squeezed(text):
    return re.sub(r"\s+", "", text)


def faults_of_run(page, code, said, server_log):
    """What the run says against the page: the block it stopped in, and blocks that did not print what is shown."""
    parts = re.split(rf"^{BEGIN}(\w+)$", said, flags=re.MULTILINE)
    printed = dict(zip(parts[1::2], parts[2::2]))
    faults = []
    for number, block in enumerate(page.blocks):
        if str(number) not in printed:
            continue
        for want in block.expected():
            if squeezed(want) not in squeezed(printed[str(number)]):
                faults.append(f"{page.path}:{block.line}: does not print `{want}`, but\n{printed[str(number)].strip()}")
    if code != 0 or "end" not in printed:
        last = parts[-2] if len(parts) > 1 else "none"
        line = page.blocks[int(last)].line if last.isdigit() else 0
        code = "no command after it" if code == 0 else f"{code}, {PAGE_SECONDS} s were over" if code == -9 else code
        told = [*parts[-1].strip().splitlines()[-30:], *(f"server: {line}" for line in server_log.splitlines()[-5:])]
        faults.insert(0, f"{page.path}:{line}: ended with {code}\n" + "\n".join(told))
    return faults


def environment_for(folder, program):
    """Little of ours: the commands find the program by its name, and curl reports refusals as failures."""
    os.makedirs(folder + "/.bin")
    os.symlink(program, folder + "/.bin/eilbote")
    with open(folder + "/.curlrc", "w", encoding="ascii") as curlrc:
        curlrc.write("fail-with-body\nno-progress-meter\nshow-error\n")
    kept = {name: value for name, value in os.environ.items() if name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")}
    path = folder + "/.bin:" + os.environ.get("PATH", "/usr/bin:/bin")
    return kept | {"PATH": path, "HOME": folder, "LANG": "C.UTF-8", "TMPDIR": folder}


def text_of(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def run_page(page, program, cluster):
    """In a network of its own, made by the caller. The faults."""
    with tempfile.TemporaryDirectory(prefix="eilbote-docs-", ignore_cleanup_errors=True) as folder:
        try:
            environment = environment_for(folder, program)
            with world_of(page, cluster, environment):
                with open(folder + "/.output", "wb") as output:
                    shell = subprocess.Popen(["bash", "-c", script_of(page)], cwd=folder, env=environment,
                                             stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
                try:
                    shell.wait(PAGE_SECONDS)
                except subprocess.TimeoutExpired:
                    shell.kill()
                    shell.wait()
            return faults_of_run(page, shell.returncode, text_of(folder + "/.output"), text_of(folder + "/.server.log"))
        except RuntimeError as trouble:
            return [f"{page.path}: {trouble}"]


def run_alone(page_path, arguments):
    """The part of the program that runs one page; a process of its own, since a network is a process's."""
    page = read_page(page_path, text_of(os.path.join(arguments.root, page_path)))

    def run():
        faults = run_page(page, arguments.program, arguments.cluster)
        print("\n".join(faults))
        return 1 if faults else 0

    try:
        return in_own_network(run)
    except OSError as refused:
        print(f"no network of its own: {refused}")
        return CANNOT_RUN


def run_in_own_process(page, arguments, cluster):
    begun = time.monotonic()
    command = [sys.executable, __file__, "--program", arguments.program, "--root", arguments.root, "--cluster", cluster,
               "--alone", page.path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          preexec_fn=die_with_parent)
    return page, done.returncode, done.stdout.strip(), time.monotonic() - begun


def read_pages(arguments):
    paths = arguments.pages or [path for pattern in PAGES for path in sorted(glob.glob(pattern, root_dir=arguments.root))]
    return [read_page(path, text_of(os.path.join(arguments.root, path))) for path in paths]


def run_all(arguments):
    pages = read_pages(arguments)
    faults = [fault for page in pages for fault in page.faults + broken_links(arguments.root, page.path)]
    faults += unlisted_pages(arguments.root)
    blocks = [(page, block) for page in pages for block in page.blocks]
    runnable = [page for page in pages if any(not block.not_run for block in page.blocks)]
    cannot = ""
    needs_postgres = any(page.postgres for page in runnable)
    with (empty_cluster() if needs_postgres else contextlib.nullcontext("")) as cluster, \
            concurrent.futures.ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1)) as workers:
        for page, code, said, seconds in workers.map(lambda one: run_in_own_process(one, arguments, cluster), runnable):
            print(f"{seconds:5.1f} s  {page.path}{'' if code == 0 else '  FAILED'}")
            if code == CANNOT_RUN:
                cannot = said
            elif code != 0:
                faults.append(said or f"{page.path}: ended with {code}")
    for page, block in blocks:
        if block.not_run:
            print(f"not run: {page.path}:{block.line}: {block.not_run}")
    not_run = sum(1 for _, block in blocks if block.not_run)
    print(f"{len(pages)} pages, {len(blocks)} shell blocks: {len(blocks) - not_run} to run, {not_run} not run for the reasons above")
    for fault in faults:
        print("FAULT " + fault)
    if not blocks and not arguments.pages:
        print("FAULT no commands at all: is this the right folder?")
        return 1
    if cannot and not faults:
        print("SKIPPED: " + cannot)
        return CANNOT_RUN
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, type=os.path.abspath)
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), "..", ".."), type=os.path.abspath)
    parser.add_argument("--alone", help=argparse.SUPPRESS)  # a page, in the process that is made for it
    parser.add_argument("--cluster", default="", help=argparse.SUPPRESS)
    parser.add_argument("pages", nargs="*")
    arguments = parser.parse_args()
    if arguments.alone:
        return run_alone(arguments.alone, arguments)
    return run_all(arguments)


if __name__ == "__main__":
    sys.exit(main())
