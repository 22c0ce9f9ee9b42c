/* Trace files and jobs as the input of an analysis. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/buffer_contents.h"
#include "cli/input.h"
#include "cli/stop.h"

/* ---- what of it is chosen ------------------------------------------------------------------ */

hd_status cli_read_range(cli *c, const char *option, const char *text, uint64_t *first,
                         uint64_t *last) {
    *first = 0;
    *last = UINT64_MAX;
    if (!text)
        return HD_OK;
    const char *at = text;
    bool fine = cli_whole(at, &at, first);
    *last = *first;
    if (fine && *at == '-')
        fine = cli_whole(at + 1, &at, last);
    if (!fine || *at || *first > *last)
        return cli_refuse(
            c,
            "--%s takes a number from 0 on, or two such as 0-7, the smaller first; not "
            "'%s'",
            option, text);
    return HD_OK;
}

hd_status cli_read_choice(cli *c, cli_input *input) {
    hd_status status =
        cli_read_range(c, "launch", input->launch_text, &input->first_launch, &input->last_launch);
    if (status == HD_OK)
        status =
            cli_read_range(c, "blocks", input->block_text, &input->first_block, &input->last_block);
    input->spaces = input->space_text ? 0 : 1u << KIR_GLOBAL;
    const char *rest = input->space_text;
    for (const char *name; !status && (name = cli_next_word(c->arena, &rest));) {
        int s = KIR_PRIVATE;
        while (s < KIR_GENERIC && strcmp(name, kir_space_name((kir_space)s)) != 0)
            s++;
        if (s == KIR_GENERIC)
            return cli_refuse(c,
                              "--space takes global, local, constant and private, separated by "
                              "commas, not '%s'",
                              input->space_text);
        input->spaces |= 1u << s; /* "global,local" */
    }
    return status;
}

/* ---- which kind of file -------------------------------------------------------------------- */

bool cli_job_options_given(const cli_input *input) {
    const cli_source *s = &input->source;
    const cli_machine_options *m = &input->machine;
    return s->entry || s->options || s->record || s->global.dims || s->local.dims || s->count ||
           s->values.count || m->workers || m->max_instructions || m->local_memory;
}

/* Beside a trace they would be ignored, so they are an error; but that of another tool knows no
 * records. */
static hd_status refuse_job_options(cli *c, const cli_input *input) {
    cli_input other = *input;
    if (input->is_foreign)
        other.source.record = other.source.record_of = NULL;
    return cli_job_options_given(&other)
               ? cli_fail_at(
                     c, input->path,
                     "this is a trace: options on kernels and on the machine go with a job or "
                     "a kernel file")
               : HD_OK;
}

hd_status cli_read_input(cli *c, cli_input *input) {
    /* The first bytes of a trace file (docs/trace-format.md). */
    static const uint8_t magic[8] = {0x89, 'H', 'D', 'T', 0x0d, 0x0a, 0x1a, 0x0a};
    uint8_t bytes[8] = {0};
    int file;
    hd_status status = cli_read_choice(c, input);
    if (status)
        return status;
    input->name = input->path;
    input->is_trace = hd_trace_is_folder(input->path);
    if (input->is_trace)
        return refuse_job_options(c, input);
    input->path = cli_job_path(c, input->path);
    input->name = cli_shown(c, input->path);
    if (hd_open_file(&hd_silent, input->path, &file, NULL) == HD_OK) {
        input->is_trace =
            read(file, bytes, sizeof bytes) == sizeof bytes && !memcmp(bytes, magic, sizeof magic);
        close(file);
    }
    input->is_foreign = !input->is_trace && !cli_is_job(input->path) &&
                        !hd_is_kernel_file(input->path) && hd_foreign_tool(input->path);
    input->is_trace |= input->is_foreign;
    if (input->is_trace)
        return refuse_job_options(c, input);
    if (cli_is_job(input->path) || hd_is_kernel_file(input->path))
        return HD_OK;
    status = hd_open_file(&c->diag, input->path, &file, NULL);
    if (status != HD_OK)
        return status;
    close(file);
    return cli_fail_at(
        c, input->path,
        "neither a trace ('heddle trace' makes one, 'heddle trace import' makes one of text, and "
        "those of %s are read) nor a job (.yaml) nor a kernel file (%s)",
        hd_foreign_kinds(c->arena), hd_kernel_endings(c->arena));
}

hd_status cli_read_inputs(cli *c, const cli_input *input, char *const *paths, uint32_t count) {
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        cli_input one = *input;
        one.path = paths[i];
        one.machine.workers = 0;
        status = cli_read_input(c, &one);
    }
    return status;
}

/* ---- what of it ------------------------------------------------------------------------------ */

bool cli_launch_chosen(const cli_input *input, uint64_t number) {
    return number >= input->first_launch && number <= input->last_launch;
}

const char *cli_show_spaces(hd_arena *arena, uint32_t spaces) {
    hd_str text = {.arena = arena};
    for (int s = KIR_PRIVATE; s <= KIR_GENERIC; s++)
        if (spaces >> s & 1)
            hd_str_printf(&text, "%s%s", text.length ? ", " : "", kir_space_name((kir_space)s));
    return hd_str_text(&text);
}

hd_status cli_check_planned(cli *c, const cli_input *input, const hd_job *job) {
    uint64_t runs = cli_planned_runs(job), run = 0, blocks = 0; /* of the largest chosen launch */
    const hd_place place = {.file = input->path};
    for (uint32_t l = 0; l < job->launch_count; run += job->launches[l++].repeat) {
        const hd_launch *launch = &job->launches[l];
        uint64_t count = hd_grid_of(launch->dims, launch->global, launch->local).block_count;
        if (run <= input->last_launch && run + launch->repeat > input->first_launch &&
            count > blocks)
            blocks = count;
    }
    if (input->first_launch >= runs)
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "--launch %s: there %s %llu launch%s, counted from 0", input->launch_text,
                       runs == 1 ? "is" : "are", (unsigned long long)runs, runs == 1 ? "" : "es");
    if (input->first_block >= blocks)
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "--blocks %s: no launch that is chosen has more than %llu block%s, counted "
                       "from 0",
                       input->block_text, (unsigned long long)blocks, blocks == 1 ? "" : "s");
    return HD_OK;
}

/* ---- a job as a trace ----------------------------------------------------------------------- */

typedef struct hearing {
    const cli_input *input;
    hd_sink sink;
} hearing;

static bool begin_launch(void *self, uint32_t number, hd_sink *sink) {
    const hearing *h = self;
    *sink = h->sink;
    return cli_launch_chosen(h->input, number);
}

hd_status cli_trace_job(cli *c, const cli_input *input, const hd_job *job, const char **path,
                        cli_run *run) {
    const hd_trace_header header = {.source = cli_shown(c, input->path),
                                    .spaces = input->machine.spaces};
    hd_trace_writer *writer;
    const hd_ranks *ranks = input->machine.ranks;
    hd_status status = cli_open_machine(c, job, &input->machine, run);
    if (status != HD_OK)
        return status;
    const char *folder = *path;
    if (ranks)
        status = hd_trace_folder_begin(c->arena, &c->diag, folder, ranks, path);
    if (status == HD_OK)
        status = hd_trace_create(c->arena, &c->diag, *path, &header, &writer);
    if (status == HD_OK) {
        hearing h = {input, hd_trace_sink(writer)};
        const cli_listener listener = {begin_launch, NULL, &h, 0};
        if (input->block_text)
            h.sink = hd_sink_blocks(c->arena, h.sink,
                                    (hd_block_choice){input->first_block, input->last_block, 0, 1});
        status = cli_execute(c, job, &listener, run);
        *path = hd_trace_name(writer, !run->total.counts.stopped);
        if (ranks && ranks->broken) /* what was traced until then stays */
            (void)hd_trace_finish(writer, false);
        else
            status = hd_trace_end(writer, status, !run->total.counts.stopped);
    }
    if (ranks && !ranks->broken) {
        bool complete = !run->total.counts.stopped;
        *path = hd_trace_folder_name(c->arena, folder, complete);
        status = hd_trace_folder_end(c->arena, &c->diag, folder, ranks, status, complete);
    }
    hd_vm_close(run->vm);
    return status;
}

hd_status cli_open_trace(cli *c, const cli_input *input, hd_trace **trace) {
    const hd_place place = {.file = input->path};
    bool launch = !input->launch_text, block = !input->block_text;
    hd_status status = input->is_foreign ? cli_open_foreign(c, input->path, &input->source, trace)
                                         : hd_trace_open(c->arena, &c->diag, input->path, trace);
    if (status != HD_OK)
        return status;
    const hd_trace_contents *contents = hd_trace_get(*trace);
    for (uint32_t l = 0; l < contents->launch_count; l++) {
        if (!cli_launch_chosen(input, contents->launches[l].launch.number))
            continue;
        launch = true;
        for (uint64_t b = 0; b < contents->launches[l].block_count && !block; b++)
            block = contents->launches[l].blocks[b].block >= input->first_block &&
                    contents->launches[l].blocks[b].block <= input->last_block;
    }
    if (!launch)
        status = hd_fail(&c->diag, HD_EINPUT, &place,
                         "--launch %s: the trace has no such launch; 'heddle trace info' lists "
                         "them",
                         input->launch_text);
    else if (!block)
        status = hd_fail(&c->diag, HD_EINPUT, &place,
                         "--blocks %s: none of the launches has such a block", input->block_text);
    else if (input->space_text && input->spaces & ~contents->spaces)
        status =
            hd_fail(&c->diag, HD_EINPUT, &place, "--space %s: the trace has accesses only to %s",
                    input->space_text, cli_show_spaces(c->arena, contents->spaces));
    else if (!contents->complete)
        hd_warn(&c->diag, &place, "the trace is not complete: %s", contents->missing);
    if (status != HD_OK)
        hd_trace_close(*trace);
    return status;
}

hd_status cli_load_input(cli *c, cli_input *input, hd_job **job) {
    hd_status status = cli_load(c, input->path, &input->source, job);
    if (status != HD_OK || (status = cli_check_planned(c, input, *job)))
        return status;
    /* The machine takes a buffer for global memory, also where a kernel says constant. */
    input->machine.spaces = input->spaces | input->besides | 1u << KIR_GLOBAL;
    const char *const inputs[] = {(*job)->path, (*job)->kernel_path};
    return input->out ? cli_check_output(c, input->out_name, input->out, inputs, 2) : HD_OK;
}

hd_status cli_open_job_accesses(cli *c, const cli_input *input, const hd_job *job, cli_run *run,
                                hd_trace **trace) {
    char *folder;
    cli_stop stop;
    /* Into a folder of its own; an open trace needs no name. */
    const volatile sig_atomic_t *wanted = cli_catch_stop(&stop); /* until the folder is gone */
    hd_status status = hd_scratch_make(c->arena, &c->diag, &folder);
    if (status == HD_OK) {
        const char *path = hd_format(c->arena, "%s/run.hdt", folder);
        const hd_ranks *ranks = c->ranks;
        c->ranks = NULL; /* each runs all of it: the file is not seen by the others */
        status = cli_trace_job(c, input, job, &path, run);
        c->ranks = ranks;
        if (status == HD_OK)
            status = hd_trace_open(c->arena, &c->diag, path, trace);
        hd_scratch_remove(folder);
    }
    cli_release_stop(&stop);
    if (status == HD_OK && *wanted && !run->total.counts.stopped)
        cli_end_stopped();
    return status;
}

hd_status cli_open_accesses(cli *c, cli_input *input, hd_job **job, cli_run *run,
                            hd_trace **trace) {
    const uint64_t workers = input->machine.workers; /* of several inputs it goes with all */
    *job = NULL;
    input->machine.workers = 0;
    hd_status status = cli_read_input(c, input);
    input->machine.workers = workers;
    if (status == HD_OK && input->is_trace)
        return cli_open_trace(c, input, trace);
    if (status == HD_OK)
        status = cli_load_input(c, input, job);
    return status ? status : cli_open_job_accesses(c, input, *job, run, trace);
}

/* ---- progress ------------------------------------------------------------------------------- */

void cli_show_reading(void *user, const char *doing, double done) {
    cli_reading *r = user;
    cli_show_meter(&r->meter, doing, ((double)r->done + done * (double)r->launch) / (double)r->all);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void add_file(const hd_message *message, void *user) {
    const cli_about *about = user;
    hd_message named = *message;
    if (!named.place.file)
        named.place.file = about->file;
    about->diag->fn(&named, about->diag->user);
}

hd_diag cli_diag_about(const cli *c, cli_about *about, const char *file) {
    *about = (cli_about){file, &c->diag};
    return (hd_diag){add_file, about};
}
