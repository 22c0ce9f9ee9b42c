#!/usr/bin/env python3
"""A table of docs/reproduce-energy.md from `heddle advise --placements --json`, as Markdown: the usual
micro-kernel of `heddle device explore` with all its buffers in device and in host memory.

    placed.py PROFILE...
"""
import json, subprocess, sys, tempfile


def heddle(*words):
    return subprocess.run(["heddle", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def placed(profile, folder):
    heddle("device", "explore", "--model", profile, "--vary", "sparsity=1", "--keep", folder, "--json")
    return json.loads(heddle("advise", folder + "/usual.yaml", "--device", profile, "--placements",
                             "device,host", "--json"))["placements"]


def figures(run):
    return ["%.3g ms" % (run["seconds"] * 1e3), "%.3g mJ" % (run["joules"] * 1e3), "%.3g W" % run["watts"]]


if len(sys.argv) < 2:
    sys.exit(__doc__)
print("| profile | layout | device: time | energy | power | host: time | energy | power |")
print("|" + "---|" * 8)
for profile in sys.argv[1:]:
    with tempfile.TemporaryDirectory() as folder:
        for layout in placed(profile, folder)["layouts"]:
            if layout["layout"]["notation"] not in ("aos", "soa", "da"):
                continue
            print("| %s | %s | %s |" % (profile, layout["layout"]["notation"],
                                        " | ".join(sum((figures(run) for run in layout["all"]), []))))
