# Kernels in kir as input: what they take, what they lack, and what is wrong with them.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

accepts show --ir body.cl
cp "$work/log/out" body.kir
sed 's/^kernel: .*/kernel: body.kir/' body.yaml >kir.yaml
for command in "advise --accesses" "advise --costs" "run" "advise --graph" "cache --locality"; do
    # shellcheck disable=SC2086
    accepts $command body.kir --global 256
    # shellcheck disable=SC2086
    accepts $command kir.yaml
done
accepts advise --accesses body.kir --global 256
prints '^push \(body.cl:6\): global 256, local 256' # places are those of the source
accepts advise kir.yaml
accepts show --ir body.kir
cmp -s "$work/log/out" body.kir || complain "kir does not print as itself"
rm body.cl
accepts run kir.yaml # the source need not be there

# Without source text there is nothing to rewrite or to compile.
refuses '^body.kir: error: only source text in OpenCL C or CUDA C can be rewritten' \
    apply kir.yaml --layout soa --out new
refuses '^body.kir: error: ' measure kir.yaml --layout soa
refuses '^body.kir: error: no OpenCL device runs' run kir.yaml --check opencl
refuses '^body.kir: error: .*it takes no compiler options' advise --accesses body.kir --options -DN=3

# One message for each fault, at its place in the .kir file.
sed 's/fadd f32/fadd i32/' body.kir >wrong.kir
sed 's/fmuladd f32/fmuladd i32/' wrong.kir >type.kir
refuses '^type.kir:[0-9]+:[0-9]+: error: kernel push, block b0, ' advise --accesses type.kir
head -n -2 body.kir >short.kir
refuses '^short.kir:[0-9]+:[0-9]+: error: ' run short.kir
printf 'kernel "k" {\nb0:\n    ret\n' >open.kir
refuses "^open.kir:4:1: error: expected an opcode before 'end of text'" run open.kir
echo 'nonsense' >none.kir
refuses "^none.kir:1:1: error: expected rule, file, record or kernel before 'nonsense'" run none.kir
: >empty.kir
refuses '^empty.kir: error: there is no kernel in this file' advise --accesses empty.kir
printf 'kernel "k" { b0: ret }\0' >zero.kir
refuses '^zero.kir: error: this file holds a zero byte' advise --accesses zero.kir
refuses 'gone.kir.*error: ' advise --accesses gone.kir

finish
