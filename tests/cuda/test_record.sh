# Recordings of the program in C of kept/, with PTX that nvcc has made before: what is in them, less
# of it, and what is wrong with one. Those of programs/ are tested where these are built, in
# test_programs.sh. Called with the path of heddle.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cuda/programs.sh"
cc -std=c17 -Wall -Werror -o host "$kept/host.c" "$libraries/libcuda.so.1" -Wl,-rpath-link,"$libraries" ||
    complain 'host.c cannot be built'

accepts record -o kept -- ./host "$kept"
prints '^as expected$'
prints '^5 launches in .*/kept, '
replays kept
accepts run --check expected kept
accepts advise --accesses kept
accepts show kept
accepts cache --locality kept
accepts trace kept -o kept.trace
call record --json -o object -- ./host "$kept"
fits record
refuses 'something in this folder' record -o kept -- ./host "$kept"
refuses 'which folder' record -- ./host "$kept"
refuses "takes the numbers of launches, from 1" record -o other --launches 3-2 -- ./host "$kept"

# Less of it: what is left out shows as memory that was written before the launch.
accepts record -o second --launches 2-5 --every 3 -- ./host "$kept"
prints '^2 launches in '
prints 'not asked for +3$'
replays second
call record -o small --limit 10 -- ./host "$kept"
prints 'contents beyond --limit +[1-9]'

# Results that differ are seen, with their place.
job=$(grep -l 'after:$' kept/*.yaml | head -n 1)
after=$(grep -A 1 'after:$' "$job" | sed -n 's/.*- {\(buffer: .*\)}.*/\1/p' | head -n 1)
buffer=$(sed 's/buffer: \(.*\),.*/\1/' <<<"$after")
file=kept/$(sed 's/.*file: //' <<<"$after")
[[ $file == *.zst ]] || complain "contents that are not packed: $file"
sed "/after:/,\$ s,$(basename "$file"),plain," "$job" >"kept/plain.yaml"
accepts run --dump "$buffer=kept/contents/plain" "$job" # of the last launch, which is one of one
cp kept/contents/plain whole
printf '\377\377\377\377' | dd of=kept/contents/plain bs=1 seek=4 conv=notrunc status=none
cmp -s kept/contents/plain whole && printf '\001' | dd of=kept/contents/plain bs=1 seek=4 conv=notrunc status=none
call run --check expected kept/plain.yaml
[ "$status" -eq 1 ] || complain "a result that differs: exit status $status"
grep -q "leaves in buffer 'm[0-9]*' what is not expected" "$work/log/err" || complain 'no word of the buffer'
cp whole kept/contents/plain
accepts run --check expected kept/plain.yaml

# Contents that are damaged, cut off, of another size or missing are an error that names the file.
cp "$file" packed
name=$(basename "$file")
printf 'x' | dd of="$file" bs=1 seek=$(($(stat -c %s packed) / 2)) conv=notrunc status=none
refuses "$name of buffer '$buffer' is damaged: " run --check expected "$job"
head -c -6 packed >"$file"
refuses "$name of buffer '$buffer' is damaged: it ends too early" run --check expected "$job"
: >"$file"
refuses "$name of buffer '$buffer' is damaged: it ends too early" run --check expected "$job"
cat packed packed >"$file"
refuses "$name does not hold the [0-9]* bytes of buffer '$buffer'" run --check expected "$job"
cp kept/kernels.ptx "$file"
refuses "$name of buffer '$buffer' is damaged: Unknown frame descriptor" run --check expected "$job"
rm "$file"
refuses "cannot open .*$name of buffer '$buffer'" run --check expected "$job"
cp packed "$file"

# A process that ends in any way leaves what it has launched.
sed 's/printf("as expected.*/raise(SIGKILL);/; 1i #include <signal.h>' "$kept/host.c" >killed.c
cc -std=c17 -Wall -Werror -o killed killed.c "$libraries/libcuda.so.1" -Wl,-rpath-link,"$libraries" ||
    complain 'killed.c cannot be built'
call record -o killed-run -- ./killed "$kept"
grep -q 'killed ended with signal 9' "$work/log/err" || complain 'no word of the signal'
prints '^5 launches in '
replays killed-run

# What a recording says in its job, said by hand.
cat >add.cl <<'END'
__kernel void add(__global int *a, int n) { a[get_global_id(0)] += n; }
END
python3 -c '
import struct
for name, first in ("one", 1), ("five", 5), ("seven", 7):
    open(name + ".bin", "wb").write(struct.pack("<64i", *[first + i for i in range(64)]))'
# job NAME BUFFER-KEYS LAUNCH-KEYS ARGUMENT
job() {
    cat >"$1.yaml" <<END
kernel: add.cl
buffers:
  - {name: a, type: int, count: 64, file: one.bin, at: 0x20000000000}
  - {name: b, type: int, count: 64$2}
launches:
  - {kernel: add, global: [64], args: [{name: a, buffer: a}, {name: n, value: 4}], after: [{buffer: a, file: five.bin}]}
  - {kernel: add, global: [64], args: [{name: a, buffer: a}, {name: n, $4}]$3}
END
}
job fine '' ', before: [{buffer: a, file: one.bin}], after: [{buffer: a, file: seven.bin}]' 'bytes: "06000000"'
accepts run --check expected fine.yaml
job other '' ', after: [{buffer: a, file: seven.bin}]' 'bytes: "02000001"'
call run --check expected other.yaml
[ "$status" -eq 1 ] || complain "another result: exit status $status"
grep -q "launch 2 (add) leaves in buffer 'a' .* 64 of 256 bytes differ, first byte 3, which is 0x01 and should be 0x00" \
    "$work/log/err" || complain 'no word of the byte'
job unknown '' '' 'value: 1'
accepts run --check expected unknown.yaml
job nothing '' ', after: []' 'value: 1'
call run --check expected nothing.yaml
[ "$status" -eq 1 ] || complain "a launch that should change nothing: exit status $status"
job short '' '' 'bytes: "0600"'
refuses "short.yaml:7:.*'n' takes 4 bytes, each two of the digits" run short.yaml
job overlap ', at: 0x20000000080' '' 'value: 1'
refuses "overlap.yaml:4:.*'b', 256 bytes at 0x20000000080, overlaps 'a', 256 bytes at" run overlap.yaml
job private ', at: 0x1000000000' '' 'value: 1'
refuses "where the machine has private and local memory" run private.yaml
job null ', at: 8' '' 'value: 1'
refuses "'at: 8' is not a whole number from 4096 on" run null.yaml
job repeated '' ', repeat: 2, before: [{buffer: b, file: one.bin}]' 'value: 1'
refuses "'before' and 'after' say .* leave 'repeat' out" run repeated.yaml
job nobody '' ', before: [{buffer: c, file: one.bin}]' 'value: 1'
refuses "there is no buffer 'c'.* the buffers are: a, b" run nobody.yaml
cat >pair.cl <<'END'
typedef struct pair { float x, y; } pair;
__kernel void add(__global pair *p) { p[get_global_id(0)].x += 1; }
END
cat >pair.yaml <<'END'
kernel: pair.cl
buffers: [{name: p, type: pair, count: 64, at: 0x20000000000}]
launches: [{kernel: add, global: [64], args: [{name: p, buffer: p}]}]
END
accepts run pair.yaml
refuses "pair.yaml:2:.* says 'at', which only the machine takes" run --layout soa pair.yaml
refuses "pair.yaml:2:.* says 'at', which only the machine takes" apply --layout soa --out made pair.yaml
refuses "pair.yaml:2:.* says 'at', which only the machine takes" measure --layout soa pair.yaml
sed 's/, at: 0x20000000000//; s/, after: .*}]}/}/' other.yaml >plain.yaml
refuses 'no launch of this job says with .after.' run --check expected plain.yaml
finish
