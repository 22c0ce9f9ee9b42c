#!/usr/bin/env bash
# The page on the case studies of remapping has every row that the program prints for the first
# size of each, every ratio is near the document's, and the document's counts of k-means are whole
# numbers of groups.
set -eu
program=$(dirname "$1")/bench/bench_remap-cases
page=$HEDDLE_SOURCE/remap/docs/reproduce-remap.md
printed=$("$program" --small) || { echo "a ratio differs:"; echo "$printed"; exit 1; }
wrong=0
while IFS= read -r row; do
    case $row in
    '| '*) grep -qxF -- "$row" "$page" || { echo "not on the page: $row"; wrong=1; } ;;
    esac
done <<<"$printed"
[ "$(grep -c '| met |$' <<<"$printed")" -eq 4 ] || { echo "not four programs"; wrong=1; }
grep -qx '| k-means | 64 k | 256 | [0-9.]* | 25.00 | [0-9.]* | 26.00 |' <<<"$printed" ||
    { echo "k-means: other groups"; wrong=1; }

status=0
"$program" --smal >/dev/null 2>&1 || status=$?
[ "$status" -eq 2 ] || { echo "an unknown option: exit status $status"; wrong=1; }
exit $wrong
