/*
 * Running a job on the machine, for `run` and `trace`.
 *
 * Launches that are run many times would fill pages of equal lines, so runs of one
 * kernel with the same sizes share a row, in the order in which they come first.
 */
#include "base/table.h"
#include "cli/execute.h"
#include "cli/stop.h"

typedef struct cli_executor {
    cli *c;
    cli_run *run;
    const hd_launch *launch; /* that is being run */
    uint64_t number;         /* of this run, from 0 */
    cli_meter meter;
    bool keeps_text;       /* of kernels */
    bool left_out;         /* some of it */
    hd_hash_table rows;    /* their numbers, by launch_sizes */
    const hd_ranks *ranks; /* that run it together, or NULL */
    cli_stop stop;
} executor;

/* ---- what the machine calls ------------------------------------------------------- */

/* A kernel can print for ever; an object has its text in memory. */
#define MOST_TEXT ((size_t)16 << 20)

/* For a member of an object. What has no place in C's strings becomes U+FFFD. */
static void keep_text(hd_str *kept, const char *text, size_t length) {
    while (length) {
        size_t part = strnlen(text, length);
        hd_str_addn(kept, text, part);
        if (part < length) {
            hd_str_add(kept, "\xef\xbf\xbd");
            part++;
        }
        text += part;
        length -= part;
    }
}

static void print_text(void *user, const char *text, size_t length) {
    executor *e = user;
    if (!e->c->is_first)
        return;
    if (e->keeps_text) {
        size_t kept = e->run->printed.length, room = kept < MOST_TEXT ? MOST_TEXT - kept : 0;
        e->left_out |= length > room;
        keep_text(&e->run->printed, text, length < room ? length : room);
        return;
    }
    cli_progress(e->c, NULL);
    fwrite(text, 1, length, stdout);
}

static void show_progress(void *user, uint64_t done, uint64_t count) {
    executor *e = user;
    hd_arena *arena = hd_arena_new();
    const char *which = e->run->planned == 1 ? ""
                                             : hd_format(arena, "launch %llu of %llu, ",
                                                         (unsigned long long)e->number + 1,
                                                         (unsigned long long)e->run->planned);
    cli_show_meter(&e->meter, hd_format(arena, "%s%s", which, e->launch->kernel_name),
                   (double)done / (double)count);
    hd_arena_free(arena);
}

/* ---- rows --------------------------------------------------------------------------- */

/* Launches share a row that have the same of these. */
typedef struct launch_sizes {
    uint64_t kernel, dims, shared, global[3], local[3], offset[3];
} launch_sizes;

static void add_counts(cli_run_row *row, const hd_vm_counts *counts) {
    hd_vm_counts *sum = &row->counts;
    row->runs++;
    hd_vm_add_counts(sum, counts);
    sum->seconds += counts->seconds;
    sum->stopped = sum->stopped || counts->stopped;
    if (counts->workers > sum->workers)
        sum->workers = counts->workers;
}

/* ---- running ------------------------------------------------------------------------ */

uint64_t cli_planned_runs(const hd_job *job) {
    uint64_t runs = 0;
    for (uint32_t l = 0; l < job->launch_count; l++)
        runs += job->launches[l].repeat;
    return runs;
}

int cli_run_status(const cli_run *run) {
    return run->total.counts.stopped ? CLI_STOPPED : CLI_FINE;
}

static hd_status run_all(executor *e, const hd_job *job, const cli_listener *listener) {
    cli_run *run = e->run;
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = e->launch = &job->launches[l];
        if (hd_vm_is_over(run->vm, l) && l + 1 < job->launch_count) {
            e->number += launch->repeat;
            continue;
        }
        launch_sizes *sizes = hd_new(e->c->arena, launch_sizes);
        *sizes = (launch_sizes){(uintptr_t)launch->kernel, launch->dims, launch->shared};
        memcpy(sizes->global, launch->global, sizeof sizes->global);
        memcpy(sizes->local, launch->local, sizeof sizes->local);
        memcpy(sizes->offset, launch->offset, sizeof sizes->offset);
        uint64_t number_of_row = hd_hash_add_key(&e->rows, sizes, run->rows.count);
        if (number_of_row == run->rows.count)
            hd_push(e->c->arena, &run->rows,
                    (cli_run_row){.launch = launch,
                                  .counted = hd_new_array(e->c->arena, hd_launch_counts,
                                                          listener->device_count)});
        cli_run_row *row = &run->rows.data[number_of_row];
        for (uint64_t r = 0; r < e->launch->repeat; r++, e->number++) {
            hd_sink sink;
            hd_vm_counts counts = {0};
            uint32_t number = (uint32_t)e->number;
            bool heard = listener->begin(listener->self, number, &sink);
            hd_status status = hd_vm_run(run->vm, l, heard ? &sink : NULL, &counts);
            if (status == HD_OK) {
                add_counts(row, &counts);
                add_counts(&run->total, &counts);
                hd_vm_add_counts(&run->launches[l], &counts);
                hd_push(e->c->arena, &run->ran, l);
            }
            if (heard && listener->end)
                listener->end(listener->self, number, status == HD_OK ? row : NULL);
            if (status == HD_OK && !run->total.counts.stopped && listener->ran)
                status = listener->ran(listener->self, run->vm, l);
            if (status != HD_OK || run->total.counts.stopped)
                return status;
        }
    }
    return HD_OK;
}

/* Each "17" or "tree.h:17". */
static hd_status read_allowed(cli *c, const cli_machine_options *choice, hd_vm_line *lines) {
    for (size_t i = 0; i < choice->allowed_races.count; i++) {
        const char *text = choice->allowed_races.data[i];
        if (!cli_read_line(c->arena, text, &lines[i].file, &lines[i].line))
            return cli_refuse(
                c, "--allow-race takes a line of the kernel file, or FILE:LINE, not '%s'", text);
    }
    return HD_OK;
}

hd_status cli_open_machine(cli *c, const hd_job *job, const cli_machine_options *choice,
                           cli_run *run) {
    executor *e = hd_new(c->arena, executor);
    *run =
        (cli_run){.executor = e, .planned = cli_planned_runs(job), .printed = {.arena = c->arena}};
    *e = (executor){.c = c,
                    .run = run,
                    .meter = {.c = c, .shown = hd_clock()},
                    .keeps_text = c->json || choice->keep_text,
                    .ranks = choice->ranks,
                    .rows = {.arena = c->arena, .key_bytes = sizeof(launch_sizes)}};
    hd_vm_line *allowed = hd_new_array(c->arena, hd_vm_line, choice->allowed_races.count + 1);
    if (read_allowed(c, choice, allowed))
        return HD_EINPUT;
    run->watches_races = choice->races;
    const hd_ranks *ranks = choice->ranks;
    uint32_t workers = (uint32_t)choice->workers, cores = hd_core_count();
    if (!workers && ranks && ranks->beside > 1) /* ranks on one machine share its cores */
        workers = cores > ranks->beside ? cores / ranks->beside : 1;
    const hd_vm_options options = {.workers = workers,
                                   .max_instructions = choice->max_instructions,
                                   .local_memory = choice->local_memory,
                                   .spaces = choice->spaces,
                                   .check_uninitialised = choice->uninitialised,
                                   .check_races = choice->races,
                                   .stop_at_race = choice->stop_at_race,
                                   .races_go_on = true,
                                   .allowed = allowed,
                                   .allowed_count = (uint32_t)choice->allowed_races.count,
                                   .print = print_text,
                                   .progress = show_progress,
                                   .user = e,
                                   .ranks = choice->ranks,
                                   .device = choice->device,
                                   .stop = cli_catch_stop(&e->stop)};
    hd_status status = hd_vm_open(c->arena, &c->diag, job, choice->inputs, &options, &run->vm);
    if (status != HD_OK)
        cli_release_stop(&e->stop);
    return status;
}

hd_status cli_sum_counts(cli *c, const hd_ranks *ranks, hd_launch_counts *counts, size_t count) {
    return hd_ranks_sum(ranks, &c->diag, (uint64_t *)counts,
                        count * (sizeof *counts / sizeof(uint64_t)));
}

hd_status cli_execute(cli *c, const hd_job *job, const cli_listener *listener, cli_run *run) {
    executor *e = run->executor;
    run->total.counted = hd_new_array(c->arena, hd_launch_counts, listener->device_count);
    run->launches = hd_new_array(c->arena, hd_vm_counts, job->launch_count);
    hd_status status = run_all(e, job, listener);
    for (size_t i = 0; i < run->rows.count && status == HD_OK; i++)
        status = cli_sum_counts(c, e->ranks, run->rows.data[i].counted, listener->device_count);
    cli_release_stop(&e->stop);
    fflush(stdout); /* what kernels have printed stands before any message */
    cli_progress(c, NULL);
    if (e->left_out)
        hd_warn(&c->diag, NULL, "of what kernels printed the first %zu MiB are kept",
                MOST_TEXT >> 20);
    for (size_t i = 0; i < run->rows.count; i++)
        for (size_t d = 0; d < listener->device_count; d++)
            hd_launch_counts_add(&run->total.counted[d], &run->rows.data[i].counted[d]);
    if (status == HD_OK && run->total.counts.stopped)
        hd_warn(&c->diag, NULL, "stopped by a signal in launch %llu of %llu",
                (unsigned long long)e->number + 1, (unsigned long long)run->planned);
    return status;
}
