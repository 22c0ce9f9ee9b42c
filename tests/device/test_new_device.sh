# A new device is one file: with it in a folder of profiles, everything that lists devices or takes one
# knows it, CUDA programs too. Called with the path of heddle.
source "$(dirname "$0")/../cli/lib.sh"
sed 's/^title:.*/title: Acme Loom 7/; s/capability: [0-9]*, memory: [0-9]*/capability: 80, memory: 7000/' \
    "$source_folder/devices/h200.yaml" >body.yaml
mkdir -p own && cp body.yaml own/acme-loom-7.yaml
export HEDDLE_DEVICES=$PWD/own

call device list
grep -q "acme-loom-7 .*Acme Loom 7" "$work/log/out" || complain "device list does not show it"
call device list --json
grep -q '"acme-loom-7"' "$work/log/out" || complain 'device list --json does not show it'
refuses "known are .*acme-loom-7" advise "$source_folder/examples/nbody/nbody.cl" --device acme-loom-8
call advise "$source_folder/examples/nbody/nbody-small.yaml" --device acme-loom-7
grep -q 'Acme Loom 7\|acme-loom-7' "$work/log/out" || complain 'advise does not take it'

# A CUDA program's device.
libraries=$(dirname "$heddle")/cuda
if [ -e "$libraries/libcuda.so.1" ]; then
    cat >program.c <<'END'
#include <stdio.h>
int cuInit(unsigned), cuDeviceGetName(char *, int, int), cuDeviceTotalMem_v2(unsigned long *, int),
    cuDeviceComputeCapability(int *, int *, int);
int main(void) {
    char name[64] = "";
    int major = 0, minor = 0;
    unsigned long bytes = 0;
    cuInit(0);
    cuDeviceGetName(name, sizeof name, 0);
    cuDeviceComputeCapability(&major, &minor, 0);
    cuDeviceTotalMem_v2(&bytes, 0);
    printf("%s %d.%d %lu\n", name, major, minor, bytes);
    return 0;
}
END
    cc -o program program.c "$libraries/libcuda.so.1" -Wl,-rpath-link,"$libraries" ||
        complain 'the program does not link'
    call run --device acme-loom-7 -- ./program
    prints '^Acme Loom 7 8[.]0 7000000000$'
fi
finish
