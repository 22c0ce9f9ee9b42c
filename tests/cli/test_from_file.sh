#!/bin/bash
# Kernels of four kinds of codes, each advised, rewritten and measured from its file, with nothing
# told but sizes: a lattice with array fields, fluxes with v[i + k * n], a search in a B+ tree, a flock
# whose positions and velocities are buffers of their own.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$work}

# whole FILE LAYOUT SIZES: the three commands; advise's own command, where it has one, too.
whole() {
    local file=$source_folder/$1 layout=$2 words
    shift 2
    call advise "$file" "$@"
    [ "$status" -eq 0 ] || complain "advise $file: exit status $status"
    prints '^Verdict for h200: '
    words=$(sed -n 's/^  heddle \(apply .*\) --out DIR$/\1/p' "$work/log/out")
    if [ -n "$words" ]; then
        eval "call $words --out 'advised $(basename "$file")'"
        [ "$status" -eq 0 ] || complain "$words: exit status $status"
        prints ' places changed, checked on the machine'
    fi
    call apply "$file" "$@" --layout "$layout" --out "made $(basename "$file")"
    [ "$status" -eq 0 ] || complain "rewrite $file: exit status $status"
    prints ' places changed'
    [ -n "${HEDDLE_SANITIZED:-}" ] && return
    call measure "$file" "$@" --layout "$layout" --repeats 1
    [ "$status" -eq 0 ] || complain "measure $file: exit status $status"
    prints 'outputs equal: yes'
}
whole tests/kernels/lattice/d2q9.cl soa -g 32,32 --local 8,8 -n 1024 -a nx=32 -a ny=32
whole tests/kernels/packed/d2q9.cl aosoa:8 -g 256 --local 64 -n 256 -a nx=16 -a ny=16
whole tests/kernels/packed/flux.cl aos -g 1024 --local 64 -n 1024
whole tests/kernels/search/bplus.cl '{keys}{indices,location,is_leaf}' -g 512 --local 16 -n 512 \
    -a height=3 -a queries=32
whole tests/kernels/packed/boids.cl aos -g 1024 --local 64 -n 1024
finish
