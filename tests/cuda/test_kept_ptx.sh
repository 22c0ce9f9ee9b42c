# Kernels of programs/ from the PTX of kept/, which nvcc has made before, launched by the driver
# interface from a program in C: what is tested of whole programs where there is no nvcc.
source "$(dirname "$0")/../cli/lib.sh"
kept=$source_folder/tests/cuda/kept
libraries=$(dirname "$heddle")/cuda
cc -std=c17 -Wall -Werror -o host "$kept/host.c" "$libraries/libcuda.so.1" -Wl,-rpath-link,"$libraries" ||
    complain 'host.c cannot be built'
accepts watch --leaks -- ./host "$kept"
prints '^as expected$'
prints '^5 launches on '
prints '^0 B not freed, of 0 allocations$'
call watch --json --device a100 -- ./host "$kept"
fits watch
call watch -- ./host /nowhere
[ "$status" -eq 2 ] || complain "without PTX: exit status $status"
prints 'CUDA_ERROR_FILE_NOT_FOUND'
finish
