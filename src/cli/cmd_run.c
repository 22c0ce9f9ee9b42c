/* heddle run: the job on the machine, and what it executed, touched and moved. */
#include "cli/contents.h"
#include "cli/execute.h"
#include "report/json.h"

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

static json_t *check_json(const request *r) {
    return r->checked ? json_pack("{s:b, s:b}", "equal", (int)r->check.equal, "bit_equal",
                                  (int)r->check.bit_equal)
                      : json_null();
}

static int show(cli *c, const request *r, const cli_run *run, bool dumped) {
    if (c->json) {
        json_t *object = json_object(), *files = json_array();
        cli_run_json(c, run, r->devices, r->device_count, object);
        for (size_t i = 0; dumped && i < r->dump_texts.count; i++)
            json_array_append_new(files, hd_json_text(r->dumps[i].path));
        json_object_set_new(object, "dumped", files);
        json_object_set_new(object, "check", check_json(r));
        return cli_print_json(c, object);
    }
    hd_str out = {.arena = c->arena};
    cli_show_run(c, run, r->devices, r->device_count, &out);
    if (r->checked)
        hd_str_printf(&out, "\nEqual to the reference: %s\n",
                      r->check.bit_equal ? "yes"
                      : r->check.equal   ? "yes, within the job's tolerance"
                                         : "no");
    for (size_t i = 0; dumped && i < r->dump_texts.count; i++)
        hd_str_printf(&out, "%swrote %s\n", i ? "" : "\n", r->dumps[i].path);
    return cli_print(c, &out);
}

/* ---- the command --------------------------------------------------------------------- */

static hd_status find_devices(cli *c, request *r) {
    r->device_count = r->device_names.count ? r->device_names.count : 1;
    r->devices = hd_new_array(c->arena, const hd_device *, r->device_count);
    hd_status status = HD_OK;
    for (size_t d = 0; d < r->device_count && status == HD_OK; d++)
        status = hd_device_find(c->arena, &c->diag,
                                r->device_names.count ? r->device_names.data[d] : CLI_DEVICE,
                                &r->devices[d]);
    return status;
}

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

static bool has_raced(const hd_vm *vm) {
    uint32_t count;
    const hd_vm_race *races = hd_vm_races(vm, &count);
    bool raced = false;
    for (uint32_t i = 0; i < count; i++)
        raced |= races[i].is_fault;
    return raced;
}

static int run_job(cli *c, request *r) {
    hd_job *job;
    cli_run run;
    counting counts = {.request = r};
    if (cli_load(c, r->path, &r->source, &job) || find_devices(c, r) ||
        cli_read_dumps(c, &r->dump_texts, job, &r->dumps) ||
        cli_read_check(c, &r->check_texts, r->on, job, &r->check) ||
        cli_open_machine(c, job, &r->machine, &run))
        return CLI_WRONG;
    const cli_listener listener = {begin_counting, end_counting, &counts, r->device_count};
    hd_status status = cli_execute(c, job, &listener, &run);
    bool stopped = run.total.counts.stopped, raced = has_raced(run.vm);
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
    cli_option job_options[CLI_JOB_OPTION_COUNT];
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
        CLI_MACHINE_OPTIONS(r.machine),
        {0}};
    const cli_page page = {
        "[--device D]... [--check WITH]... [OPTIONS] JOB|FILE",
        "Runs all launches of the job on the machine: on the CPU, the way a GPU's blocks run "
        "them, with every access to memory checked. Prints for each kernel and size what was "
        "executed, and the transactions that its warps would cost a device. What kernels print "
        "comes first. Exit status 1: the buffers differ from what --check names.",
        options,
        cli_job_options(&r.source, job_options),
        1,
        1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    r.path = words[0];
    return run_job(c, &r);
}
