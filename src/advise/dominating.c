/* What weighs more than the layout of the record (dominating.h). */
#include "advise/dominating.h"

#include <ctype.h>
#include <math.h>

#include "advise/verify.h"
#include "analysis/access_table.h"
#include "analysis/banks.h"
#include "base/number.h"

/* Below this share of all it is not worth a word. */
static const double WORTH = 0.1;

static const hd_diag silent = {0};

/* ---- the passes of banks --------------------------------------------------------------------- */

typedef struct counting {
    hd_arena *arena;
    const hd_device *device;
    const hd_evidence_options *options;
    uint64_t limit; /* accesses of lanes */
    hd_tally *counters;
    hd_access_table table;
    const hd_event_launch *launch;
} counting;

static hd_status begin_launch(void *self, const hd_event_launch *launch) {
    ((counting *)self)->launch = launch;
    return HD_OK;
}

/* The counters, which stand before this sink, have counted all of it. */
static hd_status end_launch(void *self, bool complete) {
    counting *c = self;
    (void)complete;
    hd_access_table_add(&c->table, c->launch, c->counters, NULL);
    return HD_OK;
}

/* Runs all of the job. */
static hd_status count_job(counting *c, const hd_job *job) {
    const hd_vm_options options = {
        .workers = 1, .max_instructions = c->limit, .stop = c->options->stop};
    hd_sink *sinks = hd_new_array(c->arena, hd_sink, job->launch_count);
    hd_vm_counts counts;
    hd_vm *vm;
    c->counters = hd_counters_new(c->arena, c->device);
    c->table = (hd_access_table){.arena = c->arena};
    const hd_sink both[] = {
        hd_tally_sink(c->counters),
        {.self = c, .launch = begin_launch, .end_launch = end_launch},
    };
    for (uint32_t l = 0; l < job->launch_count; l++)
        sinks[l] = hd_sink_tee(c->arena, both, 2);
    hd_status status = hd_vm_open(c->arena, &silent, job, NULL, &options, &vm);
    if (status == HD_OK) {
        status = hd_vm_run_all(vm, NULL, sinks, c->limit, NULL, &counts);
        hd_vm_close(vm);
    }
    hd_tally_free(c->counters);
    return status;
}

static uint64_t conflicts_of(const hd_access_row *row) {
    return ((const hd_banks_counts *)row->counts.of[NUMBER_OF_hd_banks])->conflicts;
}

static uint64_t all_conflicts(const hd_access_table *table) {
    uint64_t sum = 0;
    for (size_t i = 0; i < table->count; i++)
        sum += conflicts_of(&table->data[i]);
    return sum;
}

/* ---- an array padded by one column ----------------------------------------------------------- */

static bool is_of_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The declaration of a local array of two or more dimensions in the text, behind its name; NULL. */
static const char *declaration_of(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        const char *begin = at;
        if ((at > text && is_of_word(at[-1])) || at[length] != '[')
            continue;
        while (begin > text && !strchr(";{}", begin[-1]))
            begin--;
        for (const char *word = begin; word < at; word++)
            if (!strncmp(word, "__shared__", 10) || !strncmp(word, "__local", 7) ||
                (!strncmp(word, "local ", 6) && (word == begin || !is_of_word(word[-1]))))
                return at + length;
    }
    return NULL;
}

/* The last bracket of "[A][B]" at `at`, its closing one in *end; NULL: there are not two. */
static const char *last_bracket(const char *at, const char **end) {
    const char *last = NULL;
    uint32_t count = 0;
    while (*at == '[') {
        const char *close = at;
        for (uint32_t depth = 0; *close && !(*close == ']' && depth == 1); close++)
            depth += *close == '[' ? 1 : *close == ']' ? -1 : 0;
        if (!*close)
            return NULL;
        last = at;
        *end = close;
        count++;
        at = close + 1;
    }
    return count >= 2 ? last : NULL;
}

/* Passes that conflicts take with the array padded, in *passes, and how it is declared then, as
 * "tile[16][16 + 1]"; NULL: it cannot be, or the kernels leave other contents. */
static const char *padded(counting *c, const hd_job *job, const char *name, uint64_t *passes) {
    hd_arena *arena = c->arena;
    char *text;
    size_t length;
    if (!job->kernel_path || hd_read_file(arena, &silent, job->kernel_path, &text, &length))
        return NULL;
    const char *after = declaration_of(text, name), *end = NULL;
    const char *bracket = after ? last_bracket(after, &end) : NULL;
    if (!bracket)
        return NULL;
    const bool is_sum =
        strpbrk(bracket + 1, "+-*/?<>&|%") && strpbrk(bracket + 1, "+-*/?<>&|%") < end;
    const char *declared =
        hd_format(arena, is_sum ? "%s%.*s[(%.*s) + 1]" : "%s%.*s[%.*s + 1]", name,
                  (int)(bracket - after), after, (int)(end - bracket - 1), bracket + 1);
    const char *changed =
        hd_format(arena, "%.*s%s%s", (int)(after - strlen(name) - text), text, declared, end + 1);
    hd_rewritten_file file = {.path = job->kernel_path,
                              .name = hd_path_name(job->kernel_path),
                              .text = changed,
                              .original = text,
                              .edit_count = 1};
    const hd_rewritten edited = {.files = &file,
                                 .file_count = 1,
                                 .options = hd_format(arena, "-I '%s' %s",
                                                      hd_path_beside(arena, job->kernel_path, "."),
                                                      job->options ? job->options : "")};
    const hd_vm_options options = {.workers = 1, .max_instructions = c->limit};
    hd_verified verified;
    if (hd_verify(arena, &silent, job, NULL, 0, &edited, &options, &verified) ||
        !verified.lane_accesses || count_job(c, verified.job))
        return NULL;
    *passes = all_conflicts(&c->table);
    return declared;
}

/* ---- what is found ---------------------------------------------------------------------------- */

static bool uses_local_memory(hd_arena *arena, const hd_job *job) {
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_kernel_info *info = hd_job_analyse(arena, job, &job->launches[l]);
        for (uint32_t a = 0; a < info->access_count; a++)
            if (info->accesses[a].space == KIR_LOCAL)
                return true;
    }
    return false;
}

static uint32_t find_conflicts(hd_arena *arena, const hd_job *job, const hd_device *device,
                               const hd_layout_gain *gain, const hd_evidence_options *options,
                               hd_dominating *found) {
    counting c = {.arena = arena,
                  .device = device,
                  .options = options,
                  .limit = hd_evidence_limit_again(options)};
    const hd_access_row *worst = NULL;
    uint64_t transactions = 0, passes;
    if (!device->banks || !uses_local_memory(arena, job) || count_job(&c, job))
        return 0;
    const uint64_t all = all_conflicts(&c.table);
    for (size_t i = 0; i < c.table.count; i++) {
        const hd_access_row *row = &c.table.data[i];
        transactions += row->space == KIR_GLOBAL ? row->counts.moved.transactions : 0;
        worst = conflicts_of(row) > (worst ? conflicts_of(worst) : 0) ? row : worst;
    }
    if (!worst || (double)all <= gain->transactions || (double)all < WORTH * (double)transactions)
        return 0;
    const hd_access_row most = *worst;
    const char *against =
        gain->transactions > 0
            ? hd_format(arena,
                        "cost more than the layout can gain: %s passes against %s transactions",
                        hd_show_count(arena, (double)all), hd_show_count(arena, gain->transactions))
            : hd_format(arena, "cost what no layout gains: %s passes beside %s transactions",
                        hd_show_count(arena, (double)all),
                        hd_show_count(arena, (double)transactions));
    const char *text = hd_format(arena, "bank conflicts of line %u %s", most.line, against);
    const char *declared = most.buffer ? padded(&c, job, most.buffer, &passes) : NULL;
    if (declared && passes <= all / 2)
        text = hd_format(arena, "%s; pad the array by one column: %s leaves the same and %s passes",
                         text, declared, hd_show_count(arena, (double)passes));
    *found = (hd_dominating){"bank conflicts", most.kernel,        most.line,
                             (double)all,      gain->transactions, text};
    return 1;
}

static const char *buffer_of(const hd_cost_line *line) {
    const hd_access *access = line->access;
    return access->param >= 0 && (uint32_t)access->param < line->info->kernel->param_count
               ? line->info->kernel->params[access->param].name
               : "other memory";
}

static uint32_t find_others(hd_arena *arena, const hd_job *job, const hd_device *device,
                            const hd_cost_line *lines, size_t count, const hd_layout_gain *gain,
                            hd_dominating *found) {
    const hd_cost_line *worst = NULL;
    double all = 0, of_record = 0, wasted = 0, most = 0;
    uint32_t kinds = 0;
    for (size_t i = 0; i < count; i++) {
        const hd_cost_line *line = &lines[i];
        const double cost = hd_cost_mean(&line->cost);
        const bool is_of_record = line->access->record == job->record;
        const double waste = is_of_record || line->transactions <= 0
                                 ? 0
                                 : cost * fmax(0, 1 - line->ideal / line->transactions);
        all += cost;
        of_record += is_of_record ? cost : 0;
        wasted += waste;
        if (waste > most) {
            most = waste;
            worst = line;
        }
    }
    if (all <= 0)
        return 0;
    if (worst && wasted / all > gain->share && wasted / all > WORTH)
        found[kinds++] = (hd_dominating){
            "other memory",
            worst->info->kernel->name,
            worst->access->line,
            wasted / all,
            gain->share,
            hd_format(
                arena,
                "accesses that are not to %s move in vain what makes %s of the cost, which no "
                "layout of it changes; most of it on line %u, %s: %s",
                job->record->spelling, hd_show_share(arena, wasted / all), worst->access->line,
                buffer_of(worst), hd_cost_explain(arena, device, worst))};
    if (of_record > 0 && of_record / all < WORTH)
        found[kinds++] = (hd_dominating){
            "small share",
            NULL,
            0,
            of_record / all,
            gain->share,
            hd_format(arena,
                      "accesses to %s are %s of the cost, so that no layout of it can gain more",
                      job->record->spelling, hd_show_share(arena, of_record / all))};
    return kinds;
}

/* A loop in whose second part lanes are in different iterations; of several the costliest. */
static uint32_t find_lanes_apart(hd_arena *arena, const hd_cost_line *lines, size_t count,
                                 hd_dominating *found) {
    const kir_split *worst = NULL;
    const char *kernel = NULL;
    double all = 0, most = 0, each = 0;
    for (size_t i = 0; i < count; i++) {
        const kir_split *split = &lines[i].info->kernel->split;
        double share = 0, requests = 0, transactions = 0;
        all += hd_cost_mean(&lines[i].cost);
        for (size_t k = 0; k < count && split->loop; k++) {
            const hd_access *access = lines[k].access;
            if (lines[k].info != lines[i].info || access->line < split->question.line ||
                access->line > split->last)
                continue;
            share += hd_cost_mean(&lines[k].cost);
            requests += lines[k].executions;
            transactions += lines[k].executions * lines[k].transactions;
        }
        if (share <= most)
            continue;
        most = share;
        each = requests > 0 ? transactions / requests : 0;
        worst = split;
        kernel = lines[i].info->kernel->name;
    }
    if (!worst || most / all < WORTH)
        return 0;
    *found = (hd_dominating){
        "lanes apart",
        kernel,
        worst->question.line,
        each,
        most / all,
        hd_format(
            arena,
            "the compiler splits the loop of line %u where the answer of line %u changes, and in "
            "its second part lanes of a warp are in different iterations: lines %u to %u make "
            "%.2f transactions a request",
            worst->loop, worst->question.line, worst->question.line, worst->last, each)};
    return 1;
}

uint32_t advise_dominating(hd_arena *arena, const hd_job *job, const hd_device *device,
                           const hd_cost_line *lines, size_t line_count, const hd_layout_gain *gain,
                           const hd_evidence_options *options,
                           hd_dominating found[HD_MOST_DOMINATING]) {
    uint32_t count = find_conflicts(arena, job, device, gain, options, found);
    count += find_others(arena, job, device, lines, line_count, gain, found + count);
    return count + find_lanes_apart(arena, lines, line_count, found + count);
}
