# heddle cache --reuse: characteristics of traces and jobs, against Algorithm 1 in awk.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# member NAME: a number of the last --json output.
member() { sed -nE "s/^  \"$1\": (-?[0-9]+),?\$/\1/p" "$work/log/out"; }

# ---- figure 4 of the document ------------------------------------------------------------------

cat >figure.text <<'END_TEXT'
# heddle-trace-text 1
B 0 4
0 1 L 4 0:100 1:104 2:108 3:100
1 2 L 4 0:10c 1:110 2:114 3:118
2 3 L 4 0:134 1:100 2:100 3:11c
3 4 L 4 0:120 1:124 2:13c 3:12c
4 5 L 4 0:130 1:134 2:11c 3:11c
END_TEXT
accepts trace import figure.text -o figure.hdt
accepts cache --reuse figure.hdt --scenario 1 --csv
[ "$(cat "$work/log/out")" = "distance,degree
2,5" ] || complain "figure 4 is not 5 at distance 2"
accepts cache --reuse figure.hdt --scenario 2 --block 0
prints '^figure.hdt: 1 launch, 1 block, 20 accesses of 14 elements of 4 B$'
prints '^scenario 2: block 0 of launch 0; 5 MIs$'
prints '^  domain 1 to 2, 1 distance with reuse; total degree 5; mean distance 2.0$'

# ---- against Algorithm 1, pair by pair -----------------------------------------------------------

# Blocks one after another; lanes have 4-byte elements here.
slow_serial() {
    awk -v bytes="$1" 'function number(hex,  i, value) {
            for (i = 1; i <= length(hex); i++)
                value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
            return value }
        /^[0-9]/ { m++; for (f = 5; f <= NF; f++) {
            split($f, part, ":"); e = int(number(part[2]) / bytes)
            if (!((m, e) in n)) { names[m] = names[m] " " e }
            n[m, e]++ } }
        END { for (i = 1; i <= m; i++) for (j = i + 1; j <= m; j++) {
                  count = split(names[j], list, " ")
                  for (k = 1; k <= count; k++)
                      if ((i, list[k]) in n) degree[j - i] += n[j, list[k]] }
              for (d = 1; d < m; d++) if (degree[d]) print d "," degree[d] }' "$2"
}
awk 'BEGIN { srand(7); print "# heddle-trace-text 1"
    for (b = 0; b < 6; b++) { print "B", b, 8
        for (p = 0; p < 9; p++) { line = p " " p % 3 + 1 " L 4"
            for (l = 0; l < 8; l++) line = line sprintf(" %d:%x", l, 4096 + 4 * int(rand() * 90))
            print line } } }' >random.text
accepts trace import random.text -o random.hdt
for element in 4 8 64; do
    accepts cache --reuse random.hdt --scenario 1 --element "$element" --csv
    { echo distance,degree; slow_serial "$element" random.text; } | cmp -s - "$work/log/out" ||
        complain "scenario 1 is not Algorithm 1 with elements of $element bytes"
done
accepts cache --reuse random.hdt -s 1 --element 4 --csv --memory 100
{ echo distance,degree; slow_serial 4 random.text; } | cmp -s - "$work/log/out" ||
    complain "little memory changes the result"
accepts cache --reuse random.hdt -s 4 --k 1 --csv
{ echo distance,degree; slow_serial 4 random.text; } | cmp -s - "$work/log/out" ||
    complain "groups of one block are not blocks one after another"
accepts cache --reuse random.hdt -s 5 --clusters 1 --units 32 --cluster 0 --csv
{ echo distance,degree; slow_serial 4 random.text; } | cmp -s - "$work/log/out" ||
    complain "one cluster with a unit for each lane is not blocks one after another"
accepts cache --reuse random.hdt -s 1 --csv --range 3-5
{ echo distance,degree; slow_serial 4 random.text | grep '^[345],'; } | cmp -s - "$work/log/out" ||
    complain "--range"

# ---- a job, and its trace -------------------------------------------------------------------------

accepts trace body.yaml -o body.hdt
accepts cache --reuse body.hdt --scenario 2
prints '^body.hdt: 1 launch, 4 blocks, 768 accesses of 512 elements of 4 B$'
prints '^scenario 2: each block by itself; 12 MIs$'
prints '^  push +4  MB 4 +0 +0.000 +0.000 +0$'
awk 'length > 80 { exit 1 }' "$work/log/out" || complain "a line is too wide"
sed 1d "$work/log/out" >from_trace
accepts cache --reuse body.yaml --scenario 2 --workers 2
sed 1d "$work/log/out" | cmp -s - from_trace || complain "the job is not as its trace"
accepts cache --reuse body.cl --global 256 --local 64 --count 256 -s 2
sed 1d "$work/log/out" | cmp -s - from_trace || complain "the kernel file is not as the job"
accepts cache --reuse body.hdt -s 2 --workers 1
sed 1d "$work/log/out" | cmp -s - from_trace || complain "workers matter"
mkdir scratch
TMPDIR=$PWD/scratch accepts cache --reuse body.yaml --scenario 1
[ -z "$(ls scratch)" ] || complain "the trace of a job is left behind"
accepts cache --reuse body.hdt -s 3
prints '^scenario 3: .*; 3 MIs of 1 aggregate$'
accepts cache --reuse body.hdt -s 4 --k 3
prints '^scenario 4: 3 blocks at the same time; 6 MIs of 2 aggregates$'
accepts cache --reuse body.hdt -s 5 --device tesla-k20c --units 16
prints '^scenario 5: each of 13 core clusters by itself, 16 load/store units'
accepts cache --reuse body.hdt -s 5 --clusters 2 --units 16
prints '^scenario 5: each of 2 core clusters by itself, 16 load/store units; 48 MIs$'
prints '^ +1 +2 +24 +'
accepts cache --reuse body.hdt -s 6 --clusters 2 --units 32
prints '^scenario 6: 2 core clusters together, with 32 load/store units each; 12 MIs '
for schedule in sequential random sharing greedy sharing,greedy round-robin,random; do
    accepts cache --reuse body.hdt -s 5 --clusters 2 --units 16 --schedule "$schedule" --json
done
prints '"block_order": "random"'
prints '"warp_order": "round-robin"'

# More blocks at once than there are: said, and done with those that are there.
call cache --reuse body.hdt -s 4 --k 9
[ "$status" -eq 0 ] || complain "K above the number of blocks: exit status $status"
grep -q '^body.hdt: warning: --k 9: no launch has more than 4 blocks' "$work/log/err" ||
    complain "K above the number of blocks is not said"
prints '^scenario 4: 4 blocks at the same time'

# ---- few bytes, many accesses --------------------------------------------------------------------

# 160 million lane accesses in a thousand bytes. Lanes side by side are one touch, so all elements
# fit at once; one for each lane, they would take the trace 36 times.
rounds=20000
given many.cl
accepts trace --as-written many.cl --global 8192 --local 1024 --arg n=$rounds -o many.hdt
accepts cache --reuse many.hdt -s 1 --json
[ "$(member shares)" = 1 ] || complain "$(member shares) shares"
[ "$(member elements)" = 8192 ] || complain "$(member elements) elements"
[ "$(member accesses)" = $((8192 * (rounds + 1))) ] || complain "$(member accesses) accesses"
# Each element is loaded so many times in a row and stored to at the end.
[ "$(member total)" = $((8192 * (rounds + 1) * rounds / 2)) ] || complain "total $(member total)"
# In pieces each MI takes 32 issues, of which nobody can keep counts in so little memory.
refuses '^many.hdt: error: the analysis needs [0-9]+ MiB .* and [0-9]+ MiB are allowed: .*--memory' \
    cache --reuse many.hdt -s 6 --clusters 2 --units 16 --memory $((rounds * 320))
refuses '^many.hdt: error: the analysis needs [0-9]+ MiB' \
    cache --reuse many.hdt -s 6 --clusters 2 --units 32 --schedule greedy --memory $((rounds * 320))

# ---- JSON -------------------------------------------------------------------------------------------

accepts cache --reuse random.hdt -s 2 --json
for name in file scenario k clusters units launch block cluster block_order warp_order element \
    spaces runs streams blocks aggregates elements mis accesses domain total mean class peaks \
    distance degree each kernels shares complete stopped printed; do
    prints "^  \"$name\": "
done
[ "$(grep -c '^  "' "$work/log/out")" -eq 32 ] || complain "other members than docs/json.md has"
[ "$(member streams)" = 6 ] || complain "streams: $(member streams)"
prints '"farthest": '
accepts cache --reuse random.hdt -s 2 --block 3 --json
[ "$(member block)" = 3 ] && [ "$(member streams)" = 1 ] || complain "the block of --json"

# ---- pictures ---------------------------------------------------------------------------------------

accepts cache --reuse random.hdt -s 1 --svg picture.svg
grep -q '^<svg xmlns=' picture.svg && grep -q '^</svg>$' picture.svg || complain "no picture"
accepts cache --reuse 'random.hdt' -s 1 --svg picture.svg --range 2-4 # replaces it
grep -q '>random.hdt, scenario 1: ' picture.svg || complain "no title"
call cache --reuse random.hdt -s 1 --range 900 --svg none.svg
[ "$status" -eq 0 ] && grep -q '^none.svg: warning: there is no reuse at these distances' \
    "$work/log/err" && grep -q '</svg>' none.svg || complain "a picture of nothing"
refuses "^random.hdt: error: --svg: this is the input" cache --reuse random.hdt -s 1 --svg random.hdt
refuses "error: .*absent" cache --reuse random.hdt -s 1 --svg absent/p.svg

# ---- two side by side ---------------------------------------------------------------------------------

accepts cache --compare random.hdt random.hdt -s 1
prints '^Difference B - A: sum 0, sizes added up 0; how far apart, 0 to 1: 0.000$'
accepts cache --reuse random.hdt -s 1 --csv
sed 1d "$work/log/out" >a.csv
accepts cache --reuse random.hdt -s 3 --csv
sed 1d "$work/log/out" >b.csv
accepts cache --reuse random.hdt -s 1 --json
cp "$work/log/out" one.json
accepts cache --reuse random.hdt -s 3 --json
cp "$work/log/out" three.json
accepts cache --compare one.json three.json --csv
awk -F, 'FILENAME == ARGV[1] { a[$1] = $2; next } FILENAME == ARGV[2] { b[$1] = $2; next }
    FNR > 1 { if ($2 != a[$1] + 0 || $3 != b[$1] + 0 || $4 != $3 - $2) exit 1; rows++ }
    END { for (d in b) a[d]; for (d in a) want++; if (rows != want) exit 1 }' \
    a.csv b.csv "$work/log/out" || complain "the difference is not that of the two"
accepts cache --compare one.json three.json --json
sum=$(member sum)
[ "$sum" = "$(($(awk -F, '{ s += $2 } END { print s }' b.csv) - $(awk -F, '{ s += $2 } END { print s }' a.csv)))" ] ||
    complain "the sum of the differences is $sum"
accepts cache --compare one.json random.hdt -s 3
prints '^A  one.json, scenario 1$'
prints '^B  random.hdt, scenario 3: '
prints "sum $sum,"
accepts cache --compare figure.hdt random.hdt -s 2 --block 0 --svg difference.svg
grep -q 'sum +' difference.svg || complain "no sum in the picture"
accepts cache --reuse random.hdt -s 3 --element 8 --json
cp "$work/log/out" wide.json
refuses "^wide.json: error: elements of 8 bytes here and of 4 bytes in one.json" \
    cache --compare one.json wide.json
refuses "^random.hdt: error: elements of 4 bytes here and of 8 bytes in wide.json" \
    cache --compare wide.json random.hdt -s 1
refuses "error: both are results" cache --compare one.json three.json --element 4
echo '{"element": 4}' >other.json
refuses "^other.json: error: this is no result" cache --compare one.json other.json
echo '{' >broken.json
refuses "^broken.json:2: error: this is no JSON" cache --compare broken.json one.json
refuses "^absent.json: error: " cache --compare absent.json one.json
refuses "error: which file" cache --compare one.json
refuses "error: both are results" cache --compare one.json three.json --workers 2
printf '{"scenario": 1, "element": 4, "mis": 9, "distance": [%s], "degree": [%s]}' 9 1 >far.json
refuses "^far.json: error: this is no result" cache --compare one.json far.json
printf '{"scenario": 1, "element": 4, "mis": 99999999999, "distance": [1], "degree": [1]}' >far.json
refuses "^far.json: error: this is no result .*too many MIs" cache --compare one.json far.json
printf '{"scenario": 1, "element": 4294967300, "mis": 9, "distance": [1], "degree": [1]}' >far.json
refuses "^far.json: error: this is no result" cache --compare far.json one.json
printf '{"scenario": 1, "element": 4, "mis": 134217728, "distance": [1,134217727], "degree": [1,2]}' >far.json
refuses "^far.json: error: distances up to 134217727 take 4095 MiB .*--memory 4294967264" cache --compare far.json one.json
printf '{"scenario": 1, "element": 4, "mis": 3000000, "distance": [1,2000000], "degree": [1,2]}' >far.json
refuses "--memory 64000000" cache --compare far.json one.json --memory 8000000
accepts cache --compare far.json one.json --memory 64000000
printf '{"scenario": 1, "element": 4, "mis": 9, "distance": [2,1], "degree": [1,1]}' >far.json
refuses "^far.json: error: this is no result" cache --compare far.json one.json
# An output is none of the inputs, nor a device.
refuses "^three.json: error: --svg: this is the input" \
    cache --compare one.json three.json --svg three.json
refuses "^random.hdt: error: --svg: this is the input" \
    cache --compare one.json random.hdt -s 1 --svg random.hdt
refuses "^/dev/null: error: --svg: this is no regular file" \
    cache --compare one.json three.json --svg /dev/null
refuses "^body.cl: error: --svg: this is the input" cache --reuse body.yaml -s 1 --svg body.cl
refuses "error: which scenario" cache --compare random.hdt random.hdt

# ---- bad input ------------------------------------------------------------------------------------------

refuses "error: which scenario" cache --reuse body.hdt
refuses "error: --scenario takes at most 6" cache --reuse body.hdt -s 7
refuses "error: --scenario takes a whole number" cache --reuse body.hdt -s 0
refuses "error: scenario 4 needs K" cache --reuse body.hdt -s 4
refuses "error: scenario 5 needs core clusters" cache --reuse body.hdt -s 5
refuses "error: scenario 6 needs core clusters" cache --reuse body.hdt -s 6 --clusters 4
refuses "error: --k takes a whole number from 1 on" cache --reuse body.hdt -s 4 --k 0
refuses "error: --k goes with scenario 4" cache --reuse body.hdt -s 3 --k 2
refuses "error: 24 load/store units fit no warp" cache --reuse body.hdt -s 5 --clusters 2 --units 24
refuses "error: 3 clusters of 16 units are 48" cache --reuse body.hdt -s 6 --clusters 3 --units 16
refuses "error: --clusters goes with scenarios 5 and 6" cache --reuse body.hdt -s 1 --clusters 2
refuses "error: --clusters takes at most" cache --reuse body.hdt -s 5 --clusters 70000 --units 32
refuses "error: --block goes with scenario 2" cache --reuse body.hdt -s 1 --block 0
refuses "error: --cluster goes with scenario 5" cache --reuse body.hdt -s 2 --cluster 0
refuses "error: --cluster 2: the clusters are 0 to 1" \
    cache --reuse body.hdt -s 5 --clusters 2 --units 32 --cluster 2
refuses "error: --all and --block" cache --reuse body.hdt -s 2 --all --block 1
refuses "error: --block takes a whole number" cache --reuse body.hdt -s 2 --block x
refuses "^body.hdt: error: --block 4: no launch has such a block" cache --reuse body.hdt -s 2 --block 4
refuses "error: --schedule takes .*sequential.*greedy" cache --reuse body.hdt -s 1 --schedule best
refuses "error: --schedule takes" cache --reuse body.hdt -s 1 --schedule random,sharing
refuses "error: --schedule greedy: " cache --reuse body.hdt -s 1 --schedule greedy
refuses "error: --seed goes with --schedule random" cache --reuse body.hdt -s 1 --seed 3
refuses "error: --csv and --json" cache --reuse body.hdt -s 1 --csv --json
refuses "error: --range takes" cache --reuse body.hdt -s 1 --range 5-2
refuses "error: --space takes" cache --reuse body.hdt -s 1 --space shared
refuses "error: .*private memory" cache --reuse body.hdt -s 1 --space private
refuses "error: .*local memory.* scenario 2" cache --reuse body.hdt -s 1 --space local
refuses "error: --all goes with scenarios 2 and 5" cache --reuse body.hdt -s 3 --all
refuses "error: --workers takes at most 1024" cache --reuse body.hdt -s 1 --workers 1025
refuses "^body.hdt: error: the trace has no access to the memory that is analysed" \
    cache --reuse body.hdt -s 1 --space constant
refuses "^body.hdt: error: --launch 1: " cache --reuse body.hdt -s 1 --launch 1
refuses "^body.yaml: error: --launch 1: there is 1 launch" cache --reuse body.yaml -s 1 --launch 1
refuses "^body.hdt: error: this is a trace: " cache --reuse body.hdt -s 1 --global 256
printf '# heddle-trace-text 1\n' >empty.text
accepts trace import empty.text -o empty.hdt
refuses "^empty.hdt: error: the trace has no launches" cache --reuse empty.hdt -s 1
: >nothing
refuses "^nothing: error: neither a trace" cache --reuse nothing -s 1
refuses "^absent.hdt: error: cannot open" cache --reuse absent.hdt -s 1
refuses "error: which file" cache --reuse -s 1
TMPDIR=$PWD/absent refuses "error: cannot make a temporary folder: .*TMPDIR" cache --reuse body.yaml -s 1

# Blocks that a trace lacks keep the turns of those that are there.
accepts trace body.yaml -o last.hdt --blocks 3
accepts cache --reuse last.hdt -s 5 --clusters 2 --units 32
prints '^ +0 +0 +0 +0 '
prints '^ +1 +1 +6 +2 +64 '
accepts cache --reuse last.hdt -s 5 --clusters 3 --units 32 --cluster 2 --json
[ "$(member cluster)" = 2 ] && [ "$(member mis)" = 0 ] || complain "a cluster without blocks"
accepts trace body.yaml -o middle.hdt --blocks 1-2
accepts cache --reuse middle.hdt -s 4 --k 2 --json
[ "$(member aggregates)" = 2 ] || complain "blocks 1 and 2 do not run at once when K is 2"

# A launch that was stopped, and the end of the address space.
printf '# heddle-trace-text 1\nB 0 2\n0 1 L 4 0:fffffffffffffffe\n1 2 L 4 0:fffffffffffffffe\n' >top.text
accepts trace import top.text -o top.hdt
accepts cache --reuse top.hdt -s 1 --element 1 --csv
prints '^1,2$'
accepts cache --reuse top.hdt -s 1 --schedule sharing --element 1 --csv
prints '^1,2$'

# Several launches: a block's number may not be enough.
sed 's/^    global/    repeat: 3\n    global/' body.yaml >thrice.yaml
accepts trace thrice.yaml -o thrice.hdt
refuses "^thrice.hdt: error: --block 1: 3 launches have such a block; choose one with --launch" \
    cache --reuse thrice.hdt -s 2 --block 1
accepts cache --reuse thrice.hdt -s 2 --block 1 --launch 2
prints '^scenario 2: block 1 of launch 2; 3 MIs$'
accepts cache --reuse thrice.hdt -s 3 --launch 0-1
prints '^thrice.hdt: 2 launches, 8 blocks, '

finish
