#!/usr/bin/env python3
"""The figures in the documents, printed again by the commands that stand before them.

A fenced block whose first word is "console" holds commands, each on a line that begins with "$ ", and what
each printed:

    ```console
    $ heddle device list | head -n 3
    ...
    ```

A table is between two comments, of which the first has the command that prints it, as Markdown:

    <!-- console slow: ./run bench mapping-document nbf -->
    | ... |
    <!-- end -->

    figures.py BUILD [--check] [--slow] [FILE...]

runs the commands of the files, or of all documents, with the programs of BUILD, and writes what they print into
place; with --check it writes nothing and says what differs. A word more after "console" says

    times     what is printed depends on time or on this machine: never compared, written by --slow alone
    slow      the command takes more than a few seconds: compared and written with --slow alone

A line that ends in a backslash goes on in the next one. Commands run in a folder of their own that has the
source's folders, so that what they write is gone afterwards; "./run bench NAME" is the program of BUILD.
"""
import difflib, os, re, subprocess, sys, tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
SEEN = ("bench", "devices", "docs", "examples", "remap", "src", "tests", "run")
FENCE = re.compile(r"^(```|~~~)console((?: \w+)*)\s*$")
TABLE = re.compile(r"^<!-- console((?: \w+)*): (.*) -->$")


def documents():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*.md"], capture_output=True, text=True)
    names = listed.stdout.split() or [
        os.path.relpath(os.path.join(folder, name), ROOT)
        for folder, _, files in os.walk(ROOT) for name in files if name.endswith(".md")]
    return [os.path.join(ROOT, name) for name in names]


class Runner:
    """Runs commands one after the other in one folder for each document."""

    def __init__(self, build):
        self.build = os.path.realpath(build)
        self.folder = tempfile.TemporaryDirectory()
        for name in SEEN:
            os.symlink(os.path.join(ROOT, name), os.path.join(self.folder.name, name))
        self.environment = dict(os.environ, PATH=self.build + ":" + os.environ["PATH"], LC_ALL="C.UTF-8",
                                XDG_CACHE_HOME=os.path.join(self.folder.name, ".cache"),
                                HEDDLE_DATABASE=os.path.join(self.folder.name, ".database"), COLUMNS="100")

    def run(self, command):
        bench, pipe, rest = command.partition(" | ") if command.startswith("./run bench ") else ("", "", command)
        if pipe: # several tables of a page may come from one run
            name = os.path.join(self.folder.name, ".bench-" + re.sub(r"\W+", "-", bench))
            if not os.path.exists(name):
                self.shell(self.program(bench) + " >" + name)
            return self.shell("cat " + name + " | " + rest)
        return self.shell(self.program(command))

    def program(self, command):
        return re.sub(r"\./run bench (\S+)", self.build + r"/bench/bench_\1", command)

    def shell(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder.name, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = done.stdout.decode(errors="replace").replace(self.folder.name + "/", "")
        return [line.rstrip() for line in text.splitlines()]

    def close(self):
        self.folder.cleanup()


def commands_of(lines):
    """The commands of a block, as (lines of the command, lines that it printed)."""
    found = []
    for line in lines:
        if found and found[-1][0][-1].endswith("\\") and not found[-1][1]:
            found[-1][0].append(line)
        elif line.startswith("$ "):
            found.append(([line], []))
        elif found:
            found[-1][1].append(line)
    return found


def command_text(lines):
    return "\n".join([lines[0][2:]] + lines[1:])


def blocks_of(lines):
    """Each block as (words, the command of a table or None, the first line of its body, the line after it)."""
    at = 0
    while at < len(lines):
        fence, table = FENCE.match(lines[at]), TABLE.match(lines[at])
        at += 1
        if fence or table:
            start, last = at, fence.group(1) if fence else "<!-- end -->"
            while at < len(lines) and lines[at] != last:
                at += 1
            yield (fence.group(2) if fence else table.group(1)).split(), table and table.group(2), start, at


def refresh(path, build, check, slow):
    """What differs, and how many commands were run."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if not any(FENCE.match(line) or TABLE.match(line) for line in lines):
        return "", 0
    runner, made, written, differs, ran = Runner(build), [], 0, "", 0
    name = os.path.relpath(path, ROOT)
    for words, table, start, end in blocks_of(lines):
        made += lines[written:start]
        written = end
        left = "slow" in words and not slow or "times" in words and (check or not slow)
        body = lines[start:end]
        for command, printed in [(["$ " + table], body)] if table else commands_of(body):
            again = printed if left else runner.run(command_text(command))
            ran += not left
            made += again if table else command + again
            if again != printed:
                differs += "".join(line + "\n" for line in difflib.unified_diff(
                    printed, again, name, command[0], lineterm="", n=1))
    made += lines[written:]
    runner.close()
    if differs and not check:
        with open(path + ".part", "w", encoding="utf-8") as file:
            file.write("\n".join(made))
        os.replace(path + ".part", path)
    return differs, ran


def main():
    words = sys.argv[1:]
    check, slow = "--check" in words, "--slow" in words
    words = [word for word in words if not word.startswith("--")]
    if not words:
        sys.exit(__doc__)
    different, ran = "", 0
    for path in [os.path.realpath(word) for word in words[1:]] or documents():
        differs, count = refresh(path, words[0], check, slow)
        different, ran = different + differs, ran + count
    sys.stdout.write(different)
    print("%d commands run" % ran)
    if check and (different or not ran):
        sys.exit("the documents are not what the commands print; ./run docs writes them anew" if ran else
                 "there is no command to compare")


main()
