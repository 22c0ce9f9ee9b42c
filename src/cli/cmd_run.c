/* heddle run: the job on the machine, and what it executed, touched and moved. */
#include "cli/contents.h"
#include "cli/execute.h"

typedef struct request {
    const char *path;
    cli_source source;
    cli_machine_options machine;
    cli_texts device_names, dump_texts, check_texts;
    const char *on;
    /* what they name */
    const hd_device **devices;
    size_t device_count;
    cli_dump *dumps;
    cli_check check;
    bool checked; /* a comparison was made */
} request;

/* ---- counting ----------------------------------------------------------------------- */

/* Counts one run after the other: what it needs for a run goes when the run ends. */
typedef struct counting {
    const request *request;
    hd_arena *arena; /* of this run */
    hd_counters **counters;
} counting;

static bool begin_counting(void *self, uint32_t number, hd_sink *sink) {
    counting *c = self;
    size_t device_count = c->request->device_count;
    (void)number;
    c->arena = hd_arena_new();
    c->counters = hd_new_array(c->arena, hd_counters *, device_count);
    hd_sink *sinks = hd_new_array(c->arena, hd_sink, device_count);
    for (size_t d = 0; d < device_count; d++) {
        c->counters[d] = hd_counters_new(c->arena, c->request->devices[d]);
        sinks[d] = hd_counters_sink(c->counters[d]);
    }
    *sink = device_count == 1 ? sinks[0] : hd_sink_tee(c->arena, sinks, (uint32_t)device_count);
    return true;
}

static void end_counting(void *self, uint32_t number, cli_run_row *row) {
    counting *c = self;
    for (size_t d = 0; d < c->request->device_count; d++) {
        if (row)
            hd_counters_add(c->counters[d], number, &row->counted[d]);
        hd_counters_free(c->counters[d]);
    }
    hd_arena_free(c->arena);
}

/* ---- the result --------------------------------------------------------------------- */

typedef struct result {
    const cli_run *run;
    const cli_dump *dumps;
    size_t dump_count;
    const cli_check *check; /* NULL: nothing was compared */
} result;

HD_GETTER(path_list, result, hd_text_list(view->arena, row->dumps, row->dump_count, cli_dump, path))

static const hd_member check_members[] = {HD_SAME(cli_check, equal, bit_equal), {0}};
static const hd_member result_members[] = {{HD_BEHIND(result, run), .of = cli_run_members},
                                           {"dumped", .get = path_list},
                                           {"check", HD_BEHIND(result, check), .of = check_members},
                                           {0}};

static int show(cli *c, const request *r, const cli_run *run, bool dumped) {
    const cli_run_devices on = {r->devices, r->device_count, 0};
    const result all = {run, r->dumps, dumped ? r->dump_texts.count : 0,
                        r->checked ? &r->check : NULL};
    hd_str out = {.arena = c->arena};
    if (c->json)
        return cli_print_row(c, result_members, hd_with(hd_row(&all), &on));
    cli_show_run(c, run, &on, &out);
    if (r->checked)
        hd_str_printf(&out, "\nEqual to the reference: %s\n",
                      r->check.bit_equal ? "yes"
                      : r->check.equal   ? "yes, within the job's tolerance"
                                         : "no");
    for (size_t i = 0; i < all.dump_count; i++)
        hd_str_printf(&out, "%swrote %s\n", i ? "" : "\n", r->dumps[i].path);
    return cli_print(c, &out);
}

/* ---- the command --------------------------------------------------------------------- */

/* What follows a run that was not stopped: the contents are compared and written. */
static hd_status use_contents(cli *c, request *r, const hd_job *job, const hd_vm *vm) {
    void **contents = hd_new_array(c->arena, void *, job->buffer_count);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        contents[b] = hd_vm_contents(vm, b);
    hd_status status = HD_OK;
    if (r->check_texts.count)
        status = cli_compare(c, &r->check, job, contents);
    r->checked = r->check_texts.count && (status == HD_OK || status == HD_EDIFFER);
    if (r->dump_texts.count && (status == HD_OK || status == HD_EDIFFER)) {
        hd_status wrote = cli_write_dumps(c, r->dumps, r->dump_texts.count, job, contents);
        status = wrote ? wrote : status;
    }
    return status;
}

static int run_job(cli *c, request *r) {
    hd_job *job;
    cli_run run;
    counting counts = {.request = r};
    if (cli_load(c, r->path, &r->source, &job) ||
        cli_find_devices(c, &r->device_names, &r->devices, &r->device_count) ||
        cli_read_dumps(c, &r->dump_texts, job, &r->dumps) ||
        cli_read_check(c, &r->check_texts, r->on, job, &r->check) ||
        cli_open_machine(c, job, &r->machine, &run))
        return CLI_WRONG;
    const cli_listener listener = {begin_counting, end_counting, &counts, r->device_count};
    hd_status status = cli_execute(c, job, &listener, &run);
    bool stopped = run.total.counts.stopped, raced = false;
    uint32_t race_count;
    const hd_vm_race *races = hd_vm_races(run.vm, &race_count);
    for (uint32_t i = 0; i < race_count; i++)
        raced |= races[i].is_fault;
    if (status == HD_OK && !stopped && !raced)
        status = use_contents(c, r, job, run.vm);
    int printed = CLI_WRONG;
    if (status == HD_OK || status == HD_EDIFFER)
        printed = show(c, r, &run, !stopped && !raced);
    hd_vm_report_races(run.vm);
    hd_vm_close(run.vm);
    return printed   ? printed
           : raced   ? CLI_WRONG
           : stopped ? cli_run_status(&run)
                     : cli_status(status);
}

int cmd_run(cli *c, int argc, char **argv) {
    request r = {0};
    const cli_option options[] = {
        {"device", 'd', "D",
         "the device profile to count transactions for (may be repeated); default: " CLI_DEVICE,
         CLI_TEXTS, &r.device_names},
        {"check", 0, "WITH",
         "compare the buffers at the end: with 'opencl', a run on an OpenCL device, or with "
         "BUFFER=FILE, the bytes of a file (may be repeated)",
         CLI_TEXTS, &r.check_texts, "opencl"},
        {"on", 0, "DEVICE", "the OpenCL device of --check opencl; default: the first", CLI_TEXT,
         &r.on},
        {"dump", 0, "BUFFER=FILE", "write a buffer's bytes at the end to FILE (may be repeated)",
         CLI_TEXTS, &r.dump_texts},
        {"races", 0, NULL,
         "threads that race are a fault: each pair of lines is listed when the run has ended; one "
         "worker",
         CLI_FLAG, &r.machine.races},
        {"allow-race", 0, "LINE",
         "with --races: accesses at this line of the kernel file, or at FILE:LINE, may race (may "
         "be repeated)",
         CLI_TEXTS, &r.machine.allowed_races},
        {"uninitialised", 0, NULL, "reading what nothing has written is a fault", CLI_FLAG,
         &r.machine.uninitialised},
        CLI_INCLUDE(cli_machine_table(c, &r.machine)),
        {0}};
    static const cli_page page = {
        "[--device D]... [--check WITH]... [OPTIONS] JOB|FILE",
        "Runs all launches of the job on the machine: on the CPU, the way a GPU's blocks run "
        "them, with every access to memory checked. Prints for each kernel and size what was "
        "executed, and the transactions that its warps would cost a device. What kernels print "
        "comes first. Exit status 1: the buffers differ from what --check names.",
        {1, 1}};
    if (!cli_parse(c, &page, options, &r.source, argc, argv))
        return c->status;
    r.path = c->words[0];
    return run_job(c, &r);
}
