#!/bin/bash
# Code that no command reaches: a function of the linked programs, or of the libraries that programs
# load, that no other object refers to, that its own file names once alone, and that no library hands
# out. What is there for tests or benches alone is dead all the same.
#
# The checker first proves on something made up that it can fail.
set -u
source_root=${HEDDLE_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${HEDDLE_BUILD:-$source_root/build/release}

# Functions that stay without a command, and why.
declare -A excused=(
    [hd_nearest_choose]="decides by seconds and joules, which a command is to ask for"
    [hd_nearest_find]="the same" [hd_nearest_judge]="the same" [hd_nearest_points]="the same"
    [hd_study_rule_of_thumb]="the same"
    [hd_meter_interval]="who brings a clock, as tests do" [hd_meter_sample]="the same"
    [hd_scan_quoted]="of the scanner, for texts that still have a cursor of their own"
    [hd_span_is]="the same" [hd_text_number]="the same"
    [main]="a program's own" [_init]="the linker's" [_fini]="the linker's"
)

# symbols FILE...: "D name object" of each function that an object or a member of an archive
# defines, and "U name" of each name that one refers to.
symbols() {
    nm -A "$@" 2>/dev/null | awk '
        NF < 2 { next }
        $(NF - 1) ~ /^[TW]$/ {
            object = $1
            sub(/:[0-9a-f]*$/, "", object)
            sub(/.*[:\/]/, "", object)
            print "D", $NF, object
        }
        $(NF - 1) == "U" { print "U", $NF }'
}

# Reads what symbols() prints: the functions that nothing refers to, as "name object".
unreferenced() {
    awk '$1 == "U" { referred[$2] = 1 }
         $1 == "D" { object[$2] = $3 }
         END { for (name in object) if (!(name in referred)) print name, object[name] }' | sort
}

# dead SOURCES: of what unreferenced() prints those that files of this name do not use themselves.
# A name that a macro pastes stands in no file.
dead() {
    { find "$1" -type f; cat; } | awk -v excused="${!excused[*]}" '
    BEGIN {
        count = split(excused, names, " ")
        for (i = 1; i <= count; i++) stays[names[i]] = 1
    }
    NF == 1 {
        file = $0
        sub(/.*\//, "", file)
        paths[file] = paths[file] " " $0
        next
    }
    !($1 in stays) {
        file = $2
        sub(/[.]o$/, "", file)
        uses = 0
        count = split(paths[file], path, " ")
        for (i = 1; i <= count; i++) {
            while ((getline line <path[i]) > 0) {
                if (!index(line, $1)) continue
                sub(/\/[*].*[*]\//, "", line)
                sub(/^ ?[*].*/, "", line)
                sub(/\/[*].*/, "", line)
                words = split(line, word, /[^A-Za-z0-9_]+/)
                for (j = 1; j <= words; j++) uses += word[j] == $1
            }
            close(path[i])
        }
        if (uses == 1) print $1 " (" $2 ")"
    }'
}

# ---- the checker can fail --------------------------------------------------------------------

scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/one.c" <<'C'
/* lonely() is named here, too */
int used_there(void) { return 1; }
int used_here(void) { return 2; }
int lonely(void) { return used_here(); }
C
echo 'int used_there(void); int main(void) { return used_there(); }' >"$scratch/two.c"
for file in one two; do
    cc -c "$scratch/$file.c" -o "$scratch/$file.c.o" || exit 1
done
ar rc "$scratch/one.a" "$scratch/one.c.o"
found=$(symbols "$scratch/one.a" "$scratch/two.c.o" | unreferenced | dead "$scratch")
[ "$found" = "lonely (one.c.o)" ] || { echo "the checker found '$found', not lonely()"; exit 1; }

# ---- the programs ----------------------------------------------------------------------------

cd "$build" || exit 1
ninja=$(command -v ninja || command -v ninja-build) || { echo "there is no ninja"; exit 77; }
programs="heddle"
for more in heddle-mpi libheddle-ptx.so libheddle-remap.so ocelot/libgpuocelot.so \
    cuda/libheddle-cuda.so cuda/libcudart.so.12 cuda/libcudart.so.13 cuda/libcuda.so.1 \
    libheddle-layer.so; do
    [ ! -e "$more" ] || programs+=" $more"
done
# Their objects and archives, as they are linked, and what the libraries hand out.
objects=$(for program in $programs; do
    "$ninja" -t commands "$(readlink "$program" || echo "$program")" 2>/dev/null | tail -1 ||
        "$ninja" -t commands "$program" | tail -1
done | tr ' ' '\n' | grep -E '\.(o|a)$' | grep -v '^/' | sort -u)
objects=$(for file in $objects; do [ ! -f "$file" ] || echo "$file"; done)
[ "$(wc -w <<<"$objects")" -gt 20 ] || { echo "no objects of heddle are known"; exit 1; }
found=$({
    symbols $objects
    nm -D --defined-only $(tr ' ' '\n' <<<"$programs" | grep '\.so') |
        awk 'NF > 1 { sub(/@.*/, "", $NF); print "U", $NF }'
} | unreferenced | dead "$source_root/src")
[ -z "$found" ] && exit 0
echo "no command reaches these; use them, make them static, delete them, or say why they stay:"
echo "$found"
exit 1
