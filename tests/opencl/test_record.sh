#!/bin/bash
# An OpenCL program, as it is, under heddle record: its output is its own, and its launches are a job over
# its source that leaves the same bytes on the machine.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cc -Wall -Wextra -Werror -o several "$source_folder/tests/opencl/several.c" -lOpenCL || { echo 'FAILED: cc'; exit 1; }
own=$(./several)
accepts record -o run -- ./several
[ "$(head -n 1 "$work/log/out")" = "$own" ] || complain "the output is not $own"
prints "^5 launches in "
prints "^ *events of the program that it has not set yet +1$"
for text in "options: '-DFLIP=5'" '  - {name: p, type: cell, count: 1024, file: contents/' 'type: int, count: 1024}' \
    '{name: s, value: "3, 7"}' 'local: 256}' '    offset: \[16\]' '{name: distance, value: "1"}' 'offset: 1024}'; do
    grep -q -- "$text" run/job.yaml || complain "run/job.yaml has no $text"
done
[ -f run/kernels.cl ] || complain 'there is no run/kernels.cl'
accepts run --check expected run
prints '^Equal to the reference: yes'
accepts advise run
prints '^Verdict for h200: '
prints '^  heddle apply run --layout .* --out DIR$'
accepts apply run --layout soa --out made
[ -s made/kernels.cl ] || complain 'apply wrote no made/kernels.cl'
accepts advise -- ./several

# One kernel, and the second launch of it.
accepts record -o one --kernel move --launches 2 -- ./several
prints "^1 launch in "
accepts run --check expected one

# A program that launches nothing.
call record -o none -- true
[ "$status" = 2 ] || complain "of a program without launches: status $status"
finish
