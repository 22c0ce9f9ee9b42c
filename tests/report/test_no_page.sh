#!/usr/bin/env bash
# With -DHEDDLE_PAGE=OFF Heddle is configured without node and npm, and says in one message that it
# has no page. Of that build only the file that says so is compiled.
set -euo pipefail
source "$(dirname "$0")/../folder.sh"
source_folder=$(realpath "$(dirname "$0")/../..")
built=$(dirname "$(realpath "${1:?the path of heddle}")")
object=src/CMakeFiles/heddle_report.dir/cli/report/page.c.o

cmake -G Ninja -S "$source_folder" -B "$work/build" -DHEDDLE_PAGE=OFF -DHEDDLE_WERROR=ON \
    -DNODE_PROGRAM="$work/no-node" -DNPM_PROGRAM="$work/no-npm" >"$work/log" 2>&1 &&
    cmake --build "$work/build" --target "$object" >>"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
cat >"$work/main.c" <<'END'
#include <stdio.h>
#include "cli/report/page.h"

static void show(const hd_message *m, void *user) {
    (void)user;
    puts(m->text);
}

int main(void) {
    const hd_diag diag = {show, NULL};
    return hd_page_write(&diag, "page.html", NULL) == HD_EUNSUPPORTED ? 0 : 1;
}
END
cd "$work"
cc -I"$source_folder/src" -I"$source_folder/include" main.c "build/$object" \
    "$built/src/libheddle_base.a" -ljansson -lz -lm -o main
./main >said || { echo "a page was written"; exit 1; }
[ "$(wc -l <said)" -eq 1 ] && grep -q 'without the report page.*HEDDLE_PAGE=ON' said ||
    { echo "not the one message:"; cat said; exit 1; }
[ ! -e page.html ] || { echo "there is a page"; exit 1; }
