#!/usr/bin/env bash
# The page on the selection of layouts has what ./run bench table2 prints, as far as it is the
# same everywhere: programs, clusters, the document's figures, and a row for each program and
# version. Times and the layouts that follow from them are not compared. The program runs here in
# haste, on small jobs and with its own database.
set -euo pipefail
program=$(dirname "$1")/bench/bench_table2
page=$HEDDLE_SOURCE/docs/reproduce-selection.md
source "$(dirname "$0")/../folder.sh"
export HEDDLE_DATABASE=$work/profiles.db
wrong=0
complain() { wrong=1; printf '%s\n' "$*"; }

"$program" --list | grep '^| ' >"$work/list"
# Programs and what is selected for them with a row for the title each, table 1 with three GPUs.
[ "$(wc -l <"$work/list")" -eq 16 ] || complain "--list prints other than five programs and three GPUs"
while IFS= read -r row; do
    grep -qxF -- "$row" "$page" || complain "not on the page: $row"
done <"$work/list"

# names FILE: of rows with a version the program and the version; of those with the document's
# figures the program and these; of verdicts the program.
names() {
    awk -F ' *[|] *' '/^\| [A-Za-z-]+( sorting)? \| [A-Za-z, ]+ \| `/ { print $2 "|" $3 }
                      /^\| [A-Za-z-]+( sorting)? \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|/ {
                          print $2 "|" $3 "|" $4 "|" $5 }
                      /^- .*: (met|missed)\./ { sub(/: (met|missed).*/, ""); print }' "$1" | sort -u
}
status=0
"$program" --small >"$work/out" 2>"$work/err" || status=$?
[ "$status" -le 1 ] || complain "bench_table2 --small: exit status $status: $(cat "$work/err")"
names "$work/out" >"$work/printed"
names "$page" >"$work/shown"
# Five programs in six versions, with the document's figures, and a verdict on each.
[ "$(wc -l <"$work/printed")" -eq 40 ] || complain "printed $(wc -l <"$work/printed") names, not 40"
diff "$work/printed" "$work/shown" || complain "the page has other names than those printed"
grep -qF 'training with a part of the kernels' "$work/out" || complain "says nothing of the training"

status=0
"$program" --smal >"$work/out" 2>&1 || status=$?
[ "$status" -eq 2 ] || complain "an unknown option: exit status $status"
exit $wrong
