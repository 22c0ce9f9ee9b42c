#!/usr/bin/env bash
# What the bench of the remap document's figures prints: a speed for each number of bytes, of which one
# is the best, and both devices' shares of all points; the figures of the document are the page's. The
# bench compares its results with plain C's.
set -eu
program=$(dirname "$1")/bench/bench_remap-document
page=$HEDDLE_SOURCE/remap/docs/reproduce-remap.md
source "$(dirname "$0")/../folder.sh"
export XDG_CACHE_HOME=$work
printed=$("$program" 20000) || { echo "it failed: $printed"; exit 1; }
wrong=0
complain() { echo "$*:"; echo "$printed"; wrong=1; }

awk -F' *[|] *' '$3 == "4 B" { for (getline; getline && NF;) { rows++; for (i = 3; i < 8; i++) best += $i == "1.00" } }
    END { exit !rows || best < rows }' <<<"$printed" || complain "no best number of bytes"
[ "$(grep -c '^| [a-z-]* | [a-z-]* | [0-9.]* | [0-9.]* | [0-9.]* | [0-9.]* |$' <<<"$printed")" -eq 5 ] ||
    complain "not five ways"
awk -F' *[|] *' '$4 ~ /%/ { rows++; split($5, share, /%[ +]*/); sum = share[1] + share[2]; wrong += sum < 99 || sum > 101 }
    END { exit wrong || rows != 2 }' <<<"$printed" || complain "shares are not all of the points"
while IFS='|' read -r _ first second there _; do
    case $first in
    ' rows ' | ' - ') grep -qF -- "|$first|$second|$there|" "$page" || complain "the page has no$first+$second as here" ;;
    esac
done <<<"$printed"

status=0
"$program" many >/dev/null 2>&1 || status=$?
[ "$status" -eq 2 ] || complain "points that are no number: exit status $status"
exit $wrong
