#!/bin/bash
# OpenCL programs, as they are, under heddle run over a device: what their launches compute on the machine is
# what the device computes, tables and faults name kernels, lines of the source and buffers, and what the
# machine does not run the device runs.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cli/ready.sh"

for program in several launches calls called shared; do
    cc -Wall -Wextra -Werror -o $program "$source_folder/tests/opencl/$program.c" -lOpenCL || { echo 'FAILED: cc'; exit 1; }
done

# The results are the program's own, and the device runs what is left out.
own=$(./several)
accepts run --all -- ./several
[ "$(head -n 1 "$work/log/out")" = "$own" ] || complain "the output is not $own"
prints '^5 launches on h200, most memory '
prints '^  move +2 +3\.07k '
prints '^  sum +1 '
prints '^  kernels.cl:5 +move +load +768 '
prints '^  kernels.cl:18 +sum +store '
prints '^  add +1 +events of the program that it has not set yet$'
prints '^  look +1 +1 +32 B '
./calls >calls.own
call run -- ./calls
[ "$status" = 0 ] || complain "of the calls: status $status"
head -n 6 "$work/log/out" | diff - calls.own || complain 'the calls are not as without Heddle'

# Launches that come from calls back.
own=$(./called)
accepts run -- ./called
[ "$(head -n 1 "$work/log/out")" = "$own" ] || complain "the output is not $own"
prints '^40 launches on h200'

# An argument that becomes shared memory is not the buffer that it was.
[ "$(./shared)" = '3 4' ] || complain 'the device has no shared memory'
accepts run -- ./shared
[ "$(head -n 1 "$work/log/out")" = '3 4' ] || complain 'shared memory: not 3 4'
in_one_line -F 'add 1 arguments that are not followed (pipes, SVM, images of rare formats)'

# Images and samplers: of all kinds and formats, read and written back.
cc -Wall -Wextra -Werror -o pictures "$source_folder/tests/opencl/pictures.c" -lOpenCL || { echo 'FAILED: cc'; exit 1; }
cc -Wall -Wextra -Werror -o darkroom "$source_folder/tests/opencl/darkroom.c" -lOpenCL -lm || { echo 'FAILED: cc'; exit 1; }
for program in pictures darkroom; do
    own=$(./$program)
    for check in --all --races --uninitialised; do
        accepts run $check -- ./$program
        [ "$(head -n 1 "$work/log/out")" = "$own" ] || complain "the output of $program is not $own"
        grep -q '^Launches that the device has run' "$work/log/out" && complain "$program: not all on the machine"
    done
done
prints '^5 launches on h200'

# Every third launch on the machine; all launches compute.
own=$(./launches scale 10)
accepts run --sample 3 -- ./launches scale 10
[ "$(head -n 1 "$work/log/out")" = "$own" ] || complain "the output is not $own"
prints '^4 launches on h200'
prints '^  scale +6 +--sample 3$'
call run --json -- ./launches scale 10
[ "$status" = 0 ] || complain "with --json: status $status"
grep -q '"launches": 10' "$work/log/out" || complain 'no 10 launches in JSON'

# Faults: kernel, line, buffer, and where it was created. The program is told an error.
call run -- ./launches beyond
[ "$status" = 2 ] || complain "of a fault: status $status"
prints '^-5 '
prints '^1 fault; see above$'
says '^heddle: kernels.cl:6: error: store of 4 bytes at byte 16384 of buffer .buffer 1.' \
    '^  in kernel beyond$' '^    +v\[get_global_id\(0\) \+ 1\] = w\[0\];' '^  just behind buffer 1 of 16384 bytes of device memory' \
    '^    main \(launches\+0x'
call run --races -- ./launches race
[ "$status" = 2 ] || complain "of a race: status $status"
says "^heddle: kernels.cl:12: error: race: this reads byte 252 of 'part', which thread 63 of block 0 has written at line 11"
accepts run -- ./launches race
call run --uninitialised -- ./launches unwritten
[ "$status" = 2 ] || complain "of memory that nobody has written: status $status"
says "^heddle: kernels.cl:15: error: load of byte 8192 of 'buffer 2', which nothing has written"
accepts run --uninitialised -- ./launches scale
call run --leaks -- ./launches scale
[ "$status" = 2 ] || complain "of a leak: status $status"
prints '^16 KiB not freed, of 1 allocation$'
prints '^    main \(launches\+0x'

# A signal ends a kernel that does not, and the tables are printed.
"$plain" run -- ./launches endless >ended.out 2>ended.err &
pid=$!
until grep -q '^launching$' ended.out; do sleep 0.1; done
sleep 1
kill -TERM "$pid"
wait "$pid"
status=$?
[ "$status" = 130 ] || complain "of a program that a signal ends: status $status, $(cat ended.out ended.err)"
grep -q '^1 launch on h200' ended.out || complain 'no table of a program that a signal ends'

# A program that makes no call.
call run -- true
says '^heddle: warning: true has used neither CUDA.s runtime nor OpenCL'
finish
