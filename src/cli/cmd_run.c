/* heddle run: the job on the machine, and what it executed, touched and moved. */
#include "cli/commands.h"
#include "cli/buffer_contents.h"
#include "cli/run_placed.h"

typedef struct request {
    const cli_options *given;
    const char *path;
    cli_machine_options machine;
    /* what the options name */
    cli_placed placed;
    const hd_device **devices;
    size_t device_count;
    cli_dump *dumps;
    cli_check check;
    bool is_near; /* what --check expected compares is so within the job's tolerance */
    bool checked; /* a comparison was made */
} request;

/* ---- counting ----------------------------------------------------------------------- */

/* Counts one run after the other: what it needs for a run goes when the run ends. */
typedef struct counting {
    const request *request;
    hd_arena *arena; /* of this run */
    hd_tally **counters;
    hd_origin *origin;       /* NULL: accesses are not listed, or the job is run as it is */
    hd_access_table *tables; /* [devices], of all runs; NULL: accesses are not listed */
    cli_expected *expected;  /* NULL: not asked for */
} counting;

static hd_status check_launch(void *self, const hd_vm *vm, uint32_t launch) {
    return cli_expected_ran(((counting *)self)->expected, vm, launch);
}

static bool begin_counting(void *self, uint32_t number, hd_sink *sink) {
    counting *c = self;
    size_t device_count = c->request->device_count;
    (void)number;
    c->arena = hd_arena_new();
    c->counters = hd_new_array(c->arena, hd_tally *, device_count);
    hd_sink *sinks = hd_new_array(c->arena, hd_sink, 2 * device_count + 1);
    uint32_t count = 0;
    for (size_t d = 0; d < device_count; d++) {
        c->counters[d] = hd_counters_new(c->arena, c->request->devices[d]);
        sinks[count++] = hd_tally_sink(c->counters[d]);
    }
    if (c->origin)
        sinks[count++] = hd_origin_sink(c->origin);
    for (size_t d = 0; c->tables && d < device_count; d++)
        sinks[count++] = cli_rows_sink(c->arena, &c->tables[d], c->counters[d], c->origin, NULL);
    *sink = count == 1 ? sinks[0] : hd_sink_tee(c->arena, sinks, count);
    return true;
}

static void end_counting(void *self, uint32_t number, cli_run_row *row) {
    counting *c = self;
    for (size_t d = 0; d < c->request->device_count; d++) {
        if (row)
            hd_counters_add(c->counters[d], number, &row->counted[d]);
        hd_tally_free(c->counters[d]);
    }
    hd_arena_free(c->arena);
}

/* ---- the result --------------------------------------------------------------------- */

typedef struct result {
    const cli_run *run;
    const hd_access_table *tables; /* [devices], or NULL */
    const cli_dump *dumps;
    size_t dump_count;
    const cli_check *check; /* NULL: nothing was compared */
} result;

/* What of all accesses was counted for a device. */
typedef struct device_accesses {
    const char *device;
    const hd_access_table *table;
} device_accesses;

static hd_value accesses_of(const hd_view *view, const void *at) {
    const result *r = at;
    const cli_run_devices *on = view->context;
    device_accesses *all = hd_new_array(view->arena, device_accesses, on->count);
    for (size_t d = 0; r->tables && d < on->count; d++)
        all[d] = (device_accesses){on->devices[d]->name, &r->tables[d]};
    return r->tables ? hd_rows(all, on->count) : hd_null();
}

static const hd_member device_members[] = {
    {"device", HD_AT(device_accesses, device)},
    {"rows", HD_VIA(device_accesses, table, HD_MANY, data, count), .of = hd_access_row_members},
    {0}};

HD_GETTER(path_list, result, hd_text_list(view->arena, row->dumps, row->dump_count, cli_dump, path))

static const hd_member check_members[] = {HD_SAME(cli_check, equal, bit_equal), {0}};
static const hd_member result_members[] = {{HD_BEHIND(result, run), .of = cli_run_members},
                                           {"accesses", .get = accesses_of, .of = device_members},
                                           {"dumped", .get = path_list},
                                           {"check", HD_BEHIND(result, check), .of = check_members},
                                           {0}};

static int show(cli *c, const request *r, const counting *counts, const cli_run *run, bool dumped) {
    const cli_run_devices on = {r->devices, r->device_count, 0};
    const result all = {run, counts->tables, r->dumps, dumped ? r->given->dumps.count : 0,
                        r->checked ? &r->check : NULL};
    hd_str out = {.arena = c->arena};
    if (c->json)
        return cli_print_row(c, result_members, hd_with(hd_row(&all), &on));
    cli_show_run(c, run, &on, &out);
    for (size_t d = 0; counts->tables && d < r->device_count;
         d++) /* a table for each kernel, too */
        for (size_t first = 0, end; first < counts->tables[d].count; first = end) {
            const hd_access_row *rows = counts->tables[d].data;
            hd_launch_counts sum = {0};
            for (end = first;
                 end < counts->tables[d].count && !strcmp(rows[end].kernel, rows[first].kernel);
                 end++)
                hd_launch_counts_add(&sum, &rows[end].counts);
            const char *title = hd_format(c->arena, "\nAccesses of %s on %s", rows[first].kernel,
                                          r->devices[d]->name);
            cli_show_rows(c, title, hd_access_row_columns(c->arena, &sum),
                          hd_with(hd_rows(rows + first, end - first), rows + first), &out);
        }
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
static hd_status use_contents(cli *c, request *r, const hd_vm *vm, hd_status ran) {
    const hd_job *job = r->placed.original;
    void **contents = cli_placed_contents(c, &r->placed, vm);
    hd_status status = HD_OK;
    if (!c->is_first)
        return ran;
    if (r->given->checks.count)
        status = cli_compare(c, &r->check, job, contents);
    if (r->given->checks.count && ran == HD_EDIFFER) {
        r->check.equal = r->check.bit_equal = false;
        status = status ? status : ran;
    }
    r->check.bit_equal &= !r->is_near;
    r->checked = r->given->checks.count && (status == HD_OK || status == HD_EDIFFER);
    if (r->given->dumps.count && (status == HD_OK || status == HD_EDIFFER)) {
        hd_status wrote = cli_write_dumps(c, r->dumps, r->given->dumps.count, job, contents);
        status = wrote ? wrote : status;
    }
    return status;
}

static hd_status run_placed(cli *c, request *r, counting *counts, cli_run *run) {
    cli_placed *p = &r->placed;
    hd_status status =
        r->check.expected ? cli_expected_new(c, p->original, &counts->expected) : HD_OK;
    if (status != HD_OK)
        return status;
    const cli_listener listener = {begin_counting, end_counting, counts, r->device_count,
                                   counts->expected ? check_launch : NULL};
    r->machine.inputs = p->inputs;
    r->machine.device = r->device_count ? r->devices[0] : NULL;
    if (r->given->accesses) {
        counts->tables = hd_new_array(c->arena, hd_access_table, r->device_count);
        for (size_t d = 0; d < r->device_count; d++)
            counts->tables[d].arena = c->arena;
    }
    cli_placed_begin(c, p);
    status = cli_open_machine(c, p->job, &r->machine, run);
    if (status == HD_OK) {
        counts->origin =
            r->given->accesses && p->placed ? hd_origin_new(&p->view, p->placed) : NULL;
        status = cli_execute(c, p->job, &listener, run);
        if (status == HD_OK && counts->expected)
            status = cli_expected_end(counts->expected, &r->is_near);
        cli_placed_restore(p, run);
    }
    cli_placed_end(c, p);
    if (counts->origin)
        hd_origin_free(counts->origin);
    for (size_t d = 0; r->given->accesses && d < r->device_count && status == HD_OK; d++)
        for (size_t a = 0; a < counts->tables[d].count && status == HD_OK; a++)
            status = cli_sum_counts(c, r->machine.ranks, &counts->tables[d].data[a].counts, 1);
    return status;
}

int cmd_run(cli *c) {
    const cli_options *o = c->given;
    request r = {.given = o, .path = o->input.path, .machine = o->input.machine};
    cli_run run = {0};
    counting counts = {.request = &r};
    /* Which buffer an access of a rewritten kernel goes to, only who runs it knows. */
    r.machine.ranks = o->accesses && o->layouts.count ? NULL : c->ranks;
    for (size_t i = 0; i < o->checks.count; i++)
        if (!strcmp(o->checks.data[i], "expected"))
            r.path = cli_recorded_path(c, r.path);
    cli_source source = o->input.source;
    source.as_written |= o->input.machine.races; /* a compiler may take a race away */
    if (cli_load_placed(c, r.path, &source, &o->layouts, &r.placed) ||
        cli_find_devices(c, &r.devices, &r.device_count) ||
        cli_read_dumps(c, &o->dumps, r.placed.original, &r.dumps) ||
        cli_read_check(c, &o->checks, o->on, r.placed.original, &r.check))
        return CLI_WRONG;
    hd_status status = run_placed(c, &r, &counts, &run);
    if (!run.vm)
        return CLI_WRONG;
    bool stopped = run.total.counts.stopped, raced = false;
    uint32_t race_count;
    const hd_vm_race *races = hd_vm_races(run.vm, &race_count);
    for (uint32_t i = 0; i < race_count; i++)
        raced |= races[i].is_fault;
    if ((status == HD_OK || status == HD_EDIFFER) && !stopped && !raced)
        status = use_contents(c, &r, run.vm, status);
    int printed = CLI_WRONG;
    if (status == HD_OK || status == HD_EDIFFER)
        printed = show(c, &r, &counts, &run, !stopped && !raced);
    hd_vm_report_races(run.vm);
    hd_vm_close(run.vm);
    return printed   ? printed
           : raced   ? CLI_WRONG
           : stopped ? cli_run_status(&run)
                     : cli_status(status);
}
