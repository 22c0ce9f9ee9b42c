#!/bin/bash
# The report page in a real browser: page/fixture.mjs makes up the data, write_page the page of it,
# and page/check.mjs compares what chromium shows with the data. Given the path of heddle, beside
# which the build has what the test needs.
set -u
here=$(realpath "$(dirname "$0")")/page
built=$(realpath "$(dirname "${1:?the path of heddle}")")/tests

source "$here/browser.sh"
find_browser

source "$(dirname "$0")/../folder.sh"
node "$here/fixture.mjs" "$work/data.json" || exit 1
"$built/write_page" "$work/data.json" "$work/page.html" || exit 1
"$built/write_page" "$work/data.json" "$work/again.html" || exit 1
cmp "$work/page.html" "$work/again.html" || { echo "the same data gave two pages"; exit 1; }
HOME=$work node "$here/check.mjs" "$built/report/page/node_modules" "$browser" "$work"
