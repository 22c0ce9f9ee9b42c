#!/bin/bash
# What a job from anybody may do, and how much memory it takes.
source "$(dirname "$0")/lib.sh"

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
for options in -I -D -include; do
    with_options "$options"
    refuses "^options.yaml:1:10: error: the option '$options' needs a value" run options.yaml
done

cat >more/first.h <<'END'
#define FIRST 1
END
for options in "-DN=3 -D M -UN -U M" "-Imore -I more -isystem more -iquote more -idirafter more" \
    "-include more/first.h" "-I more -include first.h" "-cl-std=CL1.2 -cl-fast-relaxed-math" \
    "-cl-mad-enable -cl-no-signed-zeros -cl-finite-math-only" "-ffast-math -fno-fast-math" \
    "-ffp-contract=fast -fno-signed-zeros" "-O0 -O3 -Ofast -g -w" "-Wall -Wno-unused-variable -W" \
    '-D"M=a b"'; do
    with_options "$options"
    accepts accesses options.yaml
done

with_options -fvisibility=hidden
accepts accesses options.yaml --trust-options
accepts accesses body.cl --options -fvisibility=hidden # the user's own words

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
accepts accesses deep/job/k.yaml
prints 'p\.x'
sed -i 's/-Iheaders/-isystem headers/' deep/job/k.yaml
accepts run deep/job/k.yaml
accepts advise deep/job/k.yaml
mkdir new
accepts rewrite deep/job/k.yaml --layout soa --out new
sed -i 's/-isystem headers/-I nowhere/' deep/job/k.yaml
call accesses deep/job/k.yaml
grep -q "field.h' file not found" "$work/log/err" || complain "another field.h was found"

finish
