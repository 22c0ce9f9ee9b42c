#!/usr/bin/env bash
# The page that sets the document on the data reuse characteristic beside Heddle has every row
# that the program prints, and the pictures are those that it draws. Runs over meshes take by far
# most of the time, so that one of them stands for all four; ./run bench reuse-document prints the
# rows of all. No table below the page's summary may have other rows, but for those of the meshes
# that are left out.
set -euo pipefail
build=$(dirname "$1")
program=$build/bench/bench_reuse-document
page=$HEDDLE_SOURCE/docs/reproduce-reuse.md
source "$(dirname "$0")/../folder.sh"
"$program" --one-mesh --figures "$work" | grep '^| ' >"$work/rows"
wrong=0
while IFS= read -r row; do
    grep -qxF -- "$row" "$page" || { echo "not on the page: $row"; wrong=1; }
done <"$work/rows"
while IFS= read -r row; do
    grep -qxF -- "$row" "$work/rows" || { echo "not printed: $row"; wrong=1; }
done < <(sed '1,/^## /d' "$page" | grep '^| ' | grep -v 'nbf\|moldyn\|euler')
for picture in "$work"/*.svg; do
    cmp "$picture" "$HEDDLE_SOURCE/docs/figures/$(basename "$picture")" || wrong=1
done
exit $wrong
