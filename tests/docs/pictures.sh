#!/usr/bin/env bash
# pictures.sh HEDDLE: the pictures of the README, anew, in docs/pictures: a terminal, and the report page as
# chromium shows it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
heddle=$(realpath "$1")
here=tests/docs
source tests/folder.sh
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "pictures.sh: the picture of the report page needs chromium"; exit 2; }

shown='heddle show examples/kmeans/kmeans-small.yaml --device h200 --no-caches | tail -n 25'
PATH=$(dirname "$heddle"):$PATH COLUMNS=110 bash -c "$shown" >"$work/text"
python3 $here/terminal.py "$shown" <"$work/text" >"$work/terminal.svg"

"$heddle" report examples/blackscholes/blackscholes.yaml --device h200 -o "$work/page.html" >/dev/null
"$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,1330 \
    --virtual-time-budget=5000 --screenshot="$work/report.png" "file://$work/page.html" 2>/dev/null
[ -s "$work/report.png" ]
mkdir -p docs/pictures
mv "$work/terminal.svg" "$work/report.png" docs/pictures/
