#!/usr/bin/env python3
"""Tables of docs/reproduce-energy.md from `heddle device explore --json`, as Markdown.

    explored.py PART DIMENSION VALUES LAYOUTS PROFILE...
    explored.py --findings PROFILE...

PART is kernels or runs (with transfers); VALUES and LAYOUTS are words with commas between; PROFILE is a device
profile, whose energy is modelled, in mJ. For runs each layout has a row for each placement.
"""
import json, subprocess, sys


def explore(profile):
    words = ["heddle", "device", "explore", "--json", "--model", profile]
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


def row(cells):
    print("| " + " | ".join(cells) + " |")


def head(cells):
    row(cells)
    print("|" + "---|" * len(cells))


def figure(value):
    return "-" if value is None else "%#.3g" % value if value < 99.95 else "%.0f" % value


def values_of(explored, part, dimension):
    """The median of each (value, layout, placement)."""
    line = next(line for line in explored[part]["lines"] if line["dimension"] == dimension)
    return {(stop["value"], variant["layout"], variant["placement"]): variant["median"] * 1e3
            for stop in line["stops"] for one in stop["objectives"] if one["objective"] == "energy"
            for variant in one["variants"]}


def lines(part, dimension, values, layouts, devices):
    values, layouts = values.split(","), layouts.split(",")
    head(["device", "layout"] + (["placement"] if part == "runs" else []) + values)
    for device in devices:
        known = values_of(explore(device), part, dimension)
        for layout in layouts:
            for placement in sorted({key[2] for key in known}):
                row([device, layout] + ([placement] if part == "runs" else []) +
                    [figure(known.get((value, layout, placement))) for value in values])


def verdict(finding):
    if finding["verdict"] == "not known":
        return "not known: " + finding["why"]
    return "%s: %d of %d, median %s, largest %s" % (
        finding["verdict"], finding["showing"], finding["compared"],
        figure(finding["median"]["median"]), figure(finding["largest"]["median"]))


def findings(devices):
    listed = [explore(device)["kernels"]["findings"] for device in devices]
    head(["finding"] + devices)
    for place, first in enumerate(listed[0]):
        row([first["statement"]] + [verdict(one[place]) for one in listed])


if sys.argv[1:2] == ["--findings"] and len(sys.argv) > 2:
    findings(sys.argv[2:])
elif len(sys.argv) > 5:
    lines(*sys.argv[1:5], sys.argv[5:])
else:
    sys.exit(__doc__)
