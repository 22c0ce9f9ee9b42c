# heddle show, diff, and run in layouts: counts on the lines they belong to, findings, limits.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# ---- one file ------------------------------------------------------------------------------

# body.cl: 256 bodies of 12 bytes; its last line but one has two loads and a store, 8 warps each.
line=$(grep -n 'x += ' body.cl | cut -d: -f1)
accepts show body.yaml
prints '^body.yaml on h200$'
prints '^body.cl$'
prints '^ +share  requests  transactions +moved +used +L1 +L2 +DRAM  line  source$'
prints "^ +[0-9.]+% +[0-9]+ +[0-9]+ +[0-9.]+ (B|KiB) +[0-9.]+% .* +$line  +[^ ]"
[ "$(sed -n '/^body.cl$/,$p' "$work/log/out" | tail -n +3 | wc -l)" -eq "$(wc -l <body.cl)" ] ||
    complain "not every line of the source is shown"
accepts show body.yaml --top 1
[ "$(grep -c '%' "$work/log/out")" -eq 2 ] || complain "--top 1 shows other than one line"
accepts show body.yaml --no-caches
prints '^ +share  requests  transactions +moved +used  line  source$'
accepts show body.yaml --device tesla-c1060
prints '^ +share  requests  transactions +moved +used  line  source$'
accepts show body.yaml --json
fits show

# ---- what people write: headers, macros, tabs, CRLF, long lines, UTF-8 -----------------------

cat >records.h <<'END'
typedef struct cell { float a, b; int n; float v[2]; } cell;
#define A(i) cells[i].a
static float twice(__global cell *cells, int i) {
	return 2 * cells[i].b;
}
END
cat >odd.cl <<'END'
#include "records.h"
__kernel void odd(__global cell *cells, __global cell *others, __global float *out) {
    int i = get_global_id(0);
	A(i) += twice(cells, i); // ä tab before, and a long line that no terminal has room for, ö
    cell whole = others[i];
    whole.n++;
    others[i] = whole;
    out[i] = whole.v[1] +
             cells[i].v[0];
}
END
sed -i 's/$/\r/' odd.cl
accepts show odd.cl --global 256
prints '^odd.cl$'
prints '^records.h$'
prints '^ +[0-9.]+% .* 4          A\(i\) \+= twice\(cells, i\); // ä tab before, and .*, ö$'
prints '^ +[0-9.]+% .* 4          return 2 \* cells\[i\].b;$'
! grep -q $'\r' "$work/log/out" || complain "carriage returns are printed"
accepts show odd.cl --global 256 --by-cost
prints '^ .* records.h:4  return 2 \* cells'

# In a layout the same lines and fields, though other kernels ran; where no struct is copied as a
# whole, the same requests, too.
places() {
    tr -d ' \n' <"$work/log/out" | grep -Eo "$1" | sort
}
accepts show odd.cl --global 256 --json
places '"line":[0-9]+,"source":|"name":"[^"]*"' >"$work/lines"
grep -q '"name":"cell.b"' "$work/lines" && [ "$(grep -c '"line"' "$work/lines")" -eq 6 ] ||
    complain "the fields and lines of odd.cl are not all there"
accepts show body.yaml --json
places '"line":[0-9]+,"source":|"name":"[^"]*"|"requests":[0-9]+' >"$work/requests"
for layout in soa '{X}{Y}:4' '{X}{Y}/da'; do
    odd=${layout/X/a,n} body=${layout/X/x,tag}
    accepts show odd.cl --global 256 --layout "${odd/Y/b,v}" --json
    fits show
    places '"line":[0-9]+,"source":|"name":"[^"]*"' | cmp -s - "$work/lines" ||
        complain "in $layout other lines or fields of odd.cl"
    accepts show body.yaml --layout "${body/Y/y}" --json
    places '"line":[0-9]+,"source":|"name":"[^"]*"|"requests":[0-9]+' | cmp -s - "$work/requests" ||
        complain "in $layout other lines, fields or requests of body.cl"
done

# A terminal: colour, and lines that end in its width.
if script --version >/dev/null 2>&1; then
    COLUMNS=60 script -qec "'$heddle' show odd.cl --global 256 -q" /dev/null >"$work/log/out"
    grep -q $'\033\[31m' "$work/log/out" || complain "no colour on a terminal"
    sed $'s/\033\\[[0-9]*m//g; s/\r//g' "$work/log/out" >"$work/plain"
    grep -q '…$' "$work/plain" || complain "long lines are not cut on a terminal"
    [ "$(grep -v ' requests, ' "$work/plain" | LC_ALL=C.UTF-8 wc -L)" -eq 60 ] ||
        complain "lines are wider than the terminal, or shorter"
    NO_COLOR=1 script -qec "'$heddle' show odd.cl --global 256 -q" /dev/null >"$work/log/out"
    ! grep -q $'\033' "$work/log/out" || complain "colour in spite of NO_COLOR"
fi

# ---- local memory -----------------------------------------------------------------------------

cat >tile.cl <<'END'
__kernel void tile(__global float *out, __global const float *in) {
    __local float t[32 * 32];
    int x = get_local_id(0), y = get_local_id(1);
    t[y * 32 + x] = in[y * 32 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * 32 + x] = t[x * 32 + y];
}
END
accepts show tile.cl --global 32,32 --local 32,32 --count 1024
prints 'local memory: 1.06k passes, 992 conflicts$'
prints ' 32 +0 +4      t\[y'
prints ' 1.02k +992 +6      out\['
accepts run tile.cl --global 32,32 --local 32,32 --count 1024 --accesses
prints '^Local memory on h200, in 32 banks of 4 bytes$'
prints '^  tile +1,1 x 32,32 +64 +1.06k +992$'
prints '^ +6  load +t +0 .* 32 +1.02k +992$'
accepts run tile.cl --global 32,32 --local 32,32 --count 1024 --device tesla-c1060
prints '^  tile +1,1 x 32,32 +64 +1.09k +960$' # 16 banks: half-warps, with 16 passes each

# ---- run in a layout ---------------------------------------------------------------------------

accepts run body.yaml --dump bodies=as-it-is.bin
accepts run body.yaml --layout soa --dump bodies=soa.bin --check bodies=as-it-is.bin --accesses
prints '^Equal to the reference: yes$'
prints '^Accesses of push on h200$'
cmp -s as-it-is.bin soa.bin || complain "in a layout a buffer is not as the original has it"
accepts run body.yaml --layout soa --accesses --json
fits run
grep -q "body.cl" "$work/log/out" || complain "places in a layout do not name the kernel file"
! grep -q '/tmp' "$work/log/out" || complain "places in a layout name temporary files"
refuses "body.yaml:.*'.*' take [0-9]+ bytes, in place of .*a tile has many more elements" run body.yaml --layout aosoa:1073741824
refuses "no field 'nosuch'|'nosuch'" run body.yaml --layout '{nosuch}'
cat >refused.cl <<'END'
typedef struct { float x, y; } R;
__kernel void k(__global R *p) { __global float *f = (__global float *)p; f[get_global_id(0)]++; }
END
refuses '^refused.cl:2:.*error: ' run refused.cl --global 64 --layout soa
refuses '^refused.cl:2:.*error: ' show refused.cl --global 64 --layout soa
refuses 'error: --layout and --races: choose one' run body.yaml --races --layout soa
accepts run refused.cl --global 64 --layout aos # the layout that it has: nothing is rewritten

# ---- findings and limits -------------------------------------------------------------------------

accepts show odd.cl --global 256 --sarif odd.sarif
prints '^wrote odd.sarif$'
cat >"$work/log/wanted" <<'END'
"$schema": "https://json.schemastore.org/sarif-2.1.0.json"
"version": "2.1.0"
"name": "heddle"
"id": "heddle/uncoalesced"
"id": "heddle/bank-conflict"
"ruleId": "heddle/uncoalesced"
"level": "warning"
"uri": "odd.cl"
"uri": "records.h"
"startLine": 4
"bytesWasted": 
END
while read -r wanted; do
    grep -qF "$wanted" odd.sarif || complain "odd.sarif has no $wanted"
done <"$work/log/wanted"
accepts show tile.cl --global 32,32 --local 32,32 --count 1024 --sarif tile.sarif
[ "$(grep -c '"ruleId"' tile.sarif)" -eq 1 ] && grep -q '"ruleId": "heddle/bank-conflict"' tile.sarif ||
    complain "tile.sarif has other findings than its one conflict"
accepts show tile.cl --global 32,32 --local 32,32 --count 1024 --fail-below 100%
call show odd.cl --global 256 --fail-below 90%
[ "$status" -eq 1 ] || complain "--fail-below: exit status $status, not 1"
grep -Eq "error: kernel 'odd' uses [0-9.]+% of the bytes that it moves, less than 90.0%" \
    "$work/log/err" || complain "--fail-below does not name the kernel"
prints '^odd.cl$'
accepts show odd.cl --global 256 --fail-below 1
for nonsense in 0 -1 101% half 50%% nan ''; do
    refuses 'error: --fail-below takes a share' show odd.cl --fail-below "$nonsense"
done
refuses '^absent/x.sarif: error: --sarif: there is no folder' show odd.cl --sarif absent/x.sarif
refuses '^odd.cl: error: .*replaced' show odd.cl --sarif odd.cl
refuses '^body.cl: error: .*replaced' show body.yaml --sarif body.cl
refuses "error: .*'zigzag'" show body.yaml --layout zigzag
refuses '^missing.yaml: error: ' show missing.yaml
sed 's/kernel: .*/kernel: missing.cl/' body.yaml >lost.yaml
refuses 'missing.cl' show lost.yaml
sed '/ init:/,/iota/d; s/^    count: 256/&\n    file: missing.bin/' body.yaml >empty.yaml
refuses 'missing.bin' show empty.yaml
refuses 'missing.bin' show empty.yaml --layout soa
sed 's/bodies\[i\].y/bodies[i + 4096].y/' body.cl >beyond.cl
refuses '^beyond.cl:8:[0-9]+: error: load of 4 bytes' show beyond.cl --global 64 --sarif no.sarif
refuses '^beyond.cl \(rewritten\):[0-9]+:[0-9]+: error: load of 4 bytes' \
    show beyond.cl --global 64 --layout soa

# ---- diff -------------------------------------------------------------------------------------------

accepts diff body.yaml --layout aos --layout soa
prints '^  line  transactions aos  transactions soa  ratio  moved aos  moved soa  source$'
prints "^ +$line +[0-9]+ +[0-9]+  0\\.[0-9]+x "
prints '^  in all '
accepts diff body.yaml --layout soa --caches
prints '^  line .* DRAM original  DRAM soa  source$'
prints '^original: body.yaml on h200$'
accepts trace body.yaml -o body.hdt
accepts diff body.hdt body.yaml
[ "$(grep -c ' 1.00x ' "$work/log/out")" -ge 4 ] || complain "a trace differs from its job"
accepts show body.hdt
prints '^body.cl$'
accepts show body.hdt --layout soa
prints '^body.hdt in soa on '
refuses 'body.hdt: error: this is a trace' show body.hdt --global 64
# Buffers that are the fields of a record, which a layout brings together, keep their names.
accepts diff "$source_folder/tests/rewrite/jobs/arrays.yaml" --layout aos
prints '^  x +34 +254 +7.47x '
prints '^  z +48 +384 +8.00x '
# Two versions of a source: a line went, another came, the others are matched by their text.
sed '1i // new' odd.cl | sed 's/cells\[i\].v\[0\]/cells[i].v[1]/' >new.cl
accepts diff odd.cl new.cl --global 256 --json
fits diff
tr -d ' \n' <"$work/log/out" >"$work/flat"
grep -q '"line":4,"other_line":5' "$work/flat" || complain "a line that moved is not matched"
grep -q '"line":null,"other_line":10' "$work/flat" || complain "a new line is not by itself"
refuses 'error: which two\?' diff body.yaml
refuses 'error: which two\?' diff body.yaml --layout aos --layout soa --layout da
refuses 'error: --layout goes with one job' diff body.yaml odd.cl --layout soa
refuses 'error: which file\?' diff
finish
