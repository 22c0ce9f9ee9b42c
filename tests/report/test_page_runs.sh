#!/bin/bash
# `heddle report` of two examples, in a real browser, against what heddle says as JSON: see
# page/check_runs.mjs. Given the path of heddle.
set -u
here=$(realpath "$(dirname "$0")")
source "$here/page/browser.sh"
heddle=$(realpath "${1:?the path of heddle}")
find_browser

source "$(dirname "$0")/../folder.sh"
source_folder=$HEDDLE_SOURCE
source "$HEDDLE_SOURCE/tests/cli/ready.sh"
cd "$HEDDLE_SOURCE" || exit 1
jobs=(examples/irreg/irreg-small.yaml examples/nbf/nbf-small.yaml)
{
    "$heddle" report --all "${jobs[@]}" -o "$work/page.html" &&
        "$heddle" report --all "${jobs[@]}" --json >"$work/data.json" &&
        "$heddle" cache --reuse "${jobs[0]}" --scenario 3 --json >"$work/reuse.json" &&
        "$heddle" cache --compare "${jobs[@]}" --scenario 3 --json >"$work/compare.json"
} || exit 1
HOME=$work node "$here/page/check_runs.mjs" "$(dirname "$heddle")/tests/report/page/node_modules" \
    "$browser" "$work"
