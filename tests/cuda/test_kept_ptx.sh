# Programs of programs/ with their PTX and no nvcc: clang, which Heddle needs anyway, compiles the host's side,
# with Heddle's own headers and kept/runtime.h in place of the toolkit's, and puts the PTX into the program as
# nvcc would. Then three of them by the driver interface, from a program in C.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cuda/programs.sh"
# PTX of some is kept. Where there is nvcc, it makes that of some others: test_programs.sh has them all. Not of
# those that need the toolkit's headers, its linker or another architecture, or what clang does in another way
# than nvcc, or not at all: names of static variables, managed variables, a default stream for each thread.
nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
made=(atomics bodies functions graphs mathematics recursion stencil wide)
for file in "$programs"/*.cu; do
    name=$(basename "$file" .cu)
    if [ -e "$kept/$name.ptx" ]; then
        cp "$kept/$name.ptx" .
    elif [ -x "$nvcc" ] && [[ " ${made[*]} " = *" $name "* ]]; then
        bash "$kept/make.sh" "$name" || complain "nvcc cannot make $name.ptx"
    else
        continue
    fi
    chosen+=("$file")
done
[ "${#chosen[@]}" -ge 6 ] || complain "there is PTX of ${#chosen[@]} programs alone"
printf '%s\n' "${chosen[@]}" | xargs -P 2 -I {} bash -c 'build_kept {} >"$(basename {}).log" 2>&1 || cat "$(basename {}).log"'
for file in "${chosen[@]}"; do
    check_program "$file" -- "./$(basename "$file" .cu)"
done

# What has the runtime linked in says what to do: it has kernels, and no need of a library.
printf 'const char code[8] __attribute__((section(".nv_fatbin"))) = "code";\nint main(void) {}\n' >static.c
cc -o static static.c
refuses 'static has .* linked in.*nvcc -cudart shared' run -- ./static

# Faults are told with the memory, and with what became of it.
call run -- ./illegal
grep -q 'error: store of 4 bytes at byte 400' "$work/log/err" || complain 'no word of the store'
grep -q 'just behind allocation 1 of 400 bytes of device memory' "$work/log/err" ||
    complain 'no word of the memory'
call run -- ./freed
grep -q 'which was freed; it had 4096 bytes' "$work/log/err" || complain 'no word of the freed memory'
grep -q 'and freed at$' "$work/log/err" || complain 'no word of where it was freed'

# refused NAME PATTERN ERROR: vectors with the code of NAME.fatbin says this, and gets this error.
refused() {
    compile "$1" "$programs/vectors.cu" && link "$1" || complain "$1 cannot be built"
    call run -- "./$1"
    grep -Eq -- "$2" "$work/log/err" || complain "$1: not said: $2"
    prints "$3"
}
sed 's/^\.version .*/.version 10.0/' "$kept/vectors.ptx" >later.ptx
python3 "$kept/fatbin.py" later.ptx later.fatbin
refused later 'later .fat binary 1.:[0-9]+: error: PTX of version 10.0 is not supported' cudaErrorUnsupportedPtxVersion
sed 's/add\.f32/frobnicate.f32/' "$kept/vectors.ptx" >unknown.ptx
python3 "$kept/fatbin.py" unknown.ptx unknown.fatbin
refused unknown 'error: there is no instruction frobnicate' cudaErrorInvalidPtx
python3 - vectors.fatbin short.fatbin <<'END'
import sys
with open(sys.argv[1], "rb") as file:
    data = file.read(200)
with open(sys.argv[2], "wb") as file: # what is there is all that the header says
    file.write(data[:8] + (len(data) - 16).to_bytes(8, "little") + data[16:])
END
refused short 'error: .*fat binary' cudaErrorInvalidKernelImage

cc -std=c17 -Wall -Werror -o host "$kept/host.c" "$libraries/libcuda.so.1" -Wl,-rpath-link,"$libraries" ||
    complain 'host.c cannot be built'
accepts run --leaks -- ./host "$kept"
prints '^as expected$'
prints '^5 launches on '
prints '^0 B not freed, of 0 allocations$'
call run -- ./host "$kept" link
[ "$status" -eq 0 ] || complain "run ./host link: exit status $status"
grep -q "the linked PTX:12: error: 'square' is defined twice, first in line 4" "$work/log/err" ||
    complain 'no word of what cannot be linked'
for board in v100 rtx-4090 b200; do
    accepts run --device $board -- ./host "$kept"
    prints '^as expected$'
    prints "^5 launches on $board"
done
call run --json --device a100 -- ./host "$kept"
fits run program
call run -- ./host /nowhere
[ "$status" -eq 2 ] || complain "without PTX: exit status $status"
prints 'CUDA_ERROR_FILE_NOT_FOUND'

# Other commands take a program as they take what was recorded of it.
accepts show --quiet -- ./vectors
prints '^as expected$'
prints ' 375 transactions, '
accepts map --no-caches --quiet -- ./vectors
accepts cache --locality --quiet -- ./vectors
prints '1 launch, 8 blocks, 24 MIs'
accepts advise --accesses --quiet -- ./vectors
prints '^add .*: global 1024, local 128'
call cache --reuse -s 1 --json -- ./vectors
fits cache --reuse
refuses 'there is no program ./absent' show -- ./absent
refuses 'error: there is no option --lines' show --lines -- ./vectors
finish
