# A program that a signal ends leaves the tables of what it did until then: Ctrl-C, a signal to heddle
# alone, a time limit, a crash of its own, in the middle of a launch or of host code; and a process
# that it has forked off ends as ever. Called with the path of heddle.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cuda/programs.sh"

cat >app.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
typedef void *handle; /* of cuda.h */
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(handle *, int);
int cuCtxSetCurrent(handle);
int cuModuleLoadData(handle *, const void *);
int cuModuleGetFunction(handle *, handle, const char *);
int cuMemAlloc_v2(unsigned long long *, size_t);
int cuLaunchKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   handle, void **, void **);
static const char text[] = /* adds 1 to a[i], `rounds` times */
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 a, .param .u32 rounds) {\n"
    ".reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, %tid.x;\n"
    "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;\n"
    "again: ld.global.u32 %r3, [%rd3]; add.u32 %r3, %r3, 1; st.global.u32 [%rd3], %r3;\n"
    "sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra again; ret; }\n";
int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "";
    handle context, module, add;
    unsigned long long a;
    unsigned rounds = 10, most = 2000000000;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoadData(&module, text) || cuModuleGetFunction(&add, module, "add") ||
        cuMemAlloc_v2(&a, 256))
        return 3;
    void *few[] = {&a, &rounds}, *many[] = {&a, &most};
    for (int i = 0; i < 3; i++)
        if (cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, 0, few, 0))
            return 4;
    puts("launched");
    fflush(stdout);
    if (!strcmp(how, "crash"))
        *(volatile int *)8 = 1;
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "fork")) {
        pid_t child = fork();
        if (!child) { raise(SIGTERM); _exit(5); }
        int end = 0;
        waitpid(child, &end, 0);
        puts(WIFSIGNALED(end) && WTERMSIG(end) == SIGTERM ? "child ended" : "child goes on");
        return 0;
    }
    if (!strcmp(how, "kernel"))
        cuLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, 0, many, 0);
    for (;;)
        pause();
}
END
cc -std=gnu17 -w -o app app.c "$libraries/libcuda.so.1" -Wl,-rpath-link,"$libraries" ||
    complain 'app.c cannot be built'

# starts WORDS...: in the background, until the program has launched what it launches first.
starts() {
    env --default-signal=INT "$heddle" "$@" >out 2>err & # a shell has its background ignore it
    started=$!
    for _ in $(seq 200); do
        if grep -q launched out err; then return; fi
        sleep 0.1
    done
    complain "$*: nothing is launched"
}
# ended STATUS LAUNCHES PATTERN: what was started has, and has said so much.
ended() {
    local status=0
    wait "$started" || status=$?
    [ "$status" -eq "$1" ] || complain "exit status $status, not $1"
    grep -Eq "^$2 launches on h200" out || complain "the table of $2 launches is missing"
    grep -Eq "$3" err || complain "no word of: $3"
    grep -Eq '^  add +[0-9]+ ' out || complain 'the kernel is missing'
}
program_of() { pgrep -P "$1" -x app; }

starts run -- ./app
kill -INT "$(program_of "$started")"
ended 130 3 'signal 2 .* ended ./app; what follows is of what it did until then'
starts run -- ./app
kill -TERM "$started" # to heddle alone, which hands it on
ended 130 3 'signal 15 '
starts run -- ./app
kill -STOP "$(program_of "$started")"
for _ in 1 2 3; do # as `timeout` does, which signals the process and its group
    kill -TERM "$started"
    sleep 0.2
done
kill -CONT "$(program_of "$started")"
ended 130 3 'signal 15 '
starts run -- ./app kernel
sleep 1
kill -INT "$(program_of "$started")"
ended 130 '[34]' 'signal 2 '
timeout --preserve-status 6 "$heddle" run -- ./app >out 2>err &
started=$!
ended 130 3 'signal 15 '
timeout 60 "$heddle" run -- ./app crash >out 2>err &
started=$!
ended 2 3 'signal 11 '
timeout 60 "$heddle" run -- ./app abort >out 2>err &
started=$!
ended 2 3 'signal 6 '
accepts run -- ./app fork
prints '^child ended$'

starts record -o kept -- ./app
kill -INT "$(program_of "$started")"
status=0
wait "$started" || status=$?
[ "$status" -eq 130 ] || complain "record: exit status $status, not 130"
grep -q '^3 launches in ' out || complain 'what was recorded is not told'
accepts run kept
finish
