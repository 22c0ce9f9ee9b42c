/* heddle report: one HTML page about one or more runs (docs/report.md). */
#include "cli/commands.h"
#include "cli/buffer_contents.h"
#include "cli/advise_records.h"
#include "cli/show_advice.h"
#include "cli/input.h"
#include "cli/stop.h"
#include "cli/report/report_result.h"
#include "cli/report/page.h"

enum { MOST_VALUES = 8, MOST_UNITS = 1 << 20 };

typedef struct request {
    cli_input input;
    const cli_options *given;
    const char *out; /* NULL: JSON is printed */
    /* what they mean */
    hd_page_options options;
    hd_advise_options advise; /* as for `heddle advise` */
    uint64_t k[MOST_VALUES], units[MOST_VALUES];
    cli_meter meter, advising;
    char step[64]; /* that is being worked on */
    bool stopped;
} request;

/* ---- options --------------------------------------------------------------------------- */

/* "2,4,8", ascending. */
static hd_status read_list(cli *c, const char *option, const char *text, uint64_t most,
                           uint64_t values[MOST_VALUES], size_t *count) {
    const char *at = text;
    for (*count = 0; *count < MOST_VALUES; at++) {
        uint64_t *value = &values[*count];
        if (!cli_whole(at, &at, value) || !*value || *value > most ||
            (*count && *value <= value[-1]))
            break;
        ++*count;
        if (!*at)
            return HD_OK;
        if (*at != ',')
            break;
    }
    return cli_refuse(c,
                      "--%s takes up to %d ascending whole numbers from 1 to %llu, separated by "
                      "commas, not '%s'",
                      option, MOST_VALUES, (unsigned long long)most, text);
}

static void begin_step(void *user, const char *what) {
    request *r = user;
    snprintf(r->step, sizeof r->step, "%s", what);
    cli_progress(r->meter.c, r->step);
}

static const char *shown(const void *user, const char *path) {
    return cli_shown(((const request *)user)->meter.c, path);
}

static hd_status read_options(cli *c, request *r, char *const *paths, uint32_t count) {
    hd_page_options *o = &r->options;
    hd_status status;
    if (r->out &&
        ((status = hd_page_check(&c->diag)) ||
         (status = cli_check_output(c, "out", r->out, (const char *const *)paths, count))))
        return status;
    if ((status = read_list(c, "k", r->given->k_list ? r->given->k_list : "2,4,8,16", UINT32_MAX,
                            r->k, &o->k_count)) ||
        (status = read_list(c, "units", r->given->units_list ? r->given->units_list : "16,32,64",
                            MOST_UNITS, r->units, &o->unit_count)) ||
        (status = cli_find_device(c, &o->device)) || (status = cli_read_choice(c, &r->input)) ||
        (status = cli_evidence_read(c, &r->advise)))
        return status;
    r->advise.devices = &o->device;
    r->advise.device_count = 1;
    r->advise.take_apart = true;
    r->advising.c = c;
    r->advise.evidence.progress = cli_show_meter;
    r->advise.evidence.user = &r->advising;
    o->k = r->k;
    o->units = r->units;
    o->clusters = r->given->clusters ? (uint32_t)r->given->clusters : 16;
    o->reuse =
        (hd_reuse_options){.element_bytes = r->given->element ? (uint32_t)r->given->element : 4,
                           .spaces = r->input.spaces,
                           .memory = r->given->memory,
                           .workers = (uint32_t)r->input.machine.workers,
                           .progress = cli_show_meter,
                           .user = &r->meter};
    o->all = r->given->all;
    r->meter = (cli_meter){.c = c, .step = r->step};
    o->shown = shown;
    o->progress = begin_step;
    o->user = r;
    r->input.out = r->out;
    r->input.out_name = "out";
    r->input.besides = 1u << KIR_LOCAL | 1u << KIR_CONSTANT;
    /* What the scenarios would refuse, before anything is run. */
    for (size_t i = 0; i < o->unit_count; i++)
        for (uint32_t scenario = 5; scenario <= 6; scenario++) {
            hd_reuse_options one = o->reuse;
            one.scenario = scenario;
            one.clusters = o->clusters;
            one.units = (uint32_t)r->units[i];
            if ((status = hd_reuse_check(c->arena, &c->diag, &one)))
                return status;
        }
    return cli_read_inputs(c, &r->input, paths, count);
}

/* ---- advice ------------------------------------------------------------------------------ */

/* Of several records the verdict is that of all, and the figures are those of the heaviest. */
static void advise_records(cli *c, request *r, const cli_question *question, const hd_job *job,
                           const hd_diag *diag, hd_page_subject *subject) {
    hd_records_advice *all = hd_new(c->arena, hd_records_advice);
    if (hd_advise_records(c->arena, diag, job, &r->advise, all) || !all->count)
        return;
    subject->advice = &all->records[0].advice;
    subject->verdict = cli_records_verdict(c->arena, all);
    subject->basis = cli_answer_of(c, question, subject->advice).basis_text;
    subject->command = cli_records_command(c, question, all);
}

static void advise(cli *c, request *r, const char *path, const hd_job *job,
                   hd_page_subject *subject) {
    const cli_question question = {path, &r->input.source, &r->advise.cost};
    hd_first_error refused = {.arena = c->arena}; /* why a section is left out */
    const hd_diag diag = {hd_keep_first, &refused};
    hd_advice *advice = hd_new(c->arena, hd_advice);
    if (!job)
        subject->why = "a trace says what was run, not of what; give the job or the kernel file";
    else if (job->several[0])
        advise_records(c, r, &question, job, &diag, subject);
    else if (hd_job_require_record(&diag, job) ||
             hd_advise(c->arena, &diag, job, &r->advise, advice))
        subject->why = refused.text;
    else
        subject->advice = advice;
    if (!subject->advice && !subject->why)
        subject->why = refused.text;
    if (subject->advice != advice)
        return;
    const cli_answer answer = cli_answer_of(c, &question, advice);
    subject->verdict = answer.decided;
    subject->basis = answer.basis_text;
    subject->command = answer.command;
}

/* ---- runs -------------------------------------------------------------------------------- */

/* What the page says of one run. */
static hd_status add_run(cli *c, request *r, const char *path, json_t *runs) {
    cli_run run = {0};
    hd_trace *trace;
    hd_job *job;
    json_t *object;
    cli_input input = r->input;
    input.path = path;
    hd_status status = cli_open_accesses(c, &input, &job, &run, &trace);
    if (status != HD_OK)
        return status;
    hd_page_subject subject = {.name = cli_shown(c, path)};
    if (run.total.counts.stopped)
        subject.why = "the run was stopped before its end";
    else
        advise(c, r, path, job, &subject);
    cli_about about;
    const hd_diag diag = cli_diag_about(c, &about, path);
    status = hd_page_run(c->arena, &diag, trace, &subject, &r->options, &object);
    cli_progress(c, NULL);
    hd_trace_close(trace);
    r->stopped = run.total.counts.stopped;
    if (status == HD_OK)
        json_array_append_new(runs, object);
    return status;
}

int cmd_report(cli *c) {
    const cli_options *o = c->given;
    request r = {.given = o, .input = o->input};
    r.out = o->input.out || c->json ? o->input.out : "report.html";
    cli_end_on_stop();
    if (read_options(c, &r, c->words, c->word_count))
        return CLI_WRONG;
    json_t *runs = json_array();
    json_t *data = json_pack("{s:s, s:o}", "heddle", HEDDLE_VERSION, "runs", runs);
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < c->word_count && !r.stopped && status == HD_OK; i++)
        status = add_run(c, &r, c->words[i], runs);
    if (status == HD_OK && !c->json)
        status = hd_page_write(&c->diag, r.out, data);
    int printed = status == HD_OK && c->json ? cli_print_json(c, json_incref(data)) : CLI_FINE;
    if (status == HD_OK && !c->json && !o->input.out) { /* nobody has named it */
        hd_str text = {.arena = c->arena};
        hd_str_printf(&text, "wrote %s\n", r.out);
        printed = cli_print(c, &text);
    }
    json_decref(data);
    return status ? CLI_WRONG : printed ? printed : r.stopped ? CLI_STOPPED : CLI_FINE;
}
