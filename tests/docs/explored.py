#!/usr/bin/env python3
"""Tables of docs/reproduce-energy.md from `heddle device explore --json`, as Markdown.

    explored.py PART QUANTITY DIMENSION VALUES LAYOUTS PROFILE...
    explored.py --findings PART PROFILE...

PART is kernels or runs (with transfers); QUANTITY is energy, in mJ, power, in W, or time, in us; VALUES and LAYOUTS
are words with commas between; PROFILE is a device profile, whose time and energy are modelled. For runs each layout
has a row for each placement.
"""
import json, subprocess, sys

UNITS = {"energy": 1e3, "power": 1, "time": 1e6}
PLACEMENTS = ["device", "host", "fine", "coarse"]


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


def values_of(explored, part, quantity, dimension):
    """The median of each (value, layout, placement)."""
    line = next(line for line in explored[part]["lines"] if line["dimension"] == dimension)
    known = {}
    for stop in line["stops"]:
        variants = stop["power"] if quantity == "power" else next(
            one["variants"] for one in stop["objectives"] if one["objective"] == quantity)
        for variant in variants:
            known[stop["value"], variant["layout"], variant["placement"]] = variant["median"] * UNITS[quantity]
    return known


def lines(part, quantity, dimension, values, layouts, devices):
    values, layouts = values.split(","), layouts.split(",")
    head(["device", "layout"] + (["placement"] if part == "runs" else []) + values)
    for device in devices:
        known = values_of(explore(device), part, quantity, dimension)
        for layout in layouts:
            for placement in [one for one in PLACEMENTS if one in {key[2] for key in known}]:
                row([device, layout] + ([placement] if part == "runs" else []) +
                    [figure(known.get((value, layout, placement))) for value in values])


def verdict(finding):
    if finding["verdict"] == "not known":
        return "not known: " + finding["why"]
    return "%s: %d of %d, median %s, largest %s" % (
        finding["verdict"], finding["showing"], finding["compared"],
        figure(finding["median"]["median"]), figure(finding["largest"]["median"]))


def findings(part, devices):
    listed = [explore(device)[part]["findings"] for device in devices]
    head(["finding"] + devices)
    for place, first in enumerate(listed[0]):
        row([first["statement"]] + [verdict(one[place]) for one in listed])


if sys.argv[1:2] == ["--findings"] and len(sys.argv) > 3:
    findings(sys.argv[2], sys.argv[3:])
elif len(sys.argv) > 6:
    lines(*sys.argv[1:6], sys.argv[6:])
else:
    sys.exit(__doc__)
