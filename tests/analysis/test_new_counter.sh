# A new counter is one file and one row: a made-up one, which counts stores, is added to a copy of the
# table, what includes the table is compiled again and linked with the rest of the build, and every
# command that shows counters shows it.
set -eu
heddle=$(realpath "${1:?the path of heddle}")
build=${heddle%/*}
root=$(realpath "$(dirname "$0")/../..")
source "$root/tests/folder.sh"
mkdir -p "$work/src/analysis" "$work/objects"

# ---- the file ----------------------------------------------------------------------------------
cat >"$work/src/analysis/stores.c" <<'END'
#include "analysis/access_table.h"

typedef struct stores_counts {
    uint64_t stores, odd;
} stores_counts;

const hd_member hd_stores_members[] = {
    {"made_up_stores", "made-up stores", HD_COUNT, HD_AT(stores_counts, stores)},
    {"made_up_odd", "made-up odd", HD_COUNT, HD_AT(stores_counts, odd)},
    {0}};

static void count_event(const void *self, void *state, const hd_event_launch *launch,
                        const hd_event *event, kir_space space, void *counts) {
    bool is_store = launch->accesses[event->access].kind == HD_STORE;
    (void)self, (void)state, (void)space;
    if (is_store)
        *(stores_counts *)counts = (stores_counts){event->active, event->active};
}

static hd_tally_work work_of(hd_arena *arena, const hd_device *device) {
    (void)arena, (void)device;
    return (hd_tally_work){.count_bytes = sizeof(stores_counts),
                           .spaces = 1u << KIR_GLOBAL,
                           .summed = 1u << KIR_GLOBAL,
                           .period = 1,
                           .count = count_event};
}

static const char *title_of(hd_arena *arena, const hd_device *device) {
    return hd_format(arena, "Made-up table of %s", device->name);
}

static const char *sum_of(hd_arena *arena, const hd_launch_counts *counts) {
    (void)counts;
    return hd_format(arena, "made-up sum");
}

static uint64_t weight_of(const hd_launch_counts *counts) { return counts->of[NUMBER_OF_hd_stores][0]; }

static hd_access_finding find(hd_arena *arena, const hd_device *device, const hd_access_row *row,
                              const char *advise) {
    uint64_t stores = row->counts.of[NUMBER_OF_hd_stores][0];
    (void)arena, (void)device, (void)advise;
    return (hd_access_finding){.own = stores, .wasted = stores, .text = "Made-up finding."};
}

static const hd_rule rule = {"heddle/made-up", "MadeUp", "Stores.", "Store less.", "stores"};

const hd_analysis hd_stores_analysis = {.members = hd_stores_members,
                                        .work = work_of,
                                        .columns = {{"made-up stores", HD_IN_SHOW | HD_IN_DIFF, 0},
                                                    {"made-up odd", HD_IN_PROGRAM, 0}},
                                        .title = title_of,
                                        .sum = sum_of,
                                        .weight = weight_of,
                                        .rule = &rule,
                                        .find = find};
END
# ---- and the row -------------------------------------------------------------------------------
sed 's/^\(#define HD_ANALYSES(ROW).*\)$/\1 ROW(hd_stores)/' "$root/src/analysis/analysis.h" \
    >"$work/src/analysis/analysis.h"
[ "$(diff "$root/src/analysis/analysis.h" "$work/src/analysis/analysis.h" | grep -c '^>')" -eq 1 ] ||
    { echo "HD_ANALYSES is not on one line"; exit 1; }

# ---- what includes the table, again ------------------------------------------------------------
cd "$build"
link=$(ninja -t commands heddle | tail -1)
objects=$(ninja -t deps | awk '/^[^ ].*: #deps/ {object = $1} /src\/analysis\/analysis\.h$/ {print object}' |
          tr -d : | grep -E '^src/.*/(analysis|cli)/' | sort -u)
[ -n "$objects" ] || { echo "nothing includes the table"; exit 1; }
command_of() { # OBJECT, NEW OBJECT: its command, with the new header
    ninja -t commands "$1" | tail -1 |
        sed -E "s| -MD -MT [^ ]+ -MF [^ ]+||; s| -o [^ ]+| -o $2|; s| -D| -O0 -I$work/src -D|"
}
: >"$work/commands"
number=0
added=
for object in $objects; do
    new=$work/objects/$((number += 1)).o
    command_of "$object" "$new" >>"$work/commands"
    if [[ " $link " == *" $object "* ]]; then link=${link//" $object "/" $new "}; else added+=" $new"; fi
done
like=$(grep -m1 '/analysis/banks.c.o' <<<"$objects")
command_of "$like" "$work/objects/stores.o" | sed -E "s| -c [^ ]+| -c $work/src/analysis/stores.c|" \
    >>"$work/commands"
tr '\n' '\0' <"$work/commands" | xargs -0 -P 2 -I '{}' sh -c '{}'
mkdir "$work/bin"
link=$(sed -E "s| -o heddle | -o $work/bin/heddle $work/objects/stores.o$added |" <<<"$link")
sh -c "$link"

# ---- it shows ----------------------------------------------------------------------------------
cd "$work"
job=$root/examples/nbody/nbody-small.yaml
failed=0
export HEDDLE_DEVICES=$root/devices
shows() { # PATTERN, heddle's ARGUMENTS
    local pattern=$1
    shift
    "$work/bin/heddle" "$@" >out 2>err </dev/null || { cat err; echo "FAILED: heddle $*"; failed=1; }
    grep -Eq -- "$pattern" out || { echo "FAILED: heddle $*: not there: $pattern"; failed=1; }
}
shows '^Made-up table of h200$' run "$job"
shows 'made-up stores +made-up odd' run "$job" --accesses
shows '"made_up_stores": [1-9]' run "$job" --json
shows '^  made-up sum$' show "$job" --no-caches --sarif findings.sarif
shows 'made-up stores.* line +source' show "$job" --no-caches
shows '"made_up_stores": [1-9]' show "$job" --no-caches --json
grep -q '"ruleId": "heddle/made-up"' findings.sarif || { echo "FAILED: not in SARIF"; failed=1; }
shows 'made-up stores original +made-up stores soa' diff --layout soa "$job"
shows '"made_up_odd": [1-9]' diff --layout soa "$job" --json
shows '"key": ?"made_up_odd"' report "$job" --json
exit "$failed"
