#!/usr/bin/env python3
"""Tables of docs/reproduce-energy.md from `heddle device explore --json`, as Markdown.

    explored.py PART DIMENSION VALUES LAYOUTS OBJECTIVE DEVICE...
    explored.py --findings DEVICE...

PART is kernels or runs (with transfers); VALUES and LAYOUTS are words with commas between; OBJECTIVE is energy,
in mJ, or time, in us. DEVICE is a device profile, whose energy is modelled, or pocl, which is measured. For runs
each layout has a row for each placement.
"""
import json, subprocess, sys

ARGUMENTS = {"pocl": ["--meter", "model"]}
UNIT = {"energy": 1e3, "time": 1e6}


def explore(device):
    words = ["heddle", "device", "explore", "--json"] + ARGUMENTS.get(device, ["--model", device])
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


def row(cells):
    print("| " + " | ".join(cells) + " |")


def head(cells):
    row(cells)
    print("|" + "---|" * len(cells))


def figure(value):
    return "-" if value is None else "%.0f" % value if value >= 999.5 else "%#.3g" % value if value < 99.95 else "%.0f" % value


def values_of(explored, part, dimension, objective):
    """The median of each (value, layout, placement)."""
    line = next(line for line in explored[part]["lines"] if line["dimension"] == dimension)
    return {(stop["value"], variant["layout"], variant["placement"]): variant["median"] * UNIT[objective]
            for stop in line["stops"] for one in stop["objectives"] if one["objective"] == objective
            for variant in one["variants"]}


def lines(part, dimension, values, layouts, objective, devices):
    values, layouts = values.split(","), layouts.split(",")
    head(["device", "layout"] + (["placement"] if part == "runs" else []) + values)
    for device in devices:
        known = values_of(explore(device), part, dimension, objective)
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
    parts = [(device, part, found[part]["findings"]) for device in devices for found in [explore(device)]
             for part in ("kernels", "runs") if part == "kernels" or device in ARGUMENTS]
    head(["finding"] + [device + (", whole runs" if part == "runs" else "") for device, part, _ in parts])
    for place, first in enumerate(parts[0][2]):
        row([first["statement"]] + [verdict(listed[place]) for _, _, listed in parts])


if sys.argv[1:2] == ["--findings"] and len(sys.argv) > 2:
    findings(sys.argv[2:])
elif len(sys.argv) > 6:
    lines(*sys.argv[1:6], sys.argv[6:])
else:
    sys.exit(__doc__)
