# Files that are written: whole, or not at all.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

mkdir new
accepts apply body.yaml --layout soa --out new
prints 'body as soa: [1-9][0-9]* places changed'
[ -s new/body.cl ] && [ -s new/body.h ] && [ "$(ls new | wc -l)" -eq 2 ] ||
    complain "rewrite wrote $(ls new)"
cp new/body.cl "$work/log/first"
accepts apply body.cl --layout soa --out new
cmp -s new/body.cl "$work/log/first" || complain "a kernel file and its job give two results"

refuses "error: .*replaced" advise body.yaml --apply .
refuses "^body.cl: error: --out: body.cl is a file" apply body.yaml --layout soa --out body.cl
refuses "error: the kernel itself is in this folder|: error: .*replaced" \
    apply body.yaml --layout soa --out .

accepts advise body.yaml --device tesla-k20c --apply best
if grep -q 'leave it as it is' "$work/log/out"; then
    [ ! -e best ] || complain "advice to leave it, but $(ls best) was written"
else
    [ -s best/body.cl ] && [ -s best/body.h ] || complain "advise --apply wrote $(ls best)"
fi

# A pointer into the record that is stored cannot be rewritten.
cat >stored.cl <<'END'
typedef struct pair { int a, b; } pair;
__kernel void keep(__global pair *p, __global ulong *out) {
    __global int *q = &p[get_global_id(0)].b;
    out[get_global_id(0)] = (ulong)q;
}
END
refuses "^stored.cl:3:[0-9]+: error: " apply stored.cl --layout soa --out new
[ ! -e new/stored.cl ] || complain "a refused rewrite wrote something"

# A folder where nothing can be created; root may write anywhere, so for root
# it is one of the kernel's own.
read_only=/proc/sys
[ "$(id -u)" -eq 0 ] || { mkdir -m 555 shut; read_only=shut; }
refuses "error: .*cannot write|$read_only.*error: " apply body.yaml --layout soa --out $read_only
refuses "--out: cannot write into $read_only" report body.yaml --out $read_only/page.html
refuses "$read_only: error: cannot write into this folder" device explore --keep $read_only

# A full disk: a file system of one page, where this user may mount one.
mkdir full
cat >"$work/log/on_full_disk" <<'END'
mount -t tmpfs -o size=4k,nr_inodes=16 none full || exit 77
"$1" apply body.yaml --layout '{x}:2{y}:4{tag}:8' --out full
status=$?
[ "$(ls -A full)" = "" ] || { echo "left behind: $(ls -A full)" >&2; exit 1; }
exit $status
END
if mounts "$work/log/on_full_disk"; then
    [ $status -eq 2 ] || complain "on a full disk: exit status $status, not 2"
    [ "$(grep -c 'full/body.*error: .*No space left' "$work/log/err")" -eq 1 ] ||
        complain "on a full disk: not one message"
fi
# The same without a mount: files may not grow, as if the disk ended there.
mkdir limited
(
    trap '' XFSZ
    ulimit -f 1
    "$heddle" apply body.yaml --layout soa --out limited --no-verify >"$work/log/out" 2>"$work/log/err"
)
status=$?
[ $status -eq 2 ] || complain "with a limit on files: exit status $status, not 2"
[ "$(grep -c 'error: cannot write' "$work/log/err")" -eq 1 ] ||
    complain "with a limit on files: not one message"
[ "$(ls -A limited)" = "" ] || complain "with a limit on files: left behind $(ls -A limited)"

# ---- symbolic links: they stay, and the file that they lead to is written, there or not -------

# links_stay NAME ARGUMENTS: the call that ends in the name of its output.
links_stay() {
    local name=$1 words=("${@:2}")
    mkdir links links/far
    ln -s far/real links/one
    ln -s "$PWD/links/one" links/two
    accepts "${words[@]}"links/two
    [ -L links/one ] && [ -L links/two ] || complain "$name replaced a link"
    [ -f links/far/real ] && [ -s links/far/real ] || complain "$name did not write the link's file"
    chmod 640 links/far/real
    cp links/far/real before
    accepts "${words[@]}"links/two
    [ -L links/two ] && [ "$(stat -c %a links/far/real)" = 640 ] ||
        complain "$name lost a link or a mode"
    ln -sf two links/one
    refuses "links/two: error: .*(circle|no folder)" "${words[@]}"links/two
    [ "$(find links | wc -l)" -eq 5 ] || complain "$name left $(find links)"
    rm -r links before
}
accepts trace body.yaml -o body.hdt
accepts trace export body.hdt -o body.text
links_stay "--dump" run body.yaml --dump bodies=
links_stay "trace" trace body.yaml --out=
links_stay "export" trace export body.hdt --out=
links_stay "import" trace import body.text --out=
links_stay "--svg" advise --graph body.yaml --svg=
[ "${HEDDLE_PAGE:-ON}" = OFF ] || links_stay "report" report body.yaml --out=

# Where standard output goes is no place for another file, by whatever name.
ln -s /proc/self/fd/1 stdout # as /dev/stdout is, which a failure would destroy
for output in stdout /proc/self/fd/1 printed; do
    "$heddle" run body.yaml --dump bodies=$output >printed 2>"$work/log/err"
    status=$?
    [ $status -eq 2 ] && grep -q "^$output: error: standard output goes there" "$work/log/err" ||
        complain "--dump bodies=$output into standard output: status $status"
    [ ! -s printed ] || complain "--dump bodies=$output wrote to standard output"
done
[ -L stdout ] || complain "the link to standard output is no link any more"

# ---- a signal leaves no temporary ---------------------------------------------------------------

# A launch so large that its text is not written when the signal comes.
accepts trace body.cl --global 400000 -o large.hdt
mkdir killed
for signal in TERM INT KILL; do
    "$plain" trace export large.hdt -o killed/text >/dev/null 2>&1 &
    child=$!
    for _ in $(seq 200); do
        [ -n "$(find /proc/$child/fd -lname "$PWD/killed/*" 2>/dev/null)" ] && break
        sleep 0.05
    done
    kill -s $signal $child
    wait $child 2>/dev/null
    [ -z "$(ls -A killed)" ] || [ "$(ls -A killed)" = text ] ||
        complain "export stopped by SIG$signal left $(ls -A killed)"
    rm -f killed/*
done
rm large.hdt

# ---- input that never ends, or that waits for somebody ----------------------------------------

mkdir endless
mkfifo endless/pipe.yaml endless/pipe.cl endless/pipe.bench endless/pipe
for name in zero.yaml zero.cl zero.bench zero; do ln -s /dev/zero endless/$name; done
for kind in pipe zero; do
    sed "s/body.cl/endless\/$kind.cl/" body.yaml >kernel_$kind.yaml
    cat >graph_$kind.yaml <<END
kernel: body.cl
graphs: [{name: c, file: endless/$kind.bench}]
buffers: [{name: bodies, type: body, init: [{field: tag, graph: c, part: order}]}]
launches: [{kernel: push, global: [64], args: [{name: bodies, buffer: bodies}, {name: dt, value: 1}]}]
END
    for words in "run endless/$kind.yaml" "run endless/$kind.cl" "run kernel_$kind.yaml" \
        "run graph_$kind.yaml" "run body.yaml --check bodies=endless/$kind" \
        "trace info endless/$kind" "trace import endless/$kind -o x.hdt" \
        "cache --locality endless/$kind" "cache --reuse endless/$kind --scenario 1" \
        "cache --compare endless/$kind endless/$kind --scenario 1"; do
        # shellcheck disable=SC2086
        (
            ulimit -t 30
            timeout 60 "$heddle" $words >"$work/log/out" 2>"$work/log/err"
        )
        status=$?
        [ $status -eq 2 ] || complain "$words: exit status $status, not 2"
        grep -Eq "error: .*(no regular file|has [0-9]+ bytes)" "$work/log/err" ||
            complain "$words: does not say what it is"
    done
done
truncate -s 300M endless/long.yaml
refuses "^endless/long.yaml: error: cannot read: this is longer than 256 MiB" run endless/long.yaml
finish
