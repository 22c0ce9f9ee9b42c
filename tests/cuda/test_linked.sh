#!/bin/bash
# Programs with CUDA's runtime linked in. Here that is made of functions that end the process, so that a
# program runs only where all of those that it calls have been replaced; test_programs.sh has NVIDIA's.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cuda/programs.sh"
[ "$(uname -m)" = x86_64 ] || { echo 'skipped: code is of another machine'; exit 0; }

# runtime OBJECT NAME...: runtime.o has the calls of the runtime that the object needs, and these.
runtime() {
    local object=$1
    shift
    {
        echo '#include <stdlib.h>'
        { nm -u "$object" | sed -nE 's/^ +U (_*cuda.*)/\1/p'; printf '%s\n' "$@"; } | grep . | sort -u |
            sed 's/.*/__attribute__((aligned(16), visibility("hidden"))) int &(void) { abort(); }/'
    } >runtime.c
    cc -O1 -fPIC -c -o runtime.o runtime.c || complain 'no runtime'
}

cp "$kept/vectors.ptx" .
python3 "$kept/fatbin.py" vectors.ptx vectors.fatbin
compile vectors "$programs/vectors.cu" || complain 'vectors cannot be compiled'
runtime vectors.o
g++ -o alone vectors.o runtime.o
./alone >log 2>&1 && complain 'the runtime of this test does something'
check_program "$programs/vectors.cu" -- ./alone
prints '^1 launch on h100'
check_recording of-alone "$programs/vectors.cu" -- ./alone
g++ -no-pie -o fixed vectors.o runtime.o
check_program "$programs/vectors.cu" -- ./fixed
runtime vectors.o cudaGetDeviceProperties_v2 # 12
g++ -o former vectors.o runtime.o
check_program "$programs/vectors.cu" -- ./former
runtime vectors.o cudaUnbindTexture # 11
g++ -o before vectors.o runtime.o
check_program "$programs/vectors.cu" -- ./before
g++ -fsanitize=address -o checked vectors.o runtime.o # its library wants to be the first one
check_program "$programs/vectors.cu" -- ./checked
strip -o bare alone
refuses 'bare has .* linked in.*strip.*nvcc -cudart shared' run -- ./bare

# Libraries: one that the program is linked with, and one that it opens, twice, once its code has gone.
sed 's/^int main()/extern "C" int run()/' "$programs/vectors.cu" >library.cu
cp "$programs/check.h" .
cp vectors.fatbin library.fatbin
compile library library.cu -fPIC || complain 'no library'
runtime library.o
g++ -shared -o libvectors.so library.o runtime.o
cat >host.c <<'END'
int run(void);
int main(void) { return run(); }
END
cc -o linked host.c -L. -lvectors -Wl,-rpath,"$PWD"
check_program "$programs/vectors.cu" -- ./linked
cat >opens.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    int status = 0;
    for (int i = 0; i < 2; i++) {
        void *library = dlopen("./libvectors.so", RTLD_NOW);
        int (*run)(void);
        if (!library)
            return puts(dlerror());
        *(void **)&run = dlsym(library, "run");
        status |= run();
        dlclose(library);
    }
    return status;
}
END
cc -o opens opens.c -ldl
accepts run -- ./opens
[ "$(grep -cx 'as expected' "$work/log/out")" = 2 ] || complain 'a library that is opened does not run twice'
prints '^2 launches on h200'
finish
