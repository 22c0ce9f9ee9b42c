# Jobs with groups of launches, what is written between launches, and rounds that end early: each
# leaves what the same job leaves that is written out, launch by launch.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

cat >k.cl <<'END_OF_FILE'
struct cell { float x; int n; };
__kernel void add(__global int *a, int by) { a[get_global_id(0)] += by; }
__kernel void double_it(__global const int *a, __global int *b) {
    b[get_global_id(0)] = 2 * a[get_global_id(0)];
}
__kernel void count_down(__global int *left) {
    if (get_global_id(0) == 0)
        left[1]--;
}
__kernel void grow(__global struct cell *cells) { cells[get_global_id(0)].n++; }
END_OF_FILE

# job NAME LAUNCHES: with buffers a and b.
job() {
    cat >"$1.yaml" <<END_OF_FILE
kernel: k.cl
buffers:
  - {name: a, type: int, count: 64, init: [{generator: iota}]}
  - {name: b, type: int, count: 64}
  - {name: left, type: int, count: 2, init: [{generator: constant, low: 5}]}
launches:
$2
END_OF_FILE
}
add() { echo "  - {kernel: add, global: [64], args: [{name: a, buffer: a}, {name: by, value: $1}]}"; }
twice="  - {kernel: double_it, global: [64], args: [{name: a, buffer: a}, {name: b, buffer: b}]}"
inside() { sed 's/^/    /'; }

# same A B: two jobs leave the same.
same() {
    for which in "$1" "$2"; do
        accepts run --dump "a=$which.a" --dump "b=$which.b" --dump "left=$which.left" "$which.yaml"
    done
    cmp -s "$1.a" "$2.a" && cmp -s "$1.b" "$2.b" && cmp -s "$1.left" "$2.left" ||
        complain "$1.yaml and $2.yaml leave different values"
}
differ() { ! cmp -s "$1" "$2" || complain "$1 and $2 are the same"; }

job group "  - repeat: 3
    launches:
      - {kernel: add, global: [64], args: [{name: a, buffer: a}, {name: by, round: 4, step: 3}]}
      - {kernel: double_it, global: [64], args: [{name: a, buffer: a}, {name: b, buffer: b}]}
      - copy: {from: b, to: a}"
copy="  - copy: {from: b, to: a}"
job written "$(add 4; echo "$twice"; echo "$copy"; add 7; echo "$twice"; echo "$copy"; add 10; echo "$twice"; echo "$copy")"
same group written
job without "$(add 4; echo "$twice"; add 7; echo "$twice"; add 10; echo "$twice")"
accepts run --dump a=without.a without.yaml
differ written.a without.a

job factors "  - repeat: 3
    launches: [{kernel: add, global: [64], args: [{name: a, buffer: a}, {name: by, round: 3, factor: 2}]}]"
job factors_written "$(add 3; add 6; add 12)"
same factors factors_written
job both "  - repeat: 4
    launches: [{kernel: add, global: [64], args: [{name: a, buffer: a}, {name: by, round: 3, factor: 2, step: 5}]}]"
job both_written "$(add 3; add 11; add 27; add 59)"
same both both_written

job filled "  - fill: {buffer: a, value: 7}
  - set: {buffer: a, element: 3, value: -1}
$(add 1)
  - set: {buffer: b, element: 63, value: 9}"
accepts run --dump a=filled.a --dump b=filled.b filled.yaml
[ "$(od -An -td4 -v -w4 filled.a | tr -d ' ' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = ' 1 0; 63 8;' ] ||
    complain "a fill or the setting of an element went wrong"
[ "$(od -An -td4 -v -w4 filled.b | tail -1 | tr -d ' ')" = 9 ] || complain "what comes last is not written"

# The first run of a repeated launch comes behind what is written, the others alone.
job repeated "  - set: {buffer: a, element: 0, value: 100}
  - {kernel: add, global: [64], repeat: 3, args: [{name: a, buffer: a}, {name: by, value: 1}]}
  - set: {buffer: a, element: 1, value: 50}"
job repeated_written "  - set: {buffer: a, element: 0, value: 100}
$(add 1; add 1; add 1)
  - set: {buffer: a, element: 1, value: 50}"
same repeated repeated_written

# Rounds end when an element has a value; the limit is what ends them else.
rounds() {
    echo "  - repeat: $1
    until: {buffer: left, element: 1, value: 0}
    launches:
      - {kernel: count_down, global: [64], args: [{name: left, buffer: left}]}
      - {kernel: add, global: [64], args: [{name: a, buffer: a}, {name: by, value: 1}]}"
}
down="  - {kernel: count_down, global: [64], args: [{name: left, buffer: left}]}"
job early "$(rounds 100; add 1000)"
job early_written "$(for i in 1 2 3 4 5; do echo "$down"; add 1; done; add 1000)"
same early early_written
accepts run early.yaml
prints '^ *add +6 '
accepts cache --locality early.yaml
accepts report -o early.html early.yaml
job limited "$(rounds 3)"
job limited_written "$(for i in 1 2 3; do echo "$down"; add 1; done)"
same limited limited_written

# A record's buffers are copied whole, in a layout, too.
cat >cells.yaml <<'END_OF_FILE'
kernel: k.cl
buffers:
  - {name: p, type: cell, count: 64, init: [{field: x, generator: iota}]}
  - {name: q, type: cell, count: 64}
launches:
  - {kernel: grow, global: [64], args: [{name: cells, buffer: p}]}
  - copy: {from: p, to: q}
  - {kernel: grow, global: [64], args: [{name: cells, buffer: q}]}
END_OF_FILE
accepts apply --layout soa --out cells cells.yaml
prints 'checked on the machine'
sed 's/  - copy: .*/  - set: {buffer: q, element: 3, field: n, value: 7}/' cells.yaml >set.yaml
accepts run --dump q=set.q set.yaml
[ "$(od -An -td4 -j28 -N4 set.q | tr -d ' ')" = 8 ] || complain "a field of an element was not set"
accepts apply --layout soa --out set set.yaml
prints 'checked on the machine'
sed 's/  - copy: .*/  - fill: {buffer: q, value: 7}/' cells.yaml >fill.yaml
refuses "fill.yaml:7:5: error: buffer 'q' is in a layout now" apply --layout soa --out fill fill.yaml

# Rounds that end by a field of the record, wherever it lies, on the machine and on a device.
cat >ends.yaml <<'END_OF_FILE'
kernel: k.cl
buffers:
  - {name: p, type: cell, count: 64, init: [{field: x, generator: iota}]}
  - {name: q, type: cell, count: 64}
launches:
  - fill: {buffer: p, value: 0}
  - set: {buffer: p, element: 5, field: x, value: 0.5}
  - repeat: 300
    until: {buffer: p, element: 3, field: n, value: 7}
    launches:
      - {kernel: grow, global: [64], args: [{name: cells, buffer: p}]}
      - copy: {from: p, to: q}
      - {kernel: grow, global: [64], args: [{name: cells, buffer: q}]}
  - copy: {from: q, to: p}
END_OF_FILE
accepts run --dump p=ends.p --dump q=ends.q ends.yaml
[ "$(od -An -td4 -j4 -N4 ends.p | tr -d ' ')" = 8 ] || complain "the rounds did not end by a field"
accepts apply --layout soa --out ends ends.yaml
prints 'checked on the machine'
for job in cells set ends; do
    accepts measure --layout soa --repeats 2 "$job.yaml"
    prints 'outputs equal: yes'
done
accepts advise --measure --run 0 ends.yaml
prints '16 rounds of up to 300 of the group in line 9'
accepts advise ends.yaml
prints '7 rounds of the group in line 9, as in a run'

# What is wrong, at its place.
job bad "  - copy: {from: a, to: nothing}
$(add 1)"
refuses "bad.yaml:7:5: error: there is no buffer 'nothing'" run bad.yaml
job bad "  - copy: {from: a, to: left}
$(add 1)"
refuses "bad.yaml:7:5: error: 'a' .64 of int. cannot be copied to 'left'" run bad.yaml
job bad "  - set: {buffer: a, element: 64, value: 1}
$(add 1)"
refuses "bad.yaml:7:5: error: buffer 'a' has no element 64" run bad.yaml
job bad "  - fill: {buffer: a, value: 1.5}
$(add 1)"
refuses "bad.yaml:7:5: error: 'value: 1.5' is no value of buffer 'a'" run bad.yaml
job bad "$(add 1)
  - {repeat: 3, launches: [{fill: {buffer: a, value: 1}}]}"
refuses 'bad.yaml:8:5: error: this group has no launch' run bad.yaml
job bad "$(rounds 3 | sed 's/repeat: 3/launches: []/; /    launches:/,$d')"
refuses 'bad.yaml:[0-9]+:[0-9]+: error: ' run bad.yaml
job bad "  - {kernel: add, global: [64], args: [{name: a, buffer: a}, {name: by, round: 1}]}"
refuses "error: 'round' is for launches of a group" run bad.yaml
job bad "  - {kernel: add, global: [64], args: [{name: a, buffer: a}, {name: by, value: 1, step: 2}]}"
refuses "error: 'step' goes with 'round'" run bad.yaml
job bad "  - {global: [64]}"
refuses "bad.yaml:7:5: error: the key 'kernel' of a launch is missing" run bad.yaml
job bad "  - {until: {buffer: a, value: 0}, kernel: add, global: [64]}"
refuses "bad.yaml:7:[0-9]+: error: 'until' is for a group" run bad.yaml
job bad "  - {repeat: 2, global: [64], launches: [{kernel: add, global: [64]}]}"
refuses "error: 'global' is not for a group of launches" run bad.yaml
finish
