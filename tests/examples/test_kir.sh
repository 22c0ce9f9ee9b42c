#!/usr/bin/env bash
# What `heddle show --ir` prints of an example, given back as its kernel file, gets the answers that the
# source gets: accesses, costs, and runs, but for their times. So do the CUDA C twins alone. Where
# there is no record to lay out, both are refused in the same words.
set -u
heddle=$(realpath "${1:?the path of heddle}")
root=$(realpath "$(dirname "$0")/../..")
source "$(dirname "$0")/../folder.sh"
export HEDDLE_DATABASE=$work/profiles.db CUDA_PATH=
failures=0
compared=0
complain() { failures=$((failures + 1)); printf 'FAILED: %s\n' "$*"; }

# same NAME SOURCE KIR WORDS...: the command of these words says the same of both files.
same() {
    local name=$1 source=$2 kir=$3
    shift 3
    "$heddle" "$@" --as-written --json "$source" >"$work/source" 2>&1
    "$heddle" "$@" --json "$kir" >"$work/kir" 2>&1
    grep -h "error: " "$work/source" "$work/kir" | grep -v "no record to lay out" &&
        complain "$name: $*: an error"
    sed -i '/"seconds"/d; s/^[^ ]*: \(error\|note\): /\1: /' "$work/source" "$work/kir"
    if ! [ -s "$work/source" ] || ! cmp -s "$work/source" "$work/kir"; then
        complain "$name: $*: $(diff "$work/source" "$work/kir" | head -5)"
    fi
    compared=$((compared + 1))
}

cp -r "$root/examples" "$work/examples"
cd "$work/examples" || exit 2
for job in */*-small.yaml; do
    kir=${job%.yaml}.kir
    "$heddle" show --ir --as-written "$job" >"$kir" || complain "$job is not printed"
    sed "s|^kernel: .*|kernel: $(basename "$kir")|; /^options:/d" "$job" >"$kir.yaml"
    "$heddle" show --ir "$kir.yaml" | cmp -s - "$kir" || complain "$kir does not print as itself"
    same "$job" "$job" "$kir.yaml" advise --accesses
    same "$job" "$job" "$kir.yaml" advise --costs --run 0
    same "$job" "$job" "$kir.yaml" run
done
for source in */*.cu; do
    kir=${source%.cu}.kir
    "$heddle" show --ir --as-written "$source" >"$kir" || complain "$source is not printed"
    same "$source" "$source" "$kir" advise --accesses --global 4096
    while read -r kernel; do
        same "$source" "$source" "$kir" advise --costs --run 0 --entry "$kernel" --global 4096
    done < <(sed -n 's/^kernel "\([^"]*\)".*/\1/p' "$kir")
done
[ "$compared" -ge 60 ] || complain "only $compared answers were compared"
[ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
