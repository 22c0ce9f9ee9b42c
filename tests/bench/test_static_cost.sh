#!/usr/bin/env bash
# The page that sets the tables of Peng et al. beside Heddle's costs is what the
# program prints, and the orders of the layouts agree.
set -eu
program=$(dirname "$1")/bench/bench_static-cost
page=$HEDDLE_SOURCE/docs/reproduce-static-cost.md
printed=$("$program") || { echo "an order of layouts differs:"; echo "$printed"; exit 1; }
missing=0
while IFS= read -r line; do
    case $line in
    '| '* | order*) grep -qxF -- "$line" "$page" || { echo "not on the page: $line"; missing=1; } ;;
    esac
done <<<"$printed"
exit $missing
