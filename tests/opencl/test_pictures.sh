#!/bin/bash
# An OpenCL program with images and samplers under heddle record: its launches are a job with images that
# leaves the same bytes on the machine.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cc -Wall -Wextra -Werror -o pictures "$source_folder/tests/opencl/pictures.c" -lOpenCL || { echo 'FAILED: cc'; exit 1; }
own=$(./pictures)
accepts record -o run -- ./pictures
[ "$(head -n 1 "$work/log/out")" = "$own" ] || complain "the output is not $own"
prints "^3 launches in "
for text in 'image: {width: 24, height: 10, channels: rgba, type: unorm8}, file: contents/' \
    'image: {width: 24, height: 10, channels: bgra, type: unorm8}' \
    'image: {width: 24, height: 10, depth: 3, channels: rgba, type: uint16}' \
    'image: {width: 24, layers: 3, channels: rgba, type: int8}' \
    'image: {width: 24, channels: rgba, type: uint16}' \
    'sampler: {address: clamp, filter: nearest, normalized: false}' \
    'sampler: {address: repeat, filter: nearest, normalized: true}'; do
    grep -q -- "$text" run/job.yaml || complain "run/job.yaml has no $text"
done
grep -q 'in.width' run/job.yaml && complain 'what images give is in the job'
accepts run --check expected run
prints '^Equal to the reference: yes'
accepts show run
prints '^ .* 4  '

# Kernels of practitioners: the histogram is the same, floats of the others are as near as filters and
# sums of floats are. largest JOB: of the differences, in hundred millionths; 0: there are none.
cc -Wall -Wextra -Werror -o darkroom "$source_folder/tests/opencl/darkroom.c" -lOpenCL -lm || { echo 'FAILED: cc'; exit 1; }
accepts record -o dark -- ./darkroom
prints "^5 launches in "
largest() {
    call run --check expected dark
    sed -n 's/^.*: the largest difference is //; s/^.*; the largest difference is \([0-9.e+-]*\),.*/\1/p' "$work/log/err" |
        awk '{ d = int($1 * 1e8); if (d > most) most = d } END { print most + 0 }'
}
found=$(largest)
[ "$found" -lt 10000 ] || complain "the largest difference is $found hundred millionths"
grep -q 'launch 5' "$work/log/err" && complain 'another histogram'
accepts advise --accesses dark
accepts cache dark

# What differs is found.
sed -i 's/filter: linear/filter: nearest/' dark/job.yaml
found=$(largest)
[ "$found" -gt 10000 ] || complain "another filter makes no difference: $found"
sed -i 's/address: repeat/address: mirrored_repeat/' run/job.yaml
call run --check expected run
[ "$status" = 1 ] || complain "another sampler leaves the same: status $status"
finish
