#!/bin/bash
# OpenCL programs where there is no device: the machine is one. Its calls are those of the standard, as a
# device's of the same program, and what it computes is what a device computes.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cli/ready.sh"

for program in launches calls called texels pictures darkroom; do
    cc -Wall -Wextra -Werror -o $program "$source_folder/tests/opencl/$program.c" -lOpenCL -lm || { echo 'FAILED: cc'; exit 1; }
done
own=$(./launches scale 10)
for program in calls texels pictures darkroom; do ./$program >$program.own; done
mkdir none
export OCL_ICD_VENDORS=$work/at/none
./launches scale >log 2>&1 && complain 'there is a device where none should be'

accepts run --all -- ./launches scale 10
[ "$(head -n 1 "$work/log/out")" = "$own" ] || complain "the output is not $own"
prints '^10 launches on h200, most memory 32 KiB$'
prints '^  kernels.cl:3 +scale +load +10\.2k '
# A file that the source may come from is named.
mkdir -p kernels/sub
./launches source >kernels/sub/near.cl
accepts run --all -- ./launches scale
prints '^  near.cl:3 +scale +load +1\.02k '
call run -- ./launches beyond
says '^heddle: kernels/sub/near.cl:6: error: store of 4 bytes at byte 16384'
rm -r kernels

for program in calls texels pictures darkroom; do
    call run -- ./$program
    [ "$status" = 0 ] || complain "of $program: status $status"
    head -n "$(wc -l <$program.own)" "$work/log/out" | diff - $program.own ||
        complain "$program prints something else than on a device"
done
prints '^5 launches on h200'
accepts run -- ./called
[ "$(head -n 1 "$work/log/out")" = 20020 ] || complain 'called: not 20020'
prints '^40 launches on h200'

call run -- ./launches beyond
[ "$status" = 2 ] || complain "of a fault: status $status"
prints '^-5 '
says '^heddle: kernels.cl:6: error: store of 4 bytes at byte 16384 of buffer .buffer 1.' \
    '^  in kernel beyond$' '^  just behind buffer 1 of 16384 bytes of device memory' '^    main \(launches\+0x'
call run --races -- ./launches race
says "^heddle: kernels.cl:12: error: race: this reads byte 252 of 'part'"
call run --uninitialised -- ./launches unwritten
says "^heddle: kernels.cl:15: error: load of byte 8192 of 'buffer 2', which nothing has written"
accepts run --uninitialised -- ./launches scale

# Recordings need no device, either.
accepts record -o run -- ./launches scale 2
prints '^2 launches in '
accepts run --check expected run
prints '^Equal to the reference: yes'
accepts record -o photos -- ./darkroom
accepts run --check expected photos

# What programs are told of the device is what its profile says.
if command -v clinfo >clinfo.path; then
    accepts run --device tesla-k20c -- clinfo
    prints '^ +Device Name +Heddle machine tesla-k20c'
    prints '^ +Max compute units +13$'
fi
if /usr/bin/python3 -c 'import pyopencl' 2>log; then
    cat >arrays.py <<'P'
import numpy as np, pyopencl as cl, pyopencl.array as array
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
numbers = np.arange(1000, dtype=np.int32)
a = array.to_device(queue, numbers)
print(int(array.sum(a * a + 2 * a).get()) == int((numbers * numbers + 2 * numbers).sum()))
P
    call run -- /usr/bin/python3 arrays.py
    prints '^True$'
    prints '^  multiply +1 '
fi
finish
