/*
 * Every kernel of tests/machine/kernels, a test each, named as its file: it is run on the
 * machine and on the OpenCL device, both must leave what the comments at its head expect,
 * and the same in every buffer of which they say nothing. On the machine it is run with
 * one, two and four workers and with the handlers of each instruction set, which must give
 * the same buffers, text and events. README.md beside the kernels says what the comments
 * may be.
 *
 * With an argument only the kernels are run whose path holds it:
 *
 *     machine_test_kernels divergence/
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "corpus.h"
#include "lane_sets.h"
#include "advise/measure/session.h"
#include "one_context.h"
#include "ready.h"
#include "record.h"
#include "sanitized.h"
#include "machine/vm.h"

enum { FEWEST_KERNELS = 90 };

/* ---- messages --------------------------------------------------------------------------- */

/* The messages of a run, as text. */
static void collect(const hd_message *m, void *user) {
    hd_str_printf(user, "%s:%u:%u: %s\n", m->place.file ? m->place.file : "-", m->place.line,
                  m->place.column, m->text);
}

static void print(void *user, const char *text, size_t length) { hd_str_addn(user, text, length); }

/* ---- what a run leaves -------------------------------------------------------------------- */

typedef struct outcome {
    const char *where; /* "on the machine" */
    hd_status status;
    hd_str messages, printed;
    void **contents;
    record events;
    hd_vm_counts counts; /* sums over the launches */
} outcome;

static hd_status run_launches(const corpus *c, hd_vm *vm, const hd_sink *sink, outcome *o) {
    for (uint32_t l = 0; l < c->job->launch_count; l++)
        for (uint64_t t = 0; t < c->job->launches[l].repeat; t++) {
            hd_vm_counts counts = {0};
            hd_status status = hd_vm_run(vm, l, sink, &counts);
            o->counts.mis += counts.mis;
            o->counts.lane_accesses += counts.lane_accesses;
            o->counts.blocks += counts.blocks;
            if (status != HD_OK)
                return status;
        }
    return HD_OK;
}

static void run_machine(const corpus *c, uint32_t workers, const vm_lanes *set, outcome *o) {
    hd_arena *arena = c->arena;
    lanes_wanted = set;
    *o = (outcome){.where =
                       hd_format(arena, "on the machine with %u workers (%s)", workers, set->name),
                   .messages = {.arena = arena},
                   .printed = {.arena = arena}};
    const hd_diag diag = {collect, &o->messages};
    const hd_vm_options options = {.workers = workers,
                                   .max_instructions = c->max_instructions,
                                   .local_memory = c->local_memory,
                                   .spaces = c->spaces,
                                   .check_uninitialised = c->check_uninitialised,
                                   .check_races = c->check_races,
                                   .print = print,
                                   .user = &o->printed};
    record_start(&o->events, arena);
    hd_sink sink = record_sink(&o->events);
    hd_vm *vm = NULL;
    o->status = hd_vm_open(arena, &diag, c->job, c->contents, &options, &vm);
    if (o->status == HD_OK)
        o->status = run_launches(c, vm, &sink, o);
    o->contents = hd_new_array(arena, void *, c->job->buffer_count);
    for (uint32_t b = 0; b < c->job->buffer_count && vm; b++) {
        size_t bytes = c->job->buffers[b].count * c->job->buffers[b].element_bytes;
        o->contents[b] = hd_alloc(arena, bytes);
        memcpy(o->contents[b], hd_vm_contents(vm, b), bytes);
    }
    if (vm)
        hd_vm_close(vm);
}

static hd_status run_version(const corpus *c, const hd_diag *diag, void **contents) {
    hd_session session;
    hd_version version = {0};
    double seconds;
    hd_status status = hd_session_open(c->arena, diag, c->job, NULL, &session);
    if (status == HD_OK)
        status = hd_version_make(&session, NULL, NULL, 0, NULL, c->contents, &version);
    if (status == HD_OK)
        status = hd_version_run(&session, &version, &seconds);
    if (status == HD_OK)
        status = hd_version_read(&session, c->arena, &version, contents);
    hd_version_free(&session, &version);
    hd_session_close(&session);
    return status;
}

/* PoCL prints to standard output: that is a file while it runs. */
static void run_pocl(const corpus *c, outcome *o) {
    *o = (outcome){.where = "on the OpenCL device",
                   .messages = {.arena = c->arena},
                   .printed = {.arena = c->arena}};
    const hd_diag diag = {collect, &o->messages};
    o->contents = hd_new_array(c->arena, void *, c->job->buffer_count);
    FILE *file = tmpfile();
    fflush(stdout);
    int out = dup(STDOUT_FILENO);
    assert_true(file && out >= 0);
    dup2(fileno(file), STDOUT_FILENO);
    o->status = run_version(c, &diag, o->contents);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    close(out);
    rewind(file);
    char text[4096];
    for (size_t n; (n = fread(text, 1, sizeof text, file)) > 0;)
        hd_str_addn(&o->printed, text, n);
    fclose(file);
}

/* ---- values -------------------------------------------------------------------------------- */

/* How far apart two neighbouring numbers of a type are at `x`. */
static double ulp(kir_type type, double x) {
    static const int digits[] = {[1] = 11, [2] = 24, [4] = 53},
                     least[] = {[1] = -24, [2] = -149, [4] = -1074};
    int exponent, size = type.bits / 16;
    frexp(x, &exponent);
    return ldexp(1, exponent - digits[size] > least[size] ? exponent - digits[size] : least[size]);
}

static bool as_expected(const corpus *c, const hd_leaf *leaf, const uint8_t *bytes, value want) {
    uint8_t wanted[8] = {0};
    corpus_put(leaf, want, wanted);
    if (!memcmp(bytes, wanted, leaf->type.bits / 8))
        return true;
    if (leaf->type.kind != KIR_FLOAT)
        return false;
    double got = corpus_get(leaf, bytes).d;
    if (isnan(got) || isnan(want.d))
        return isnan(got) && isnan(want.d);
    return c->ulps > 0 && fabs(got - want.d) <= c->ulps * ulp(leaf->type, want.d);
}

static void check_expectation(const corpus *c, const assignment *expect, const outcome *o) {
    corpus_source s = {0};
    assert_int_equal(corpus_source_open(c, expect, &s), HD_OK);
    uint32_t b = corpus_find_buffer(c->job, expect->buffer), j, k;
    for (int64_t n = 0; n < s.cursor.count && !s.error; n++) {
        uint64_t offset;
        const hd_leaf *leaf = corpus_scalar(&s.cursor, n, &j, &k, &offset);
        const uint8_t *bytes = (const uint8_t *)o->contents[b] + offset;
        value want = corpus_value(&s, n);
        if (s.error || as_expected(c, leaf, bytes, want))
            continue;
        value got = corpus_get(leaf, bytes);
        if (leaf->type.kind == KIR_FLOAT)
            fail_msg("%s:%u: %s, number %lld of '%s' is %.9g (%a), expected was %.9g (%a)", c->path,
                     expect->line, o->where, (long long)n, expect->buffer, got.d, got.d, want.d,
                     want.d);
        fail_msg("%s:%u: %s, number %lld of '%s' is %lld, expected was %lld", c->path, expect->line,
                 o->where, (long long)n, expect->buffer, (long long)got.i,
                 (long long)formula_whole(want));
    }
    assert_int_equal(corpus_source_close(&s), HD_OK);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The event `got` as the comment `want` has it: which may leave the line out. */
static bool same_event(const char *got, size_t length, const char *want) {
    size_t wanted = strlen(want);
    if (!strchr(want, '@'))
        while (length && got[--length] != '@')
            ;
    while (length && got[length - 1] == ' ')
        length--;
    return wanted == length && !strncmp(got, want, length);
}

/* The comments of a block are all its events. */
static void check_block(const corpus *c, const record_block *block, uint64_t number) {
    size_t at = 0;
    const char *text = hd_str_text(&block->text);
    for (size_t e = 0; e < c->events.count; e++) {
        const text_line *event = &c->events.data[e];
        if (strtoull(event->text, NULL, 10) != number)
            continue;
        if (at == block->lines.count)
            fail_msg("%s:%u: the block has only %zu events", c->path, event->line, at);
        const char *got = text + block->lines.data[at++];
        if (!same_event(got, strcspn(got, "\n"), event->text))
            fail_msg("%s:%u: the event is '%.*s'", c->path, event->line, (int)strcspn(got, "\n"),
                     got);
    }
    if (at && at != block->lines.count)
        fail_msg("%s: block %llu has %zu events, the comments %zu; the next is '%.*s'", c->path,
                 (unsigned long long)number, block->lines.count, at,
                 (int)strcspn(text + block->lines.data[at], "\n"), text + block->lines.data[at]);
}

static void check_count(const corpus *c, const char *what, int64_t want, uint64_t got) {
    if (want >= 0 && (uint64_t)want != got)
        fail_msg("%s: %llu %s, expected were %lld", c->path, (unsigned long long)got, what,
                 (long long)want);
}

static void check_events(const corpus *c, const outcome *o) {
    const record *r = &o->events;
    if (r->broken)
        fail_msg("%s: %s: %s", c->path, o->where, r->broken);
    check_count(c, "MIs", c->mis, r->mis);
    check_count(c, "accesses of lanes", c->lane_accesses, r->lane_accesses);
    check_count(c, "MIs are counted", (int64_t)r->mis, o->counts.mis);
    check_count(c, "accesses of lanes are counted", (int64_t)r->lane_accesses,
                o->counts.lane_accesses);
    for (uint64_t b = 0; b < r->first_count; b++)
        check_block(c, &r->first[b], b);
}

/* ---- one kernel ------------------------------------------------------------------------------ */

static void check_printed(const corpus *c, const outcome *o) {
    hd_str want = {.arena = c->arena};
    for (size_t p = 0; p < c->prints.count; p++)
        hd_str_printf(&want, "%s\n", c->prints.data[p].text);
    if (strcmp(hd_str_text(&want), hd_str_text(&o->printed)) != 0)
        fail_msg("%s: %s this was printed:\n%s", c->path, o->where, hd_str_text(&o->printed));
}

static void check_outcome(const corpus *c, const outcome *o) {
    if (o->status != HD_OK)
        fail_msg("%s: %s: %s", c->path, o->where, hd_str_text(&o->messages));
    for (size_t e = 0; e < c->expects.count; e++)
        check_expectation(c, &c->expects.data[e], o);
    check_printed(c, o);
}

/* Every buffer, also where no comment speaks of it. */
static void check_same(const corpus *c, const outcome *a, const outcome *b) {
    hd_str messages = {.arena = c->arena};
    const hd_diag diag = {collect, &messages};
    const hd_contents one = {a->where, a->contents}, other = {b->where, b->contents};
    bool equal, bit_equal;
    if (hd_contents_compare(c->arena, &diag, c->job, &one, &other, &equal, &bit_equal) != HD_OK)
        fail_msg("%s", hd_str_text(&messages));
}

/* "LINE:COLUMN TEXT": at that place, or anywhere for "*", and the message holds the text;
 * where that has "...", anything may stand between. */
static void check_fault(const corpus *c, const outcome *o) {
    const char *messages = hd_str_text(&o->messages), *at = messages;
    size_t length = strcspn(c->fault, " ");
    char *part = hd_format(c->arena, ":%.*s: ", (int)length, c->fault), *next;
    if (*c->fault == '*')
        part = ": ";
    if (o->status != HD_EINPUT)
        fail_msg("%s: %s there was no fault: %s", c->path, o->where, messages);
    at = strstr(at, part);
    for (part = hd_strdup(c->arena, c->fault + length + 1); at && part; part = next) {
        next = strstr(part, " ... ");
        if (next) {
            *next = '\0';
            next += 5;
        }
        at = strstr(at, part);
    }
    if (!at)
        fail_msg("%s: %s the message is: %s", c->path, o->where, messages);
}

static void check_workers(const corpus *c, const outcome *one, const outcome *more) {
    if (strcmp(hd_str_text(&one->events.all), hd_str_text(&more->events.all)) != 0)
        fail_msg("%s: the events are others %s", c->path, more->where);
    if (strcmp(hd_str_text(&one->printed), hd_str_text(&more->printed)) != 0)
        fail_msg("%s: something else is printed %s", c->path, more->where);
    for (uint32_t b = 0; b < c->job->buffer_count; b++)
        if (memcmp(one->contents[b], more->contents[b],
                   c->job->buffers[b].count * c->job->buffers[b].element_bytes) != 0)
            fail_msg("%s: buffer '%s' is another %s", c->path, c->job->buffers[b].name,
                     more->where);
}

static void check_on_machine(const corpus *c, const outcome *pocl) {
    static const uint32_t workers[] = {1, 2, 4};
    enum { RUNS = sizeof workers / sizeof *workers };
    outcome runs[RUNS];
    const vm_lanes *set = hd_lanes_best();
    for (int w = 0; w < RUNS; w++, set = lanes_below(set)) {
        run_machine(c, workers[w], set, &runs[w]);
        if (c->fault) {
            check_fault(c, &runs[w]);
            continue;
        }
        check_outcome(c, &runs[w]);
        check_events(c, &runs[w]);
        if (w > 0)
            check_workers(c, &runs[0], &runs[w]);
    }
    if (pocl)
        check_same(c, &runs[0], pocl);
    for (int w = 0; w < RUNS; w++)
        record_end(&runs[w].events);
}

static void run_kernel(void **state) {
    hd_arena *arena = hd_arena_new();
    hd_str messages = {.arena = arena};
    const hd_diag diag = {collect, &messages};
    corpus c;
    outcome pocl;
    if (corpus_open(arena, &diag, *state, &c) != HD_OK)
        fail_msg("%s", hd_str_text(&messages));
    if (!c.expects.count && !c.prints.count && !c.fault && c.mis < 0)
        fail_msg("%s: no comment says what to expect", c.path);
    /* Reals may differ on both sides of what is expected. */
    c.job->relative = 2 * c.ulps * ldexp(1, -23);
    bool on_pocl = !SANITIZED && c.on_pocl && !c.fault;
    if (on_pocl) {
        run_pocl(&c, &pocl);
        check_outcome(&c, &pocl);
    }
    check_on_machine(&c, on_pocl ? &pocl : NULL);
    hd_arena_free(arena);
}

int main(int argc, char **argv) {
    const char *root = getenv("HEDDLE_SOURCE");
    hd_arena *arena = hd_arena_new();
    glob_t found;
    stand_ready();
    /* PoCL's default vectorises the loop over work-items, and gets unions wrong there. */
    setenv("POCL_WORK_GROUP_METHOD", "loops", 1);
    if (glob(hd_format(arena, "%s/tests/machine/kernels/*/*.cl", root ? root : "."), 0, NULL,
             &found)) {
        fprintf(stderr, "there are no kernels; HEDDLE_SOURCE is the folder of the sources\n");
        return 2;
    }
    struct CMUnitTest *tests = hd_new_array(arena, struct CMUnitTest, found.gl_pathc);
    size_t count = 0;
    for (size_t p = 0; p < found.gl_pathc; p++)
        if (argc < 2 || strstr(found.gl_pathv[p], argv[1]))
            tests[count++] = (struct CMUnitTest){.name = strstr(found.gl_pathv[p], "kernels/") +
                                                         strlen("kernels/"),
                                                 .test_func = run_kernel,
                                                 .initial_state = found.gl_pathv[p]};
    int failed = _cmocka_run_group_tests("kernels", tests, count, NULL, NULL);
    if (argc < 2 && count < FEWEST_KERNELS) {
        fprintf(stderr, "only %zu kernels were found\n", count);
        failed = 1;
    }
    globfree(&found);
    hd_arena_free(arena);
    return failed;
}
