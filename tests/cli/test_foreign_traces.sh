#!/bin/bash
# Traces of other tools: files that foreign/write.py makes of a run by Heddle, as the tools write
# them (docs/foreign-input.md), give the counts of that run; layouts are priced from them; and
# files that are cut off, damaged or of another kind are refused at their place.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

foreign=$source_folder/tests/cli/foreign
cp "$foreign"/accesses.* .
record='float x, y, z; int id; float mass'

# counts_of FILE: what its warps made of memory, by kernel, of JSON from show or diff.
cat >counts.py <<'END'
import json, sys
names = ("requests", "transactions", "bytes_moved", "bytes_used", "local_requests")
names = [n for n in names if n not in sys.argv[2:]]
data = json.load(open(sys.argv[1]))
rows = data["kernels"] if "kernels" in data else data["launches"]
for row in rows:
    counts = row.get("devices", [row])[0]
    counts = row["sides"][1]["counts"] if "sides" in row else counts.get("counts", counts)
    print(*(counts[name] for name in names))
END
counts_of() { python3 counts.py "$@"; }

accepts trace accesses.yaml -o run.hdt
accepts trace export run.hdt -o run.text
accepts run accesses.yaml --json
counts_of "$work/log/out" >run
counts_of "$work/log/out" bytes_used >run_without_used
[ "$(wc -l <run)" -eq 4 ] || complain "not four kernels: $(cat run)"
accepts run accesses.yaml --json --layout soa
counts_of "$work/log/out" >run_soa
cmp -s run run_soa && complain "the layout changes nothing"

# written KIND [LAUNCH]: KIND[.LAUNCH] is that trace.
written() { python3 "$foreign/write.py" "$@" <run.text >"$1${2:+.$2}"; }
written mem_trace
written omniprobe
files=(traceg.{0,1,2,3} traceg-list.2 traceg-lines.3 cutracer.{0,1,2,3} cutracer-old.2)
for file in "${files[@]}"; do
    written "${file%.*}" "${file#*.}"
done

# ---- the counts of the run ------------------------------------------------------------------------

# counted FILE WANTED [MEMBERS]: an imported trace has the counts in the file WANTED, without MEMBERS.
counted() {
    local file=$1 wanted=$2
    shift 2
    accepts trace import -q "$file" -o "$file.hdt"
    accepts show --json "$file.hdt"
    counts_of "$work/log/out" "$@" | cmp -s - "$wanted" ||
        complain "$file: $(counts_of "$work/log/out" "$@"), not $(cat "$wanted")"
}
counted mem_trace run
counted omniprobe run_without_used bytes_used
for file in "${files[@]}"; do
    sed -n "$((${file#*.} + 1))p" run >wanted
    counted "$file" wanted
done

# The files themselves are as good as what is imported of them.
for file in mem_trace traceg.2 cutracer.2; do
    accepts show -q --json "$file"
    counts_of "$work/log/out" >found
    accepts show --json "$file.hdt"
    counts_of "$work/log/out" | cmp -s - found || complain "$file: other counts by itself"
done

# What warps do at one place of a kernel is one memory instruction of the block, as in the run.
for launch in 0 1 2 3; do
    accepts trace export run.hdt --launch $launch
    grep -v '^#' "$work/log/out" >plain
    accepts trace export traceg.$launch.hdt
    if [ $launch -ne 3 ]; then # whose local memory has other addresses
        grep -v '^#' "$work/log/out" | awk '/^B/ { print; next } { $2 /= 16; $2 -= 1; print }' |
            cmp -s - plain || complain "launch $launch: other events"
    else
        [ "$(grep -c '^[0-9]' "$work/log/out")" -eq "$(grep -c '^[0-9]' plain)" ] ||
            complain "launch $launch: another number of events"
    fi
done

# ---- what they hold, and lack -----------------------------------------------------------------------

call trace import mem_trace -o other.hdt
[ "$status" -eq 0 ] || complain "import: exit status $status"
says '^mem_trace: note: a trace of NVBit.s mem_trace lacks masks .* and addresses of instructions' \
    '^mem_trace: note: it knows no fields: --record'
call trace import cutracer.0 -o other.hdt
says '^cutracer.0: note: a trace of CUTracer lacks masks \('
call trace import omniprobe -o other.hdt
says '^omniprobe: note: a trace of Omniprobe lacks the bytes of an access'
call trace import traceg.0 -o other.hdt
[ "$(wc -l <"$work/log/err")" -eq 1 ] || complain ".traceg lacks more than fields"
accepts trace info mem_trace.hdt
prints '^mem_trace.hdt: 4 launches, 18 blocks, 87 MIs, '
prints 'version 1, of mem_trace, accesses to global, local$'
prints '^  3 +gather'
prints '^  m4 +global  0x1000000a000 +6400$'
accepts trace info -q mem_trace
prints '^mem_trace: 4 launches, 18 blocks, 87 MIs, '
accepts trace export -q omniprobe --launch 1 --blocks 2
[ "$(grep -c '^B 2 64$' "$work/log/out")" -eq 1 ] || complain "export: not that block"

# ---- every command that takes a trace ----------------------------------------------------------------

for command in "show" "cache" "cache --locality" "cache --reuse -s 1" map; do
    # shellcheck disable=SC2086
    accepts $command -q mem_trace
done
accepts report -q mem_trace -o page.html
[ -s page.html ] || complain "no page"
accepts diff -q --json mem_trace omniprobe
accepts cache --compare -q cutracer.1 traceg.1 -s 1
refuses '^traceg.1: error: this is a trace: options on kernels' cache traceg.1 --count 3

# ---- layouts -----------------------------------------------------------------------------------------

# The kernels are not there; what their accesses would cost is that of the rewritten ones.
array=0x1000000a000+6400
accepts diff -q --json --layout soa --record "$record" --of $array mem_trace
counts_of "$work/log/out" | cmp -s - run_soa || complain "mem_trace in soa: $(cat "$work/log/out")"
accepts diff -q --json --layout soa --record "$record" --of $array omniprobe
counts_of "$work/log/out" bytes_used >found
cut -d' ' -f1-3,5 run_soa | cmp -s - found || complain "omniprobe in soa: $(cat found)"
for kind in traceg cutracer; do # the only piece of memory there is
    accepts show -q --json --layout soa --record "$record" $kind.1
    counts_of "$work/log/out" | cmp -s - <(sed -n 2p run_soa) || complain "$kind in soa"
done
accepts trace import -q --record "$record" --of $array mem_trace -o fields.hdt
accepts trace info fields.hdt
prints '^  [0-9] +load +m4.y +global +4$'
prints '^  [0-9] +load +m4.mass +global +4$'
for layout in aos 'aosoa:16' '{x,y}{z,id,mass}' da; do
    accepts run accesses.yaml --json --as-written --layout "$layout" # no loads merged
    counts_of "$work/log/out" >wanted
    accepts show --json --layout "$layout" fields.hdt
    counts_of "$work/log/out" | cmp -s - wanted ||
        complain "$layout: $(counts_of "$work/log/out"), not $(cat wanted)"
done
# So is a trace that Heddle wrote, and the caches see the same.
accepts show --json --layout soa run.hdt
counts_of "$work/log/out" | cmp -s - run_soa || complain "run.hdt in soa"
accepts cache --json --layout soa fields.hdt
refuses "^fields.hdt: error: --layout: .*|no field 'w'" show --layout '{w}' fields.hdt
refuses '^mem_trace: error: --layout: the trace knows no record' show -q --layout soa mem_trace
refuses '^heddle: error: --layout body=soa: which record\? The trace has: record' \
    show --layout body=soa fields.hdt

refuses '^mem_trace: error: --record: 7 pieces of memory were touched, 0x10000000000\+1288, ' \
    trace import --record "$record" mem_trace -o no.hdt
refuses '^mem_trace: error: --of: nothing at 0x10 was touched' \
    trace import --record "$record" --of 0x10 mem_trace -o no.hdt
for of in 10 0x '' 0x10+ 0x10+0 0x10+x 0xg m4; do
    refuses "^heddle: error: --of takes the address of an array" \
        trace import --record "$record" "--of=$of" mem_trace -o no.hdt
done
refuses "^heddle: error: --of goes with --record" trace import --of 0x10 mem_trace -o no.hdt
refuses "error: 'floa' is no scalar or vector type" \
    trace import --record 'floa x' mem_trace -o no.hdt
refuses "^run.text: error: --record goes with another tool's trace" \
    trace import --record "$record" run.text -o no.hdt

# ---- files that can't be read -------------------------------------------------------------------------

cat >filenames.json <<'END'
{"gfxv":"vega","gfxip":9,"version":"3.0.0","counter_names":[],"global_begin_time":0,"wave_filenames":{}}
END
echo '{"name":"wave","duration":10,"wave":{"cu":0,"instructions":[[10,4,0,4,1]],"timeline":[]}}' >wave.json
echo 'CodeObj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source' >stats.csv
for file in filenames.json wave.json stats.csv; do
    refuses "^$file: error: this is of rocprofv3's thread trace, and is not read: .*no addresses of lanes" \
        trace import $file -o no.hdt
done
echo 'ADDRESS_MESSAGE,timestamp,kernel,src_line,dispatch,exec_mask,xcc_id,se_id,cu_id,kind,address' >addresses.csv
refuses '^addresses.csv: error: this is of Omniprobe, .*log with -t json' trace import addresses.csv -o no.hdt
printf 'CTX 0x5591 - kernel_launch_id 0 - CTA 0,0,0 - warp 0 - PC 64 - LDG.E R2 ;:\n  Memory Addresses:\n' >cutracer.log
refuses '^cutracer.log: error: this is of CUTracer, .*CUTRACER_TRACE_FORMAT=ndjson' trace import cutracer.log -o no.hdt
{ sed '/^#BEGIN_TB/,$d' traceg.0; echo '0 0 0 0 0010 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000 4 0'; } >raw.trace
refuses "^raw.trace: error: this is of Accel-Sim's tracer, .*post-traces-processing" trace import raw.trace -o no.hdt
if command -v xz >/dev/null; then
    xz -k traceg.0
    refuses "^traceg.0.xz: error: this is of xz, .*xz -dk" trace import traceg.0.xz -o no.hdt
fi
printf '\x28\xb5\x2f\xfd\x00' >cutracer.zst
refuses "^cutracer.zst: error: this is of zstd, .*zstd -dk" show cutracer.zst
: >empty
refuses "^empty:1:1: error: .*'# heddle-trace-text 1'.*Accel-Sim's .traceg, CUTracer, Omniprobe, NVBit's mem_trace are read" \
    trace import empty -o no.hdt
refuses "^empty: error: neither a trace \(.*NVBit's mem_trace.*\) nor a job" show empty

# changed FILE SED: changed is the file after that command.
changed() { sed "$2" "$1" >changed; }
# at LINE:COLUMN PATTERN FILE SED: the change is refused there.
at() {
    changed "$3" "$4"
    refuses "^changed:$1: error: $2" trace import changed -o no.hdt
}
at '4:[0-9]+' "'x' is not a launch's number" mem_trace '4s/grid_launch_id 0/grid_launch_id x/'
at '4:[0-9]+' 'a block has three numbers' mem_trace '4s/CTA 0,0,0/CTA 0,0/'
at '4:1' 'block 9,0,0 is beyond the grid of 5,1,1' mem_trace '4s/CTA 0,0,0/CTA 9,0,0/'
at '2:1' 'the grid has 4294836225 blocks, and 67108864 are read at most' mem_trace '2s/grid size 5,1,1/grid size 65535,65535,1/'
at '4:[0-9]+' 'here must be an address, as 0x' mem_trace '4s/ 0x[0-9a-f]* $/ 7 /'
at '4:[0-9]+' 'here must be one of 32 addresses' mem_trace '4s/ 0x[0-9a-f]* $//'
at '[0-9]+:1' 'warp 2 is beyond its block, which has 64 threads' traceg.0 's/^warp = 1/warp = 2/'
at '[0-9]+:[0-9]+' 'here must be an address' traceg.0 's/ 1 0x10000000000 4 0/ 1/'
at '[0-9]+:[0-9]+' '3 is not how addresses are written|.3. is not how' traceg.0 's/ 4 1 0x/ 4 3 0x/'
at '[0-9]+:1' '1 instructions of warp 0 of block 0,0,0 are missing' traceg.0 's/^insts = 5/insts = 6/'
at '[0-9]+:1' 'the warp has more instructions than its' traceg.0 's/^insts = 5/insts = 4/'
at '[0-9]+:1' 'an instruction must stand in a warp' traceg.0 '/^warp = /d'
at '[0-9]+:1' 'the block before has no .#END_TB.' traceg.0 '/^#END_TB/d'
at '[0-9]+:1' 'block 7,0,0 is beyond the grid' traceg.0 's/^thread block = 4,0,0/thread block = 7,0,0/'
at '[0-9]+:1' 'lane 31 of warp 2 is beyond its block, which has 80 threads' traceg.2 's/ 0000[0-9a-f]* 1 R2/ 80000000 1 R2/'
at '2:[0-9]+' 'a warp has 32 addresses' cutracer.0 '2s/"addrs":\[[0-9]*,/"addrs":[/'
at '2:[0-9]+' 'a block must have three numbers' cutracer.0 '2s/"cta":\[0,0,0\]/"cta":[0,0]/'
at '2:[0-9]+' 'here must be a launch.s number' cutracer.0 '2s/"grid_launch_id":0/"grid_launch_id":"0"/'
at '1:1' 'nothing says which instruction this is' cutracer.0 1d
at '2:[0-9]+' 'the line must end behind the object' cutracer.0 '2s/$/}/'
at '1:[0-9]+' 'the mask in "exec" has 63 lanes' omniprobe '1s/"exec": [0-9]*/"exec": 9223372036854775807/'
at '1:[0-9]+' 'here must be a wave.s number' omniprobe '1s/"wave_num": 0/"wave_num": 5000/'
at '1:[0-9]+' 'here must be a member' omniprobe '1s/"timestamp": 12345,/"timestamp": 12345,,/'
at '1:1' 'no access to memory is in this trace' mem_trace '/grid_launch_id/d'

# Cut off in a line: never a trace, nor anything left. At the end of one it may be.
for file in mem_trace traceg.3 cutracer.3 omniprobe; do
    size=$(stat -c %s "$file")
    for part in 1 3 6; do
        head -c $((size * part / 7 + part)) "$file" >cut
        call trace import -q cut -o cut.hdt
        [ "$status" -eq 2 ] && [ ! -e cut.hdt ] && [ ! -e cut.hdt.part ] ||
            complain "$file, part $part of 7: exit status $status"
        matches '^cut:[0-9]+:[0-9]+: error: ' "$work/log/err" || complain "$file, part $part of 7"
        rm -f cut.hdt
    done
done

# Two kinds in one file: what is not of the first is refused, or passed over as a program's output.
cat traceg.0 mem_trace >mixed
refuses '^mixed:[0-9]+:1: error: ' trace import mixed -o no.hdt
cat cutracer.0 omniprobe >mixed
refuses '^mixed:[0-9]+:[0-9]+: error: ' trace import mixed -o no.hdt

# Any byte may be another: an error with a place or a trace, never another end.
cat >damage.py <<'END'
import random, sys
data = bytearray(open(sys.argv[1], "rb").read())
chance = random.Random(int(sys.argv[2]))
for _ in range(3):
    data[chance.randrange(len(data))] = chance.choice(b'0x,"{}[]- \n\x009')
sys.stdout.buffer.write(data)
END
for case in $(seq 0 23); do
    tried "$case" 3 || continue
    set -- mem_trace traceg.2 cutracer.3 omniprobe
    shift $((case % 4))
    python3 damage.py "$1" "$case" >damaged
    call trace import -q damaged -o damaged.hdt
    case $status in
    0) [ -s damaged.hdt ] || complain "damaged $case: no file" ;;
    2) matches '^damaged(:[0-9]+:[0-9]+)?: error: ' "$work/log/err" && [ ! -e damaged.hdt ] ||
        complain "damaged $case" ;;
    *) complain "damaged $case: exit status $status" ;;
    esac
    rm -f damaged.hdt
done

finish
