#!/bin/bash
# What a job from anybody may do, and how much memory it takes.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# ---- compiler options of a job ------------------------------------------------------

# with_options TEXT: options.yaml is body.yaml with these options.
with_options() {
    { echo "options: '$1'"; cat body.yaml; } >options.yaml
}

echo "-fvisibility=hidden" >words
mkdir more
for options in -fplugin=./plugin.so -fpass-plugin=./plugin.so @words "-MD -MF made.d" -Wp,-MD,made.d \
    "-o made.o" -save-temps "-Xclang -load -Xclang ./plugin.so" "-mllvm -stats" body.cl -- - \
    "-include-pch words" -Bmore --config=words -specs=words -ftime-trace=made.json -S -E \
    -gsplit-dwarf -fcrash-diagnostics-dir=more -m32 "-x c" -target "-DA -fvisibility=hidden"; do
    with_options "$options"
    unknown=${options##-DA }
    unknown=${unknown%% *}
    refuses "^options.yaml:1:10: error: a job may not give the compiler the option '$unknown'.*--trust-options" \
        run options.yaml
done
# A file of words, where a value stands.
for options in "-D @words" "-U @words" "-I @words" "-isystem @words" "-include @words" -D@words \
    -U@words -I@words; do
    with_options "$options"
    refuses "^options.yaml:1:10: error: a job may not give the compiler the option '${options##* }'" \
        run options.yaml
done
# with_kernel PATH: kernel.yaml is body.yaml with a copy of its kernel.
with_kernel() {
    cp body.cl "./$1"
    sed "s|^kernel: .*|kernel: '$1'|" body.yaml >kernel.yaml
}
# A kernel's path is no option and no file of words.
mkdir -- -fpass-plugin=. @more
for kernel in -body.cl -fpass-plugin=./body.cl @more/body.cl; do
    with_kernel "$kernel"
    accepts advise --accesses kernel.yaml
done
for kernel in @body.cl more/@body.cl; do
    with_kernel "$kernel"
    refuses "@body.cl: error: to clang a name that begins with '@' is a list of options; rename" \
        advise --accesses kernel.yaml
done
for options in -I -D -include; do
    with_options "$options"
    refuses "^options.yaml:1:10: error: the option '$options' needs a value" run options.yaml
done

cat >more/first.h <<'END'
#define FIRST 1
END
with_options "-DN=3 -D M -UN -U M -Imore -I more -isystem more -iquote more -idirafter more \
-include more/first.h -include first.h -ffast-math -fno-fast-math -ffp-contract=fast \
-fno-signed-zeros -O0 -O3 -Ofast -g -w -Wall -Wno-unused-variable -W -D\"M=a b\""
accepts advise --accesses options.yaml
with_options "-cl-std=CL1.2 -cl-fast-relaxed-math -cl-mad-enable -cl-no-signed-zeros \
-cl-finite-math-only"
accepts advise --accesses options.yaml

with_options -fvisibility=hidden
accepts advise --accesses options.yaml --trust-options
accepts advise --accesses body.cl --options -fvisibility=hidden # the user's own words

# ---- folders and headers are seen from the job --------------------------------------

mkdir -p deep/job/headers deep/job/plain headers
echo '#define FIELD 1' >deep/job/headers/field.h
echo '#error of the folder that heddle is called in' >headers/field.h
echo '#define STEP 2.0f' >"deep/job/plain/a step.h"
cat >deep/job/k.cl <<'END'
#include <field.h>
struct s { float x, y; };
__kernel void k(__global struct s *p) { float v = p[get_global_id(0)].x; p[get_global_id(0)].y = v + STEP + FIELD; }
END
cat >deep/job/k.yaml <<'END'
kernel: k.cl
options: "-Iheaders -include 'plain/a step.h'"
buffers: [{name: p, type: s, count: 64}]
launches: [{kernel: k, global: [64], args: [{name: p, buffer: p}]}]
END
accepts advise --accesses deep/job/k.yaml
prints 'p\.x'
sed -i 's/-Iheaders/-isystem headers/' deep/job/k.yaml
accepts run deep/job/k.yaml
accepts advise deep/job/k.yaml
mkdir new
accepts apply deep/job/k.yaml --layout soa --out new
sed -i 's/-isystem headers/-I nowhere/' deep/job/k.yaml
call advise --accesses deep/job/k.yaml
grep -q "field.h' file not found" "$work/log/err" || complain "another field.h was found"

# ---- memory and time follow what a file says, not its powers -------------------------

# Sanitizers reserve more than any limit.
{ (ulimit -v 4000000; exec "$heddle" --version) && limits=yes || limits=no; } >/dev/null 2>&1

# bounded MIB ARGUMENTS: as call, with so much memory and a minute (sanitized: ten), which is far
# more than it takes.
bounded() {
    local mib=$1
    shift
    if [ "$limits" = yes ]; then
        (ulimit -v $((mib * 1024)) && timeout 60 "$heddle" "$@" >"$work/log/out" 2>"$work/log/err" </dev/null)
    else
        ASAN_OPTIONS="${ASAN_OPTIONS:-}:hard_rss_limit_mb=$((2 * mib)):quarantine_size_mb=16" \
            timeout 600 "$heddle" "$@" >"$work/log/out" 2>"$work/log/err" </dev/null
    fi
    status=$?
    [ "$status" -eq 0 ] || complain "with $mib MiB, heddle $*: exit status $status"
}

{
    sed '/^launches/,$d' body.yaml
    echo "launches:"
    for ((l = 0; l < 100000; l++)); do
        echo "  - {kernel: push, global: [256], args: [{name: bodies, buffer: bodies}, {name: dt, value: 1}]}"
    done
} >launches.yaml
bounded 1024 advise --accesses launches.yaml
# The same on one line, of which every message would show a part.
{ sed '/^launches/,$d' body.yaml; echo -n "launches: ["
  sed -n 's/^  - \(.*\)/\1,/p' launches.yaml | tail -20000 | tr -d '\n'; echo "]"; } >line.yaml
bounded 1024 advise --accesses line.yaml

cat >large.cl <<'END'
struct large { int id; float d[1000000]; struct { short a; int b; } s[1000]; };
__kernel void k(__global struct large *p) { int i = get_global_id(0); p[0].d[i] += p[0].s[i].b; }
END
cat >large.yaml <<'END'
kernel: large.cl
buffers:
  - name: p
    type: large
    count: 2
    init:
      - {field: d, generator: uniform, low: -1, high: 1, seed: 1}
      - {field: "d[77]", generator: constant, low: 3}
      - {field: "s[999].b", generator: iota}
launches: [{kernel: k, global: [64], args: [{name: p, buffer: p}]}]
END
bounded 1024 run large.yaml
bounded 1024 run large.cl --count 2 --global 64
sed 's/1000000/5000000/' large.cl >huge.cl
sed 's/large.cl/huge.cl/' large.yaml >huge.yaml
refuses "^huge.yaml:3:5: error: record 'large' of buffer 'p' has .* more than 16 MiB" run huge.yaml

for depth in 2000 200000; do
    head -c $depth /dev/zero | tr '\0' '[' >nested.yaml
    refuses "^nested.yaml:1:[0-9]+: error: this is nested too deep" run nested.yaml
done
{ echo "kernel: body.cl"; echo "a: &a [x, x, x, x, x, x, x, x]"; echo "b: &b [*a, *a, *a, *a]"; } >bomb.yaml
refuses "^bomb.yaml:3:8: error: aliases are not read here" run bomb.yaml

# Twenty functions that each call the next one twice are a million copies of the last.
{
    echo "float f0(float x) { return x * 1.5f; }"
    for ((f = 1; f <= 20; f++)); do
        echo "float f$f(float x) { return f$((f - 1))(x) + f$((f - 1))(x * 2); }"
    done
    echo "__kernel void k(__global float *p) { p[get_global_id(0)] = f20(1); }"
} >calls.cl
refuses "^calls.cl:1[0-9]:[0-9]+: error: functions are inlined, .* of 'f[0-9]+' here 'f[0-9]+' has more than" show --ir calls.cl
cat >unused.cl <<'END'
float again(float x) { return x > 0 ? again(x - 1) + again(x - 2) : x; }
__kernel void k(__global float *p) { p[get_global_id(0)] = 1; }
END
accepts show --ir unused.cl # nobody calls it

# ---- contents ------------------------------------------------------------------------

sed 's/count: 256/count: 1e9/' body.yaml >heavy.yaml
if [ "$limits" = yes ]; then
    (ulimit -v 4000000; "$heddle" run heavy.yaml >"$work/log/out" 2>"$work/log/err")
    status=$?
    [ "$status" -eq 2 ] || complain "without memory for a buffer: exit status $status"
    grep -Eq "^heavy.yaml:4:5: error: to fill buffer 'bodies' takes 22888 MiB of memory" \
        "$work/log/err" || complain "without memory for a buffer: another message"
    { echo "graphs: [{name: g, generator: mesh, nodes: 5e7}]"; cat body.yaml; } >mesh.yaml
    (ulimit -v 4000000; "$heddle" run mesh.yaml >"$work/log/out" 2>"$work/log/err")
    status=$?
    [ "$status" -eq 2 ] || complain "without memory for a graph: exit status $status"
    grep -Eq "^mesh.yaml:1:10: error: to make a mesh of 50000000 nodes takes about [0-9]+ MiB" \
        "$work/log/err" || complain "without memory for a graph: another message"
fi

# A signal ends the making of contents, which would take minutes here.
{
    echo "kernel: body.cl"
    echo "buffers:"
    echo "  - name: bodies"
    echo "    type: body"
    echo "    count: 1e7"
    echo "    init:"
    for ((i = 0; i < 20000; i++)); do
        echo "      - {field: x, generator: uniform, seed: $i}"
    done
    sed -n '/^launches/,$p' body.yaml
} >slow.yaml
mkdir "$work/scratch"
for command in run "cache --locality --json"; do
    TMPDIR=$work/scratch timeout --foreground --preserve-status -k 60 -s INT 2 \
        "$heddle" $command slow.yaml >"$work/log/out" 2>"$work/log/err" </dev/null
    status=$?
    [ "$status" -eq 130 ] || complain "a signal while contents are made: $command: exit status $status"
    [ -z "$(ls "$work/scratch")" ] || complain "a signal while contents are made: $command left files"
done

finish
