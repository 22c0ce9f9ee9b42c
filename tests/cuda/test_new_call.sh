# A new call of CUDA's is one row of kernel/cuda_calls.def and one function; a row whose function is
# missing does not link, and a call that is refused says why. In a copy of the sources, built by the
# build's own description over its libraries.
source "$(dirname "$0")/../folder.sh"
source_folder=${HEDDLE_SOURCE:?} build=${HEDDLE_BUILD:?}
cd "$work" || exit 2
fail() { echo "FAILED: $*"; exit 1; }
[ -f "$build/cuda/libheddle-cuda.so" ] || { echo 'skipped: the stand-ins for CUDA are not built'; exit 0; }
mkdir -p src/cuda src/kernel
cp -r "$source_folder"/src/cuda/{interfaces,runtime,driver,libraries.cmake,*.h} src/cuda/
cp "$source_folder/src/kernel/cuda_calls.def" src/kernel/
for folder in base device layout machine watch; do ln -s "$source_folder/src/$folder" "src/$folder"; done
ln -s "$source_folder/include" include
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(new_call C)
set(CMAKE_C_STANDARD 17)
add_compile_options(-D_GNU_SOURCE)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(src/cuda/libraries.cmake)
add_library(process SHARED IMPORTED)
set_target_properties(process PROPERTIES IMPORTED_LOCATION $build/cuda/libheddle-cuda.so)
add_library(heddle_base STATIC IMPORTED)
set_target_properties(heddle_base PROPERTIES IMPORTED_LOCATION $build/src/libheddle_base.a)
heddle_cuda_interface(driver process \${CMAKE_BINARY_DIR} libcuda.so.1 DRIVER "" \${cuda_driver_sources})
END
make_driver() { cmake -S . -B made >log 2>&1 && cmake --build made -j2 >>log 2>&1; }

# The row and the function.
echo 'CALL(cuDeviceGetFavouriteNumber, DRIVER, STREAM)' >>src/kernel/cuda_calls.def
cat >src/cuda/driver/favourite.c <<'END'
#include "cuda/interfaces/call.h"
CALL_EARLY(cuDeviceGetFavouriteNumber, (int *number, int device), number, device) {
    return device ? CUDA_INVALID_DEVICE : GIVE(number, (int)p->device.profile->warp + 10);
}
END
make_driver || { tail -n 20 log; fail 'a row and a function do not build'; }
cat >program.c <<'END'
#include <stdio.h>
int cuInit(unsigned);
int cuDeviceGetFavouriteNumber(int *, int), cuDeviceGetFavouriteNumber_ptsz(int *, int);
int cuArrayCreate_v2(void);
int main(void) {
    int number = 0;
    int before = cuDeviceGetFavouriteNumber(&number, 0);
    cuInit(0);
    int after = cuDeviceGetFavouriteNumber_ptsz(&number, 0);
    printf("%d %d %d %d\n", before, after, number, cuArrayCreate_v2());
    return 0;
}
END
cc -o program program.c made/libcuda.so.1 -Wl,-rpath,"$work/made" -Wl,-rpath-link,"$build/cuda" ||
    fail 'no program links with the new call'
export LD_LIBRARY_PATH=$work/made:$build/cuda
[ "$(HEDDLE_DEVICE=h200 ./program 2>messages)" = '3 0 42 801' ] || { cat messages; fail 'the call does not do what it does'; }
grep -q 'cuArrayCreate_v2() is not there.*nor are textures and surfaces' messages ||
    { cat messages; fail 'a refused call does not say why'; }

# The row alone.
rm src/cuda/driver/favourite.c
! make_driver || fail 'a row without a function builds'
grep -q 'undefined.*cuDeviceGetFavouriteNumber' log ||
    { tail -n 20 log; fail 'what is missing is not named'; }
echo 'a call is a row and a function'
