#!/bin/bash
# The compiler's options from a build's compile_commands.json.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"
export CUDA_PATH= # Heddle's own headers

mkdir -p build src headers
echo '#define M 7' >headers/m.h
for name in command arguments other; do
    printf '#include "m.h"\n__global__ void k(int *p) { p[M] = N; }\n' >src/$name.cu
done
cat >build/compile_commands.json <<END
[
  {"directory": "$PWD/build", "file": "$PWD/src/command.cu", "output": "command.o",
   "command": "/usr/bin/nvcc -forward-unknown-to-host-compiler -DN=3 -I../headers --generate-code=arch=compute_80,code=[compute_80,sm_80] -Xcompiler=-fPIC -MD -MT command.o -MF command.d -x cu -rdc=true -c $PWD/src/command.cu -o command.o"},
  {"directory": "$PWD/build", "file": "../src/arguments.cu",
   "arguments": ["nvcc", "-D", "N=4", "-I", "../headers", "-c", "../src/arguments.cu"]}
]
END
for name in command arguments; do
    accepts advise --accesses -p build src/$name.cu
    prints 'store *p *4 *7'
done
accepts show --ir --build build/compile_commands.json src/command.cu
prints 'const i32 3'
# What --options says comes behind.
accepts show --ir -p build --options -UN\ -DN=5 src/command.cu
prints 'const i32 5'

# A file that the build does not know, a build without such a file, one that is none.
refuses '^build/compile_commands.json: error: src/other.cu is none of the files that this build compiles' \
    advise --accesses -p build src/other.cu
refuses 'nowhere/compile_commands.json: error: ' advise --accesses -p nowhere src/command.cu
echo '{"directory": "x"}' >headers/compile_commands.json
refuses '^headers/compile_commands.json:1:1: error: ' advise --accesses -p headers src/command.cu
echo '[{"directory": "x", "files": "y"}]' >headers/compile_commands.json
refuses '^headers/compile_commands.json:1:' advise --accesses -p headers src/command.cu
echo 'kernel: src/command.cu' >job.yaml
refuses 'build goes with a kernel file' advise --accesses -p build job.yaml
finish
