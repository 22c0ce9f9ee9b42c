/* The answer of `heddle advise` (show_advice.h). */
#include <math.h>

#include "cli/show_advice.h"

#include "advise/verify.h"
#include "cli/report/members.h"

/* The record that layouts are of is taken apart. */
static bool is_apart(const hd_advice *advice) {
    return advice->apart.count && advice->job->split_count;
}

/* ---- commands ------------------------------------------------------------------------- */

/* A word as a shell takes it. */
const char *cli_quoted(hd_arena *arena, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=,+-@%";
    hd_str out = {.arena = arena};
    if (*word && !word[strspn(word, plain)])
        return word;
    hd_str_add(&out, "'");
    for (; *word; word++)
        if (*word == '\'')
            hd_str_add(&out, "'\\''");
        else
            hd_str_addn(&out, word, 1);
    hd_str_add(&out, "'");
    return hd_str_text(&out);
}

static void add_option(hd_str *out, const char *name, const char *value) {
    if (value)
        hd_str_printf(out, " --%s %s", name, cli_quoted(out->arena, value));
}

static void add_sizes(hd_str *out, const char *name, const cli_sizes *sizes) {
    if (sizes->dims)
        add_option(out, name, hd_show_sizes(out->arena, sizes->dims, sizes->size));
}

const char *cli_command_on(cli *c, const char *command, const char *path, const cli_source *source,
                           const char *more) {
    hd_str out = {.arena = c->arena};
    hd_str_printf(&out, "heddle %s", command);
    if (!c->program)
        hd_str_printf(&out, " %s", cli_quoted(c->arena, path));
    add_option(&out, "entry", source->entry);
    add_sizes(&out, "global", &source->global);
    add_sizes(&out, "local", &source->local);
    if (source->count)
        hd_str_printf(&out, " --count %llu", (unsigned long long)source->count);
    for (size_t v = 0; v < source->values.count; v++)
        add_option(&out, "arg", source->values.data[v]);
    add_option(&out, "options", source->options);
    add_option(&out, "record", source->record);
    add_option(&out, "of", source->record_of);
    for (size_t s = 0; s < source->split.count; s++)
        add_option(&out, "split", source->split.data[s]);
    for (size_t s = 0; s < source->sources.count; s++)
        add_option(&out, "source", source->sources.data[s]);
    if (source->trust_options)
        hd_str_add(&out, " --trust-options");
    if (source->as_written)
        hd_str_add(&out, " --as-written");
    hd_str_add(&out, more);
    for (char **word = c->program; word && *word; word++)
        hd_str_printf(&out, "%s%s", word == c->program ? " -- " : " ", cli_quoted(c->arena, *word));
    return hd_str_text(&out);
}

const char *cli_command_for(cli *c, const cli_question *question, const hd_advice *advice,
                            const char *command, const hd_layout *layout, const char *more) {
    const hd_apart *apart = &advice->apart;
    hd_str out = {.arena = c->arena};
    for (uint32_t s = 0; s < apart->count && is_apart(advice); s++)
        add_option(&out, "split", apart->fields[s]);
    add_option(&out, "layout", hd_layout_print(c->arena, advice->job->record, layout));
    hd_str_add(&out, more);
    return cli_command_on(c, command, question->path, question->source, hd_str_text(&out));
}

/* ---- the answer --------------------------------------------------------------------------- */

static hd_energy_counts bytes_of(const hd_run_counts *counts) {
    hd_energy_counts sum = {0};
    for (uint32_t l = 0; l < counts->work_count; l++) {
        sum.l1_bytes += counts->works[l].energy.l1_bytes;
        sum.l2_bytes += counts->works[l].energy.l2_bytes;
        sum.dram_bytes += counts->works[l].energy.dram_bytes;
    }
    return sum;
}

/* Where the best layout of the first device saves energy, by what decided. */
static const char *what_is_saved(cli *c, const hd_advice *advice) {
    const hd_device_advice *first = &advice->devices[0];
    const hd_recount *r = &advice->recount;
    const hd_recounted *counted = hd_recount_of(r, first->best);
    const hd_judged *judged = hd_judged_as(first->judged, first->best);
    if (!counted && !judged)
        return NULL;
    const hd_energy_counts before = counted
                                        ? bytes_of(hd_recount_own(r, counted))
                                        : first->judged->layouts[first->judged->original].counts;
    const hd_energy_counts after =
        counted ? bytes_of(hd_recount_deciding(r, counted)) : judged->counts;
    return hd_saving_print(c->arena, first->device, &before, &after);
}

/* A layout costs noticeably less, but not in time. */
static bool is_slower(const hd_recount *r) {
    for (uint32_t i = 0; i < r->count; i++)
        if (r->layouts[i].counted && r->layouts[i].ratio < 1 - HD_NOTICEABLE &&
            hd_recount_faster(r, &r->layouts[i], &r->original) < 0)
            return true;
    return false;
}

static const char *static_verdict(cli *c, const hd_advice *advice, const char *basis) {
    const hd_device_advice *first = &advice->devices[0];
    /* What the rewriter has refused although it costs less than what is advised. */
    const hd_refusal *refused = advice->attempt.refused_count ? advice->attempt.refused : NULL;
    bool rewritable = !first->leave && (advice->attempt.layout || !advice->attempt.tried);
    hd_verdict verdict = {.record = advice->job->record,
                          .unknown = advice->unknown,
                          .layout = rewritable ? first->best : NULL,
                          .ratio = first->ratio,
                          .basis = basis,
                          .objective = first->judged ? first->judged->objective : HD_QUANTITY_TIME,
                          .slower = first->leave && is_slower(&advice->recount),
                          .apart = advice->apart.fields,
                          .apart_count = is_apart(advice) ? advice->apart.count : 0};
    if (verdict.objective != HD_QUANTITY_TIME)
        verdict.saved = what_is_saved(c, advice);
    if (refused) {
        verdict.refused = refused->layout;
        verdict.refused_ratio = refused->ratio;
        verdict.why_refused = refused->why;
    }
    return hd_verdict_print(c->arena, &verdict);
}

static bool has_guessed_sizes(const hd_job *job) {
    for (uint32_t l = 0; l < job->launch_count; l++)
        if (job->launches[l].guess)
            return true;
    return false;
}

cli_answer cli_answer_of(cli *c, const cli_question *question, const hd_advice *advice) {
    const hd_device_advice *first = &advice->devices[0];
    const hd_layout *original = hd_layout_original(c->arena, advice->job->record);
    cli_answer answer = {.advice = advice};
    answer.basis = hd_basis_of(c->arena, first->accesses, first->access_count, question->cost);
    answer.basis_text =
        cli_evidence_basis(c->arena, advice, hd_basis_print(c->arena, &answer.basis));
    answer.assumption_count = answer.basis.count;
    hd_basis_add_made_up(c->arena, advice->job, &answer.basis);
    if (has_guessed_sizes(advice->job))
        answer.basis_text = hd_format(c->arena, "%s; sizes by default", answer.basis_text);
    if (advice->otherwise)
        answer.basis_text =
            hd_format(c->arena,
                      "%s; this depends on the made-up indices, which are random: of "
                      "indices one after another it would be %s",
                      answer.basis_text, advice->otherwise);
    if (advice->rounds)
        answer.basis_text = hd_format(c->arena, "%s; %s", answer.basis_text, advice->rounds);
    answer.verdict = static_verdict(c, advice, answer.basis_text);
    answer.decided = advice->choice && hd_choice_decides(advice->choice)
                         ? cli_choice_verdict(c->arena, advice->job->record, advice->choice)
                         : answer.verdict;
    answer.kind = advice->unknown ? "cannot tell" : advice->leave ? "leave" : "take";
    const hd_choice *choice = advice->choice;
    bool stays = advice->leave || !advice->job->module->device;
    bool works = choice && hd_choice_decides(choice) ? !hd_choice_all_refused(choice)
                                                     : advice->attempt.layout != NULL;
    if (!stays && works) {
        /* It works as it is: kernels that the job never launches cannot be checked. */
        const hd_record_layout best = {advice->job->record, advice->best};
        bool covers = !advice->job->path || !hd_verify_covers(&hd_silent, advice->job, &best, 1);
        answer.command = cli_command_for(c, question, advice, "apply", advice->best,
                                         covers ? " --out DIR" : " --no-verify --out DIR");
    }
    answer.before = hd_movement_in(c->arena, first, original);
    if (!hd_layout_equal(advice->best, original))
        answer.after = hd_movement_then(c->arena, advice, &answer.before);
    return answer;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static hd_value fields_of(const hd_view *view, const void *at) {
    const hd_company *company = at;
    const hd_record *record = view->context;
    const char **list = hd_new_array(view->arena, const char *, HD_MAX_FIELDS);
    size_t count = 0;
    for (uint64_t left = company->fields; left; left &= left - 1)
        list[count++] = record->fields[__builtin_ctzll(left)].name;
    return hd_list(list, count);
}
HD_GETTER(tile_of, hd_company, hd_tile_value(row->tile))

static const hd_member company_members[] = {
    {"fields", .get = fields_of},
    {"bytes", HD_AT(hd_company, bytes), HD_IF(hd_company, bytes)},
    {"tile", .get = tile_of},
    {"first_line", HD_AT(hd_company, first)},
    {"last_line", HD_AT(hd_company, last)},
    {0}};

HD_GETTER(per_used, hd_movement, hd_real(row->used > 0 ? row->moved / row->used : 0))
HD_GETTER(per_request, hd_movement,
          hd_real(row->requests > 0 ? row->transactions / row->requests : 0))

HD_GETTER(from_dram, hd_movement, hd_real(1 - row->l1 - row->l2))

static const hd_member movement_members[] = {
    {"layout", HD_BEHIND(hd_movement, layout), .of = hd_layout_members},
    {"requests", "requests", HD_COUNT, HD_AT(hd_movement, requests)},
    {"transactions", HD_AT(hd_movement, transactions)},
    {"transactions_each", "segments each", HD_DIGITS, .get = per_request},
    {"bytes_moved", HD_AT(hd_movement, moved)},
    {"bytes_used", HD_AT(hd_movement, used)},
    {"moved_for_used", "moved per byte used", HD_DECIMALS, .get = per_used},
    {"l1_hits", "L1", HD_SHARE, HD_AT(hd_movement, l1)},
    {"l2_hits", "L2", HD_SHARE, HD_AT(hd_movement, l2)},
    {NULL, "DRAM", HD_SHARE, .get = from_dram},
    {"together", HD_MANY(hd_movement, companies, company_count), .of = company_members},
    {0}};

static const hd_member why_members[] = {
    {"before", HD_IN(cli_answer, before), .of = movement_members},
    {"after", HD_IN(cli_answer, after), HD_IF(cli_answer, after.layout), .of = movement_members},
    {0}};

HD_GETTER(guess_kind, hd_guess, hd_text(hd_guess_name(row->kind)))
static const hd_member guess_members[] = {
    {"kind", .get = guess_kind},
    {"kernel", HD_AT(hd_guess, kernel)},
    {"first_line", HD_AT(hd_guess, line)},
    {"last_line", HD_AT(hd_guess, last_line)},
    {"length", HD_AT(hd_guess, length), HD_IF(hd_guess, length)},
    {"text", HD_AT(hd_guess, text)},
    {"share", HD_AT(hd_guess, share), HD_IF(hd_guess, info)},
    {0}};
static const hd_member basis_members[] = {
    {"text", HD_AT(cli_answer, basis_text)},
    {"assumed", HD_AT(cli_answer, basis.assumed)},
    {"guesses", HD_MANY(cli_answer, basis.guesses, basis.count), .of = guess_members},
    {0}};

/* `parent` is the answer. */
HD_GETTER(is_taken, hd_apart, hd_bool(is_apart(((const cli_answer *)view->parent)->advice)))
static const hd_member apart_members[] = {
    {"fields", HD_NUMBERS(hd_apart, fields, count)}, {"taken", .get = is_taken},
    {"whole_ratio", HD_AT(hd_apart, whole)},         {"ratio", HD_AT(hd_apart, ratio)},
    {"refused", HD_AT(hd_apart, refused)},           {0}};

static const hd_member refusal_members[] = {
    {"layout", HD_BEHIND(hd_refusal, layout), .of = hd_layout_members},
    HD_SAME(hd_refusal, ratio, why),
    {0}};

HD_GETTER(is_rewritable, cli_answer,
          row->advice->attempt.tried ? hd_bool(row->advice->attempt.layout != NULL) : hd_null())

static const hd_member threads_members[] = {HD_SAME(hd_thread_gain, kernel, before, after, saves),
                                            {0}};

static const hd_member nvcc_members[] = {{"requests", HD_AT(hd_recounted, nvcc.requests)},
                                         {"transactions", HD_AT(hd_recounted, nvcc.transactions)},
                                         {0}};
/* Of the code that decides. */
static const hd_run_counts *deciding(const void *at) { return hd_recount_deciding(NULL, at); }
HD_GETTER(deciding_seconds, hd_recounted,
          deciding(row)->time.seconds > 0 ? hd_real(deciding(row)->time.seconds) : hd_null())
HD_GETTER(deciding_joules, hd_recounted,
          deciding(row)->joules > 0 ? hd_real(deciding(row)->joules) : hd_null())
const hd_member cli_compiled_members[] = {
    {"requests", HD_AT(hd_recounted, compiled.requests)},
    {"transactions", HD_AT(hd_recounted, compiled.transactions)},
    {"seconds", .get = deciding_seconds},
    {"joules", .get = deciding_joules},
    {"nvcc", HD_SELF, HD_IF(hd_recounted, nvcc.transactions), .of = nvcc_members},
    {0}};
static const hd_member recounted_members[] = {
    {"layout", HD_BEHIND(hd_recounted, layout), .of = hd_layout_members},
    HD_SAME(hd_recounted, counted, ratio),
    {HD_SELF, .of = cli_compiled_members},
    {0}};
static const hd_member dominating_members[] = {
    HD_SAME(hd_dominating, kind, kernel, line, amount, against, text), {0}};
HD_GETTER(recount_objective, hd_recount, hd_text(hd_quantities[row->objective].name))
static const hd_member recount_members[] = {
    {"why_not", HD_AT(hd_recount, why)},
    {"objective", .get = recount_objective},
    {"original", HD_IN(hd_recount, original), .of = cli_compiled_members},
    {"layouts", HD_MANY(hd_recount, layouts, count), .of = recounted_members},
    {0}};

const hd_member cli_answer_members[] = {
    {"verdict", HD_AT(cli_answer, decided)},
    {"kind", HD_AT(cli_answer, kind)},
    {"basis", HD_SELF, .of = basis_members},
    {"command", HD_AT(cli_answer, command)},
    {"rewritable", .get = is_rewritable},
    {"refused", HD_VIA(cli_answer, advice, HD_MANY, attempt.refused, attempt.refused_count),
     .of = refusal_members},
    {"apart", HD_VIA(cli_answer, advice, HD_IN, apart), HD_IF(hd_advice, apart.count),
     .of = apart_members},
    {"threads", HD_VIA(cli_answer, advice, HD_BEHIND, threads), .of = threads_members},
    {"dominates", HD_VIA(cli_answer, advice, HD_MANY, dominating, dominating_count),
     .of = dominating_members},
    {"counted", HD_VIA(cli_answer, advice, HD_IN, recount), HD_IF(hd_advice, recount.tried),
     .of = recount_members},
    {"time", HD_VIA(cli_answer, advice, HD_BEHIND, time), .of = hd_time_advice_members},
    {"why", HD_SELF, .of = why_members},
    {0}};

/* ---- text ------------------------------------------------------------------------------------ */

void cli_show_verdict(const cli_answer *answer, hd_str *out) {
    hd_str_printf(out, "Verdict for %s: %s.\n", answer->advice->devices[0].device->name,
                  answer->verdict);
}

void cli_show_answer_command(const cli_answer *answer, hd_str *out) {
    if (answer->command)
        hd_str_printf(out, "  %s\n", answer->command);
}

/* What came of taking the record apart. */
static void show_apart(cli *c, const cli_answer *answer, hd_str *out) {
    const hd_apart *apart = &answer->advice->apart;
    hd_str names = {.arena = c->arena};
    for (uint32_t i = 0; i < apart->count; i++)
        hd_str_printf(&names, "%s%s", i ? ", " : "", apart->fields[i]);
    const char *fields = hd_str_text(&names);
    if (is_apart(answer->advice) && answer->advice->devices[0].judged)
        hd_say(out, "  taken apart: %s; --whole leaves them whole", fields);
    else if (is_apart(answer->advice))
        hd_say(out,
               "  taken apart: %s; with all fields whole the best is at %.3f, and "
               "--whole leaves them so",
               fields, apart->whole);
    else if (apart->refused)
        hd_say(out,
               "  with %s taken apart %s would be at %.3f, but the kernels cannot be "
               "rewritten: %s",
               fields, hd_layout_print(c->arena, apart->record, apart->layout), apart->ratio,
               apart->refused);
    else if (apart->count)
        hd_say(out, "  taking %s apart gains no more", fields);
}

/* Where LLVM's code moves another share than nvcc's. */
static void show_llvm(const hd_recount *r, const hd_recounted *best, hd_str *out) {
    const double alike = 0.03;
    const hd_run_counts *own = &r->original.compiled, *then = &best->compiled;
    double ours = (double)then->transactions / (double)own->transactions,
           theirs = (double)best->nvcc.transactions / (double)r->original.nvcc.transactions;
    if (fabs(ours - theirs) > alike)
        hd_say(out,
               "  clang compiles them otherwise: %llu transactions become %llu, %.3f times as many "
               "and not %.3f; the cost is that of nvcc's code",
               (unsigned long long)own->transactions, (unsigned long long)then->transactions, ours,
               theirs);
}

/* What the compiled kernels make, as they are and in the layout that is taken. */
static void show_counted(const cli_answer *answer, hd_str *out) {
    const hd_recount *r = &answer->advice->recount;
    const hd_recounted *best = r->count ? &r->layouts[0] : NULL;
    if (!r->tried)
        return;
    if (r->why) {
        hd_say(out, "  the compiled kernels were not counted in another layout: %s", r->why);
    } else if (hd_layout_equal(best->layout, answer->advice->best)) {
        const hd_run_counts *before = hd_recount_own(r, best),
                            *after = hd_recount_deciding(r, best);
        hd_say(out,
               "  counted in %s: %llu requests of global memory become %llu, %llu transactions "
               "%llu",
               best->nvcc.transactions ? "nvcc's code" : "the compiled kernels",
               (unsigned long long)before->requests, (unsigned long long)after->requests,
               (unsigned long long)before->transactions, (unsigned long long)after->transactions);
        if (best->nvcc.transactions)
            show_llvm(r, best, out);
    }
}

typedef struct recounted_row {
    const hd_layout *layout;
    hd_run_counts counts;
    double ratio;
} recounted_row;
static const hd_member recounted_columns[] = {
    {NULL, "layout", HD_PLAIN, HD_BEHIND(recounted_row, layout), .of = hd_layout_members},
    {NULL, "requests", HD_COUNT, HD_AT(recounted_row, counts.requests)},
    {NULL, "transactions", HD_COUNT, HD_AT(recounted_row, counts.transactions)},
    {0}};
static hd_value row_dram(const hd_view *view, const void *at) {
    const hd_run_counts *counts = &((const recounted_row *)at)->counts;
    double bytes = 0;
    (void)view;
    for (uint32_t l = 0; l < counts->work_count; l++)
        bytes += counts->works[l].dram_bytes;
    return hd_whole((uint64_t)bytes);
}
HD_GETTER(row_watts, recounted_row, hd_real(row->counts.joules / row->counts.time.seconds))
static const hd_member energy_columns[] = {
    {NULL, "DRAM", HD_BYTES, .get = row_dram},
    {NULL, "energy", HD_JOULES, HD_AT(recounted_row, counts.joules)},
    {0}};
static const hd_member power_columns[] = {
    {NULL, "time", HD_SECONDS, HD_AT(recounted_row, counts.time.seconds)},
    {NULL, "power", HD_WATTS, .get = row_watts},
    {0}};
static const hd_member no_columns[] = {{0}};

void cli_show_recounted(cli *c, const hd_advice *advice, hd_str *out) {
    const hd_recount *r = &advice->recount;
    const hd_record *record = advice->job->record;
    recounted_row *rows = hd_new_array(c->arena, recounted_row, r->count + 1);
    size_t count = 0;
    for (uint32_t i = 0; i < r->count && r->layouts[i].counted; i++)
        rows[count++] = (recounted_row){
            r->layouts[i].layout, *hd_recount_deciding(r, &r->layouts[i]), r->layouts[i].ratio};
    rows[count++] = (recounted_row){hd_layout_original(c->arena, record),
                                    *hd_recount_deciding(r, &r->original), 1};
    hd_str_printf(out, "\nLayouts on %s, counted in %s of the kernels\n",
                  advice->devices[0].device->name,
                  r->original.nvcc.transactions ? "nvcc's code" : "compiled code");
    const bool is_of_energy = r->objective != HD_QUANTITY_TIME;
    const hd_run_counts *own = hd_recount_deciding(r, &r->original);
    const char *titles[HD_OBJECTIVES] = {"cost to AoS", "energy to AoS", "EDP to AoS"};
    const hd_member columns[] = {
        {HD_SELF, .of = recounted_columns},
        {HD_SELF, .of = is_of_energy && own->joules > 0 ? energy_columns : no_columns},
        {HD_SELF, .of = is_of_energy && own->time.seconds > 0 ? power_columns : no_columns},
        {NULL, titles[r->objective], HD_DECIMALS, HD_AT(recounted_row, ratio)},
        {0}};
    cli_show_rows(c, NULL, columns, hd_with(hd_rows(rows, count), record), out);
    if (is_of_energy)
        hd_say(out, "  %s to AoS: %s", r->objective == HD_QUANTITY_EDP ? "EDP" : "energy",
               cli_objective_text(r->objective, own->time.seconds > 0));
    uint32_t others = 0;
    for (uint32_t i = 0; i < r->count && r->original.nvcc.transactions; i++)
        others += r->layouts[i].counted && !r->layouts[i].nvcc.transactions;
    if (others)
        hd_say(out, "  %u are far behind by LLVM's code, which their figures are of", others);
}

/* A row of what moves. */
typedef struct version {
    const char *name;
    hd_movement movement;
} version;

static const hd_member version_columns[] = {
    {NULL, "", HD_AT(version, name)}, {HD_IN(version, movement), .of = movement_members}, {0}};

enum { MOST_GUESSES = 5, MOST_COMPANIES = 3 };
static const hd_member guess_columns[] = {{NULL, "share", HD_SHARE, HD_AT(hd_guess, share)},
                                          {NULL, "taken for granted", HD_AT(hd_guess, text)},
                                          {0}};

void cli_show_why(cli *c, const cli_answer *answer, hd_str *out) {
    const hd_job *job = answer->advice->job;
    const hd_record *record = job->record;
    const hd_thread_gain *gain = answer->advice->threads;
    const version rows[] = {{"now", answer->before}, {"then", answer->after}};
    const char *title = hd_format(c->arena, "\nWhat warps move for %s, in segments of %u bytes",
                                  record->spelling, answer->advice->devices[0].device->segment);
    cli_show_time(c, answer->advice, out);
    show_apart(c, answer, out);
    show_counted(answer, out);
    for (uint32_t d = 0; d < answer->advice->dominating_count; d++)
        hd_say(out, "  %s", answer->advice->dominating[d].text);
    if (gain) /* which no layout changes */
        hd_say(
            out,
            "  threads of %s in another order may save up to %s of its transactions as its records "
            "lie now: heddle map%s%s",
            gain->kernel, hd_show_share(c->arena, gain->saves), job->path ? " " : "",
            job->path ? job->path : "");
    cli_show_kernel_times(c, answer->advice, out);
    if (answer->before.requests > 0)
        cli_show_rows(c, title, version_columns,
                      hd_with(hd_rows(rows, answer->after.layout ? 2 : 1), record), out);
    const hd_movement *m = answer->after.layout ? &answer->after : &answer->before;
    /* "x, y and z lie in 12 bytes of an element; lines 20 to 24 use them together". */
    for (uint32_t i = 0; i < m->company_count && i < MOST_COMPANIES; i++) {
        const hd_company *company = &m->companies[i];
        hd_str names = {.arena = c->arena};
        for (uint64_t left = company->fields; left; left &= left - 1)
            hd_str_printf(&names, "%s%s",
                          !names.length       ? ""
                          : left & (left - 1) ? ", "
                                              : " and ",
                          record->fields[__builtin_ctzll(left)].name);
        const char *where = company->bytes ? hd_format(c->arena, "in %llu bytes of an element",
                                                       (unsigned long long)company->bytes)
                                           : hd_format(c->arena, "in one tile of %llu elements",
                                                       (unsigned long long)company->tile);
        const char *lines =
            company->first == company->last
                ? hd_format(c->arena, "line %u uses", company->first)
                : hd_format(c->arena, "lines %u to %u use", company->first, company->last);
        hd_say(out, "  %s lie %s; %s them together", hd_str_text(&names), where, lines);
    }
    uint32_t count =
        answer->assumption_count < MOST_GUESSES ? answer->assumption_count : MOST_GUESSES;
    if (count > 1)
        cli_show_rows(c, "\nAssumptions, by the share of the cost that rests on them",
                      guess_columns, hd_rows(answer->basis.guesses, count), out);
}
