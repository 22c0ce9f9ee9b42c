# heddle report: the page's data against what the other commands say.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"
command -v node >/dev/null || { echo "this test needs node: apt-get install nodejs"; exit 2; }

# same A B: the JSON files A and B hold the same value; with a third argument, of that expression
# of a in A and b in B.
same() {
    node -e '
        const read = (f) => JSON.parse(require("fs").readFileSync(f, "utf8"));
        const a = read(process.argv[1]), b = read(process.argv[2]);
        const pick = process.argv[3] ? eval(`(${process.argv[3]})`) : [a, b];
        require("assert").deepStrictEqual(pick[0], pick[1]);' "$@" 2>"$work/log/err" ||
        complain "differ: $*"
}

accepts trace body.yaml -o body.hdt
accepts report body.hdt --all --json
cp "$work/log/out" data.json
accepts report body.hdt --all -o page.html
[ ! -s "$work/log/out" ] || complain "said something beside the page"
sed -n 's/.*id="heddle-data">\([^<]*\)<.*/\1/p' page.html | tr -d ' \n' | base64 -d | gunzip >inside.json ||
    complain "no data in the page"
same data.json inside.json

# What the other commands say.
characteristic() { # PLACE ARGUMENTS: characteristic of this scenario is that of `heddle cache --reuse`
    accepts cache --reuse body.hdt "${@:2}" --json
    cp "$work/log/out" one.json
    same data.json one.json "[a.runs[0].characteristics.find((c) => $1), Object.fromEntries(
        Object.keys(a.runs[0].characteristics[0]).map((k) => [k, b[k]]))]"
}
characteristic 'c.scenario === 1' -s 1
characteristic 'c.scenario === 2' -s 2
characteristic 'c.scenario === 3' -s 3
characteristic 'c.k === 2' -s 4 --k 2
characteristic 'c.scenario === 5 && c.units === 64' -s 5 --clusters 16 --units 64
characteristic 'c.scenario === 6 && c.units === 16' -s 6 --clusters 16 --units 16
same data.json data.json '[a.runs[0].characteristics.filter((c) => c.scenario === 4).map((c) => c.k), [2, 4]]'
accepts cache --reuse body.hdt -s 2 --block 1 --json
cp "$work/log/out" block.json
same data.json block.json '[a.runs[0].blocks[0].shown.find((s) => s.block === 1).degree, b.degree]'
accepts cache --reuse body.hdt -s 2 --json
cp "$work/log/out" blocks.json
same data.json blocks.json '[a.runs[0].blocks[0].median, b.kernels[0].median]'
accepts cache --locality body.hdt --device h200 --json
cp "$work/log/out" locality.json
same data.json locality.json '[
    ["line", "cold", "footprint", "stacks"].map((k) => a.runs[0].stacks[0][k]),
    ["line", "cold", "footprint", "stacks"].map((k) => b[k])]'
same data.json locality.json '[
    b.curve.map((p) => a.runs[0].stacks[0].misses[a.runs[0].stacks[0].lines.indexOf(p.lines)]),
    b.curve.map((p) => p.misses)]'
accepts run body.yaml --device h200 --json
cp "$work/log/out" run.json
same data.json run.json '[
    ["requests", "transactions", "bytes_moved", "bytes_used"].map((k) => a.runs[0].totals[k]),
    ["requests", "transactions", "bytes_moved", "bytes_used"].map((k) => b.total.devices[0][k])]'
same data.json data.json '[a.runs[0].accesses.map((r) => r.name),
    ["load bodies.y", "load bodies.x", "store bodies.x"]]'
same data.json data.json '[a.runs[0].accesses[0].source, "bodies[i].x += bodies[i].y * dt;"]'
same data.json data.json '[a.runs[0].accesses.reduce((s, r) => s + r.transactions, 0),
    a.runs[0].totals.transactions]'
same data.json data.json '[a.runs[0].buffers.map((b) => b.count.reduce((s, n) => s + n, 0)),
    [a.runs[0].totals.lane_accesses]]'

# A job is as its trace, and several stand in the order given.
accepts report body.yaml body.hdt --all --json
cp "$work/log/out" two.json
same two.json data.json '[{ ...a.runs[0], name: "body.hdt", verdict: null, record: null, time: null,
    caches: { ...a.runs[0].caches, layout: null }, left_out: b.runs[0].left_out }, b.runs[0]]'
same two.json data.json '[a.runs[1], b.runs[0]]'
accepts report body.cl --global 256 --local 64 --count 256 --all --json
sed -i 's/"body.cl"/"body.hdt"/' "$work/log/out"
cp "$work/log/out" file.json
same file.json data.json '[a.runs[0].characteristics, b.runs[0].characteristics]'
accepts report body.hdt --all --element 8 --k 3 --clusters 2 --units 32 -o small.html
accepts report body.hdt --all --element 8 --k 3 --clusters 2 --units 32 --json
cp "$work/log/out" small.json
same small.json small.json '[a.runs[0].characteristics.map((c) => [c.scenario, c.k, c.clusters, c.units]),
    [[1, null, null, null], [3, null, null, null], [4, 3, null, null], [5, null, 2, 32],
     [6, null, 2, 32], [2, null, null, null]]]'

# The quick page has all but reuse, and says so; a trace has no verdict, and says so.
accepts report body.hdt --json
cp "$work/log/out" quick.json
same quick.json data.json '[a.runs[0], { ...b.runs[0], characteristics: [], blocks: [], stacks: [],
    left_out: [...b.runs[0].left_out, a.runs[0].left_out.at(-1)] }]'
same quick.json data.json '[a.runs[0].left_out.map((l) => l.section), ["verdict", "time", "reuse"]]'
same two.json data.json '[a.runs[0].left_out, []]'

# What moves before is what was counted, what moves after what is counted of the rewritten kernel,
# access by access or in sum; and the advice is that of `heddle advise`.
accepts advise body.yaml --json
cp "$work/log/out" advice.json
same two.json advice.json '[a.runs[0].verdict.layout, b.devices[0].best]'
same two.json advice.json '[a.runs[0].verdict.ratio, b.devices[0].ratio]'
same two.json two.json '[["transactions", "bytes_moved"].map((k) => a.runs[0].verdict.before[k]),
    ["transactions", "bytes_moved"].map((k) => a.runs[0].totals[k])]'
layout=$(node -e 'console.log(JSON.parse(require("fs").readFileSync("two.json")).runs[0].verdict.layout.notation)')
accepts run body.yaml --layout "$layout" --device h200 --json
cp "$work/log/out" then.json
same two.json then.json '[["transactions", "bytes_moved"].map((k) => a.runs[0].verdict.after[k]),
    ["transactions", "bytes_moved"].map((k) => b.total.devices[0][k])]'
same two.json then.json '[a.runs[0].caches.layout.transactions, b.total.devices[0].transactions]'
same two.json two.json '[a.runs[0].record.fields.reduce((s, f) => s + f.before.transactions,
    a.runs[0].record.others.before.transactions), a.runs[0].totals.transactions]'
same two.json two.json '[a.runs[0].record.together,
    [{ a: 0, b: 1, share: 1, executions: 8 }]]'
accepts show body.yaml --device h200 --json
cp "$work/log/out" annotated.json
same two.json annotated.json '[a.runs[0].files.map(({ text, ...rest }) => rest), b.files]'
same two.json two.json '[a.runs[0].files[0].text, require("fs").readFileSync("body.cl", "utf8")]'

# A job without a record, and a device without the figures of its caches.
printf '__kernel void twice(__global float *v) { v[get_global_id(0)] *= 2; }\n' >plain.cl
accepts report plain.cl --global 256 --local 64 --count 256 --json
prints '"why": "there is no record to lay out'
accepts report body.hdt --json \
    --device 'warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768'
prints '"section": "caches"'
prints '"caches": null'

# Without buffers and source: a plain text.
printf '# heddle-trace-text 1\nB 0 4\n0 1 L 4 0:100 1:104\n1 2 S 4 0:100 1:104\n' >plain.text
accepts trace import plain.text -o plain.hdt
accepts report plain.hdt --json
prints '"name": "store 0x2"'

# Only what looks like source is read for its lines.
accepts trace export body.hdt -o named.text
for name in secret.conf pipe.cl; do
    sed "s/body\.cl/$name/" named.text >other.text
    accepts trace import other.text -o other.hdt
    if [ "$name" = secret.conf ]; then cp body.cl secret.conf; else mkfifo pipe.cl; fi
    accepts report other.hdt --json
    grep -q "\"file\": \"$name\"" "$work/log/out" || complain "the trace does not name $name"
    ! grep -q '"source": "bodies' "$work/log/out" || complain "$name was read"
done
rm pipe.cl

# Bad input.
if [ "${HEDDLE_PAGE:-ON}" != OFF ]; then
    accepts report body.hdt
    prints "^wrote report.html$"
    [ -s report.html ] || complain "no page by default"
    rm -f report.html
fi
refuses "error: --out and --json: choose one" report body.hdt --json -o new.html
refuses "error: which file" report -o new.html
refuses "^body.hdt: error: --out: this is the input" report body.hdt -o body.hdt
refuses "error: .*absent" report body.hdt -o absent/new.html
refuses "^absent.hdt: error: cannot open" report body.hdt absent.hdt -o new.html
refuses "^body.cl: error: --out: this is the input" report body.yaml -o body.cl
refuses "error: --k takes up to 8 ascending" report body.hdt -o new.html --k 4,2
refuses "error: --k takes up to 8 ascending" report body.hdt -o new.html --k 0
refuses "error: --units takes" report body.hdt -o new.html --units 16,x
refuses "error: 24 load/store units fit no warp" report body.hdt -o new.html --units 24
refuses "error: --clusters takes at most" report body.hdt -o new.html --clusters 70000
refuses "error: .*nothing-such" report body.hdt -o new.html --device nothing-such
refuses "^body.hdt: error: this is a trace: " report body.hdt -o new.html --global 256
printf '# heddle-trace-text 1\n' >empty.text
accepts trace import empty.text -o empty.hdt
refuses "^empty.hdt: error: the trace has no launches" report empty.hdt -o new.html
[ ! -e new.html ] || complain "a page is left of a failure"

finish
