#!/usr/bin/env bash
# What ./run bench evidence shows of small jobs: the layout that is advised moves as little as the
# best of all partitions, and prices from measured shapes are what the machine counts in rewritten
# kernels. Times are not compared.
set -euo pipefail
program=$(dirname "$1")/bench/bench_evidence
source "$(dirname "$0")/../folder.sh"
names="lavamd bfs btree sph streamcluster"

status=0
"$program" --small $names >"$work/out" 2>"$work/err" || status=$?
[ "$status" -le 1 ] || { cat "$work/err"; exit 1; }
# Rows: name, fields, layout, heard, fewest, memory, static, priced, ...
awk -v names="$names" '
    NF >= 12 && index(" " names " ", " " $1 " ") {
        rows++
        if ($5 > 1.01 || $8 != "1.000") { print; wrong = 1 }
        static_wrong += $7 > 1.05
    }
    END {
        if (rows != split(names, all)) { print rows " rows"; wrong = 1 }
        if (static_wrong < 3) { print "the static cost alone is wrong too rarely"; wrong = 1 }
        exit wrong
    }' "$work/out" || { cat "$work/out" "$work/err"; exit 1; }
