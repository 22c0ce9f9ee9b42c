/* heddle advise: the verdict and why, the record, the worst accesses, the ranked layouts. */

#include "advise/apart.h"
#include "cli/advise_records.h"
#include "cli/advise_rules.h"
#include "cli/commands.h"
#include "cli/whole_program.h"
#include "cli/stop.h"

enum { WORST = 5, SHOWN = 8 };

typedef struct request {
    const cli_options *given;
    const char *path;
    const cli_source *source;
    hd_energy_question energy;
    hd_advise_options options;
    cli *c;
    cli_meter meter;
    cli_stop stop;
    bool catching; /* signals */
    int printed;   /* the exit status of printing the static part */
    bool shown;    /* it is printed */
    bool several;  /* of several records one is shown, and the command is that of all */
} request;

/* ---- the result, for text and JSON; the context is the record ---------------------------- */

/* A row of the ranking as text. */
typedef struct shown_rank {
    const char *place;
    hd_ranked at;
} shown_rank;

HD_GETTER(ranked_cost, hd_ranked, cli_cost_value(&row->cost))

static const hd_member ranked_members[] = {
    {"layout", "layout", HD_PLAIN, HD_BEHIND(hd_ranked, layout), .of = hd_layout_members},
    {"cost", "cost", HD_COUNT, .get = ranked_cost},
    {"ratio", HD_AT(hd_ranked, ratio)},
    {0}};

HD_GETTER(original_cost, hd_device_advice, cli_cost_value(&row->search.original))
HD_GETTER(accesses_of, hd_device_advice,
          cli_lines_value(view->arena, (cli_lines){row->accesses, row->access_count,
                                                   &row->accesses_cost, row->device}))

static const hd_member search_members[] = {
    HD_SAME(hd_search_result, proven, gap, partitions, nodes, seconds), {0}};
static const hd_member device_members[] = {
    {"device", HD_BEHIND(hd_device_advice, device), .of = hd_device_members},
    {"original_cost", .get = original_cost},
    {"leave", HD_AT(hd_device_advice, leave)},
    {"best", HD_BEHIND(hd_device_advice, best), .of = hd_layout_members},
    {"ratio", HD_AT(hd_device_advice, ratio)},
    {"ranked", HD_MANY(hd_device_advice, search.ranked, search.ranked_count), .of = ranked_members},
    {"accesses", .get = accesses_of, .of = cli_why_members},
    {HD_IN(hd_device_advice, search), .of = search_members},
    {"judged", HD_BEHIND(hd_device_advice, judged), .of = cli_judgement_members},
    {0}};

/* What --apply has written; none: `folder` is NULL. */
typedef struct result {
    const hd_advice *advice;
    cli_output written;
    const char *unmeasured;
    cli_answer answer;
    const hd_placements_advice *placed; /* NULL: nobody asked, or a device was to tell */
} result;

static hd_value files_of(const hd_view *view, const void *at) {
    const result *r = at;
    const hd_rewritten *rewritten = hd_advice_written(r->advice);
    uint32_t count = r->written.folder ? rewritten->file_count + 1 : 0;
    const char **files = hd_new_array(view->arena, const char *, count);
    for (uint32_t f = 0; f < count; f++)
        files[f] = f == 0   ? r->written.kernel
                   : f == 1 ? r->written.header
                            : hd_format(view->arena, "%s/%s", r->written.folder,
                                        rewritten->files[f - 1].name);
    return hd_list(files, count);
}

HD_GETTER(record_of, result, hd_row(row->advice->job->record))

static const hd_member advice_members[] = {
    {HD_IN(result, answer), .of = cli_answer_members},
    {"record", .get = record_of, .of = hd_record_members},
    {"devices", HD_VIA(result, advice, HD_MANY, devices, device_count), .of = device_members},
    {"evidence", HD_VIA(result, advice, HD_BEHIND, evidence), .of = cli_evidence_members},
    {"written", .get = files_of},
    {"measurement", HD_VIA(result, advice, HD_IN, measurement), HD_IF(hd_advice, measured),
     .of = hd_measurement_members},
    {"unmeasured", HD_AT(result, unmeasured)},
    {"choice", HD_VIA(result, advice, HD_BEHIND, choice), .of = cli_choice_members},
    {"placements", HD_BEHIND(result, placed), .of = cli_placements_members},
    {0}};

/* ---- text --------------------------------------------------------------------- */

/* The first of the ranking, the plainest of each cost, and the original where it is not among
 * them. */
static void show_ranking(cli *c, const hd_record *record, const hd_device_advice *a, hd_str *out) {
    const hd_member columns[] = {{NULL, "", HD_PLAIN_WORD, HD_AT(shown_rank, place)},
                                 {HD_IN(shown_rank, at), .of = ranked_members},
                                 {NULL, hd_record_is_soa(record) ? "to arrays" : "to AoS",
                                  HD_DECIMALS, HD_AT(shown_rank, at.ratio)},
                                 {0}};
    const hd_search_result *s = &a->search;
    hd_layout *original = hd_layout_original(c->arena, record);
    shown_rank rows[SHOWN + 1];
    size_t count = 0;
    bool has_original = false;
    for (uint32_t i = 0; i < s->ranked_count && count < SHOWN; i++) {
        /* The row before costs the same and is plainer; nobody chooses the original by its cost. */
        if (i && hd_cost_compare(&s->ranked[i - 1].cost, &s->ranked[i].cost) == 0 &&
            !hd_layout_equal(s->ranked[i].layout, original))
            continue;
        has_original = has_original || hd_layout_equal(s->ranked[i].layout, original);
        rows[count] = (shown_rank){hd_format(c->arena, "%zu", count + 1), s->ranked[i]};
        count++;
    }
    if (!has_original)
        rows[count++] = (shown_rank){"", {original, s->original, 1}};
    hd_str_printf(out, "\nLayouts on %s\n", a->device->name);
    cli_show_rows(c, NULL, columns, hd_with(hd_rows(rows, count), record), out);
    if (s->partitions)
        hd_str_printf(out, "  %s partitions scored",
                      hd_show_count(c->arena, (double)s->partitions));
    else
        hd_str_printf(out,
                      s->subsets ? "  %s clusters of all subsets priced"
                                 : "  %s nodes of branch and bound",
                      hd_show_count(c->arena, (double)s->nodes));
    if (s->proven)
        hd_str_printf(out, " in %s; the first is optimal in the model\n",
                      hd_show_seconds(c->arena, s->seconds));
    else
        hd_str_printf(out, " in %s; at most %s above the optimum of the model\n",
                      hd_show_seconds(c->arena, s->seconds), hd_show_share(c->arena, s->gap));
}

static cli_question question_of(const request *r) {
    return (cli_question){r->path, r->source, &r->options.cost};
}

/* What is known without a device: at once, since measuring takes a while. */
static void show_static(cli *c, const request *r, const hd_advice *advice, hd_str *out) {
    const hd_record *record = advice->job->record;
    const cli_question question = question_of(r);
    const cli_answer answer = cli_answer_of(c, &question, advice);
    if (r->given->budget)
        hd_str_printf(out, "By static cost on %s: %s. The device decides.\n",
                      advice->devices[0].device->name, answer.verdict);
    else
        cli_show_verdict(&answer, out);
    if (!r->given->budget && !r->given->apply && !r->several)
        cli_show_answer_command(&answer, out);
    cli_show_why(c, &answer, out);
    hd_str_printf(out, "\n%s, %u bytes\n", record->spelling, record->size);
    cli_show_rows(c, NULL, hd_field_members, hd_rows(record->fields, record->field_count), out);
    for (uint32_t i = 0; i < advice->device_count; i++) {
        hd_value worst = accesses_of(&(hd_view){c->arena}, &advice->devices[i]);
        worst.count = worst.count < WORST ? worst.count : WORST;
        hd_str_printf(out, "\nCostliest accesses on %s\n", advice->devices[i].device->name);
        cli_show_rows(c, NULL, cli_worst_columns, worst, out);
        const hd_judgement *judged = advice->devices[i].judged;
        if (i == 0 && advice->recount.tried && !advice->recount.why)
            cli_show_recounted(c, advice, out);
        else if (judged)
            cli_show_judged(c, record, advice->evidence, &advice->devices[i], out);
        else
            show_ranking(c, record, &advice->devices[i], out);
    }
}

/* Why --measure measured nothing; NULL: it did, or was not asked to. */
static const char *why_unmeasured(const request *r, const hd_advice *advice) {
    return r->given->measure && advice->unknown ? "there is no advice, since nothing can be told"
           : r->given->measure && advice->leave
               ? "the advice is to leave the layout as it is, so there is no other to measure"
               : NULL;
}

static void show_undone(cli *c, const request *r, const hd_advice *advice, hd_str *out) {
    const hd_record *record = advice->job->record;
    const hd_search_result *search = &advice->devices[0].search;
    const hd_layout *original = hd_layout_original(c->arena, record), *other = NULL;
    const char *why = why_unmeasured(r, advice);
    for (uint32_t i = 0; i < search->ranked_count && !other; i++)
        if (!hd_layout_equal(search->ranked[i].layout, original))
            other = search->ranked[i].layout;
    if (why)
        hd_wrap(out, hd_format(c->arena, "\nNothing was measured: %s.", why), 0, HD_TABLE_WIDTH);
    if (why && other && advice->job->module->device) {
        hd_str_add(out, "The next best layout can be measured all the same:\n");
        const cli_question question = question_of(r);
        hd_str_printf(out, "  %s\n", cli_command_for(c, &question, advice, "measure", other, ""));
    }
    if (r->given->apply && advice->leave)
        hd_str_printf(out, "\nNothing is written to %s: %s.\n", r->given->apply,
                      advice->unknown ? "it cannot be told which layout is best"
                                      : "the layout stays as it is");
}

/* ---- the command --------------------------------------------------------------------- */

/* What a device decided, or that it could not; first of all the verdict. */
static void show_decided(cli *c, const request *r, const hd_advice *advice,
                         const cli_answer *answer, hd_str *out) {
    const hd_choice *choice = advice->choice;
    hd_str_add(out, out->length || r->shown ? "\n" : "");
    if (choice)
        hd_str_printf(out, "Verdict%s: %s.\n", choice->stopped ? " so far" : "",
                      cli_choice_verdict(c->arena, advice->job->record, choice));
    if (!choice || !hd_choice_decides(choice))
        cli_show_verdict(answer, out);
    if (!r->given->apply || (choice && choice->stopped))
        cli_show_answer_command(answer, out);
    if (choice)
        cli_show_choice(c, advice->job->record, choice, out);
}

static int show(cli *c, const request *r, const hd_advice *advice, const cli_output *written,
                const hd_placements_advice *placed) {
    const cli_question question = question_of(r);
    const cli_answer answer = cli_answer_of(c, &question, advice);
    if (c->json) {
        const result all = {advice, written ? *written : (cli_output){0}, why_unmeasured(r, advice),
                            answer, placed};
        return cli_print_row(c, advice_members, hd_with(hd_row(&all), advice->job->record));
    }
    hd_str out = {.arena = c->arena};
    if (!r->shown)
        show_static(c, r, advice, &out);
    if (r->given->budget)
        show_decided(c, r, advice, &answer, &out);
    if (placed)
        cli_show_placements(c, placed, &out);
    show_undone(c, r, advice, &out);
    if (written) {
        hd_str_printf(&out, "  wrote %s and %s\n", written->kernel, written->header);
        const hd_rewritten *all = hd_advice_written(advice);
        for (uint32_t f = 1; f < all->file_count; f++)
            hd_str_printf(&out, "  and %s/%s%s\n", written->folder, all->files[f].name,
                          all->files[f].is_copy ? ", a copy" : "");
        cli_show_elsewhere(c, all, &out);
    }
    const hd_measurement *m = &advice->measurement;
    if (advice->measured) {
        hd_str_printf(&out,
                      "\nMeasured on %s\n  original %s, rewritten %s: speed-up %s, %u runs each\n",
                      m->device_name, hd_show_seconds(c->arena, m->original.median),
                      hd_show_seconds(c->arena, m->rewritten.median),
                      hd_show_ratio(c->arena, m->speedup), m->original.repeats);
        cli_show_speedup(c, m, &out);
    }
    return cli_print(c, &out);
}

/* Static cost has answered. A signal from now on ends the run of the job, and the static answer
 * stands. */
static void begin_running(void *user, const hd_advice *advice) {
    (void)advice;
    request *r = user;
    r->options.evidence.stop = cli_catch_stop(&r->stop);
    r->catching = true;
}

/* The ranking is done. A signal from now on ends a race with what it has found. */
static void begin_measuring(void *user, const hd_advice *advice) {
    request *r = user;
    hd_str out = {.arena = r->c->arena};
    if (!r->c->json) {
        show_static(r->c, r, advice, &out);
        r->printed = cli_print(r->c, &out);
        r->shown = true;
    }
    if (r->given->budget) {
        r->options.choose.stop = r->catching ? r->options.evidence.stop : cli_catch_stop(&r->stop);
        r->catching = true;
        r->meter.start = hd_clock();
    }
    cli_progress(r->c, "measuring");
}

static hd_status run(cli *c, request *r, const hd_job *job, hd_advice *advice) {
    hd_choose_options *choose = &r->options.choose;
    if (choose->budget > 0)
        choose->database = hd_database_open_user(c->arena, &c->diag);
    r->c = c;
    r->options.user = r;
    r->options.costed = begin_running;
    r->options.evidence.progress = cli_show_meter;
    r->options.evidence.user = &r->meter;
    r->options.ranked = r->given->measure || r->given->budget ? begin_measuring : NULL;
    cli_progress(c, "searching");
    hd_status status = hd_advise(c->arena, &c->diag, job, &r->options, advice);
    if (r->catching)
        cli_release_stop(&r->stop);
    hd_database_close(choose->database);
    if (advice->choice)
        cli_warn_of_differences(c, advice->job, advice->choice);
    if (status == HD_OK && !advice->leave && !r->given->apply)
        cli_warn_of_unlaunched(c, advice->job,
                               &(hd_record_layout){advice->job->record, advice->best});
    if (advice->evidence && advice->evidence->stopped)
        hd_warn(&c->diag, NULL, "stopped by a signal; the static answer stands%s",
                r->given->apply ? ", and nothing is written" : "");
    if (advice->choice && advice->choice->stopped)
        hd_warn(&c->diag, NULL, "stopped by a signal after %u rounds; what was measured is kept%s",
                advice->choice->rounds, r->given->apply ? ", and nothing is written" : "");
    return status;
}

/* Writes what --apply asked for, after a run of both versions on the machine. */
static hd_status apply(cli *c, const request *r, const hd_advice *advice, cli_output *output) {
    const hd_record_layout best = {advice->job->record, advice->best};
    cli_checked checked;
    hd_status status =
        r->given->no_verify || !advice->rewritten
            ? HD_OK
            : cli_verify(c, r->path, r->source, advice->job, &best, 1, advice->rewritten, &checked);
    return status ? status : cli_write_rewritten(c, output, hd_advice_written(advice));
}

/* ---- several records ----------------------------------------------------------------- */

typedef struct shown_record {
    const hd_record_advice *of;
    result one;
} shown_record;

typedef struct records_result {
    const char *verdict, *command;
    shown_record *records;
    uint32_t count;
    const char **written;
    uint32_t written_count;
} records_result;

HD_GETTER(advice_of, shown_record, hd_with(hd_row(&row->one), row->of->advice.job->record))
static const hd_member shown_record_members[] = {
    {HD_BEHIND(shown_record, of), .of = cli_record_advice_members},
    {"advice", .get = advice_of, .of = advice_members},
    {0}};
static const hd_member records_members[] = {
    HD_SAME(records_result, verdict, command),
    {"records", HD_MANY(records_result, records, count), .of = shown_record_members},
    {"written", HD_NUMBERS(records_result, written, written_count)},
    {0}};

static int show_records(cli *c, const request *r, const hd_records_advice *all,
                        const cli_output *output, const hd_rewritten *written) {
    const cli_question question = question_of(r);
    hd_str out = {.arena = c->arena};
    records_result shown = {.verdict = cli_records_verdict(c->arena, all),
                            .command = cli_records_command(c, &question, all),
                            .records = hd_new_array(c->arena, shown_record, all->count),
                            .count = all->count};
    hd_vec(const char *) files = {0};
    for (uint32_t f = 0; written && f < written->file_count; f++)
        hd_push(c->arena, &files,
                hd_format(c->arena, "%s/%s", output->folder, written->files[f].name));
    if (written)
        hd_push(c->arena, &files, output->header);
    shown.written = files.data;
    shown.written_count = (uint32_t)files.count;
    for (uint32_t n = 0; n < all->count && c->json; n++) {
        const hd_advice *advice = &all->records[n].advice;
        cli_answer answer = cli_answer_of(c, &question, advice);
        answer.command = NULL;
        shown.records[n] =
            (shown_record){&all->records[n], {advice, (cli_output){0}, NULL, answer, NULL}};
    }
    if (c->json)
        return cli_print_row(c, records_members, hd_row(&shown));
    hd_str_printf(&out, "Verdict for %s: %s.\n", r->options.devices[0]->name, shown.verdict);
    if (shown.command && !r->given->apply)
        hd_str_printf(&out, "  %s\n", shown.command);
    for (size_t f = 0; f < files.count; f++)
        hd_str_printf(&out, "  wrote %s\n", files.data[f]);
    cli_show_records(c, all, &out);
    for (uint32_t n = 0; n < all->count; n++) {
        hd_str_printf(&out, "\n%s: ", all->records[n].record->name);
        show_static(c, r, &all->records[n].advice, &out);
    }
    return cli_print(c, &out);
}

/* Nobody has said which record is meant: all are. */
static int advise_records(cli *c, request *r, const hd_job *job, cli_output *output) {
    hd_records_advice all;
    const hd_rewritten *written = NULL;
    cli_checked checked;
    r->several = true;
    r->options.evidence.progress = cli_show_meter;
    r->options.evidence.user = &r->meter;
    r->options.evidence.stop = cli_catch_stop(&r->stop);
    cli_progress(c, "searching");
    hd_status status = hd_advise_records(c->arena, &c->diag, job, &r->options, &all);
    cli_release_stop(&r->stop);
    bool stopped = false;
    for (uint32_t n = 0; n < all.count && !status; n++)
        stopped |= hd_advice_is_stopped(&all.records[n].advice);
    if (stopped)
        hd_warn(&c->diag, NULL, "stopped by a signal; the static answer stands%s",
                r->given->apply ? ", and nothing is written" : "");
    if (!status && !stopped && r->given->apply && all.chosen_count) {
        written = all.program ? all.program : all.kernels;
        if (!r->given->no_verify && all.kernels)
            status = cli_verify(c, r->path, r->source, job, all.chosen, all.chosen_count,
                                all.kernels, &checked);
        if (!status && written)
            status = cli_write_rewritten(c, output, written);
    }
    if (status)
        return cli_status(status);
    for (uint32_t n = 0; n < all.chosen_count && !r->given->apply; n++)
        cli_warn_of_unlaunched(c, job, &all.chosen[n]);
    int printed = show_records(c, r, &all, output, written);
    return printed ? printed : stopped ? CLI_STOPPED : CLI_FINE;
}

/* Without a device models tell what another objective than the time needs. */
static int check_objective(cli *c, hd_objective objective, const hd_device *device) {
    if (objective != HD_QUANTITY_TIME && !hd_device_has_energy(device))
        return cli_wrong(c, "%s", hd_energy_unknown(c->arena, device));
    if (objective == HD_QUANTITY_EDP && !hd_time_is_known(device))
        return cli_wrong(c, "%s, or let a device decide with --budget TIME",
                         hd_time_unknown(c->arena, device));
    return CLI_FINE;
}

static int advise(cli *c, request *r) {
    hd_job *job;
    const hd_device **devices;
    size_t device_count;
    if (cli_load(c, r->path, r->source, &job))
        return CLI_WRONG;
    bool several =
        job->several[0] && !r->given->budget && !r->given->measure && !r->given->placements;
    if ((!several && hd_job_require_record(&c->diag, job)) ||
        cli_read_model(c, &r->options.cost, &devices, &device_count) ||
        cli_evidence_read(c, &r->options))
        return CLI_WRONG;
    if (r->given->devices.count)
        r->energy.profile = devices[0];
    r->options.devices = devices;
    r->options.device_count = (uint32_t)device_count;
    for (size_t d = 0; d < device_count && !r->given->budget; d++)
        if (check_objective(c, r->options.objective, devices[d]))
            return CLI_WRONG;
    r->options.rewrite = r->given->apply != NULL;
    r->options.take_apart = !r->given->whole;
    cli_output output;
    if ((r->given->apply || r->source->sources.count) &&
        (cli_find_sources(c, &r->source->sources, job) ||
         (r->given->apply && cli_check_program_files(c, job))))
        return CLI_WRONG;
    if (r->given->apply &&
        cli_output_paths(c, "apply", r->given->apply, hd_job_source(job), &output))
        return CLI_WRONG;
    if (several)
        return advise_records(c, r, job, &output);
    hd_advice advice;
    hd_status status = run(c, r, job, &advice);
    bool failed = status != HD_OK && status != HD_EDIFFER;
    if (failed && (c->json || !advice.ranked)) /* a reader of text has use for the ranking */
        return CLI_WRONG;
    bool write = r->given->apply && hd_advice_written(&advice) && status == HD_OK;
    if (write && (status = apply(c, r, &advice, &output)) != HD_OK)
        return cli_status(status);
    bool stopped = hd_advice_is_stopped(&advice) && !failed;
    hd_placements_advice placed;
    const bool places =
        r->given->placements && !r->given->budget && !failed && !stopped && !advice.unknown;
    if (places &&
        hd_advise_placements(c->arena, &c->diag, &advice, &r->options, r->options.choose.placements,
                             r->options.choose.placement_count, &placed))
        return CLI_WRONG;
    const hd_device_advice *first = &advice.devices[0];
    hd_joined joined = {0};
    if (!failed && !stopped) /* what only a job can say */
        advise_join(c->arena, advice.job, first->device, &r->options.cost, &r->options.search,
                    &first->search, &joined);
    if (joined.pays)
        hd_note(&c->diag, NULL,
                "buffers %s are indexed alike; as one record, 'arrays: [{record: %s, fields: "
                "[%s]}]' in a job, they would take %s, at %.3f of the best without (static cost)",
                hd_record_field_names(c->arena, joined.record), joined.record->name,
                hd_record_field_names(c->arena, joined.record),
                hd_layout_print(c->arena, joined.record, joined.layout), joined.ratio);
    int printed = show(c, r, &advice, write ? &output : NULL, places ? &placed : NULL);
    return r->printed ? r->printed : printed ? printed : stopped ? CLI_STOPPED : cli_status(status);
}

/* What is wanted least, and who tells the energy. */
static hd_status read_objective(cli *c, request *r) {
    hd_objective *objective = &r->options.objective;
    hd_meter_request *meter = &r->energy.meter;
    const char *option = meter->name ? "meter" : meter->command ? "meter-command" : NULL;
    if (r->given->objective && !hd_objective_parse(r->given->objective, objective))
        return cli_refuse(c, "--objective: unknown objective '%s'; there are: time, energy, edp",
                          r->given->objective);
    if (option && (!r->given->budget || *objective == HD_QUANTITY_TIME))
        return cli_refuse(c, "--%s goes with --budget and --objective energy or edp", option);
    if (meter->command && !meter->name)
        meter->name = "command";
    r->options.choose.energy = &r->energy;
    return HD_OK;
}

int cmd_advise(cli *c) {
    const cli_options *o = c->given;
    request r = {.given = o,
                 .path = o->input.path,
                 .source = &o->input.source,
                 .meter.c = c,
                 .energy.meter = {.name = o->meter, .command = o->meter_command},
                 .options = {.measure = o->measure,
                             .search.seconds = o->seconds,
                             .measurement = {.device = o->on,
                                             .repeats = (uint32_t)o->repeats,
                                             .progress = cli_show_meter,
                                             .user = &r.meter},
                             .choose = {.again = o->again,
                                        .version = HEDDLE_VERSION,
                                        .progress = cli_show_meter,
                                        .user = &r.meter}}};
    hd_choose_options *choose = &r.options.choose;
    if ((o->placements && cli_read_placements(c, "--placements", o->placements, &choose->placements,
                                              &choose->placement_count)) ||
        read_objective(c, &r) || (o->budget && cli_read_budget(c, o->budget, &choose->budget)))
        return CLI_WRONG;
    if (o->by && strcmp(o->by, "rules") != 0)
        return cli_wrong(c, "--by: unknown '%s'; there is: rules", o->by);
    return o->by ? cli_advise_by_rules(c, r.options.objective) : advise(c, &r);
}
