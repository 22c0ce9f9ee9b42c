#!/usr/bin/env bash
# The page that sets the document on the data reuse characteristic beside Heddle has every row
# that the program prints, and the pictures are those that it draws. Runs over meshes take
# too long in a build that is not optimised, so that there their rows and pictures are left out;
# in a release build nothing is, and no table below the page's summary may have other rows.
set -euo pipefail
build=$(dirname "$1")
program=$build/bench/bench_reuse-document
page=$HEDDLE_SOURCE/docs/reproduce-reuse.md
source "$(dirname "$0")/../folder.sh"
choice=--without-meshes
grep -qx 'CMAKE_BUILD_TYPE:[A-Z]*=Release' "$build/CMakeCache.txt" && choice=
"$program" $choice --figures "$work" | grep '^| ' >"$work/rows"
wrong=0
while IFS= read -r row; do
    grep -qxF -- "$row" "$page" || { echo "not on the page: $row"; wrong=1; }
done <"$work/rows"
if [ -z "$choice" ]; then
    while IFS= read -r row; do
        grep -qxF -- "$row" "$work/rows" || { echo "not printed: $row"; wrong=1; }
    done < <(sed '1,/^## /d' "$page" | grep '^| ')
fi
for picture in "$work"/*.svg; do
    cmp "$picture" "$HEDDLE_SOURCE/docs/figures/$(basename "$picture")" || wrong=1
done
exit $wrong
