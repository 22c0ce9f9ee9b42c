/* heddle measure: the original against another layout, on a real device. */
#include "cli/choice.h"
#include "report/members.h"

typedef struct result {
    const hd_job *job;
    const hd_layout *layout;
    const hd_measurement *measurement;
} result;

HD_GETTER(layout_of, result, hd_with(hd_row(row->layout), row->job->record))

static const hd_member result_members[] = {
    {"record", HD_VIA(result, job, HD_BEHIND, record), .of = hd_record_members},
    {"layout", .get = layout_of, .of = hd_layout_members},
    {"measurement", HD_BEHIND(result, measurement), .of = hd_measurement_members},
    {0}};

/* One of the two versions. */
typedef struct version {
    const char *name;
    hd_timing timing;
    const char *speedup;
} version;

static const hd_member version_columns[] = {
    {NULL, "version", HD_AT(version, name)},
    {HD_IN(version, timing), .of = hd_timing_members},
    {NULL, "speed-up", HD_PLAIN_WORD, HD_AT(version, speedup)},
    {0}};

/* The energy of one of the two. */
typedef struct energy_row {
    const char *name;
    hd_energy energy;
    const char *saving;
} energy_row;

static const hd_member energy_columns[] = {
    {NULL, "version", HD_AT(energy_row, name)},
    {HD_IN(energy_row, energy), .of = hd_energy_members},
    {NULL, "saving", HD_PLAIN_WORD, HD_AT(energy_row, saving)},
    {0}};

/* Where the joules come from, and what they are. */
static void show_origin(cli *c, const hd_energy *e, hd_str *out) {
    const char *idle = e->idle_subtracted ? "idle power is subtracted" : "idle power included";
    const char *text =
        e->modelled
            ? hd_format(c->arena,
                        "  energy: modelled from the device's profile, not metered; one run, %s",
                        idle)
            : hd_format(c->arena, "  energy: metered by %s; one run, %s; power is that under load",
                        e->source, idle);
    hd_wrap(out, text, 4, HD_TABLE_WIDTH);
}

static void show_energy(cli *c, const char *layout, const hd_energy_pair *pair, hd_str *out) {
    const energy_row rows[] = {{"original", pair->original, ""},
                               {layout, pair->rewritten, hd_show_ratio(c->arena, pair->saving)}};
    hd_str_add(out, "\n");
    cli_show_rows(c, pair->original.modelled ? "Energy of a run, modelled" : "Energy of a run",
                  energy_columns, hd_rows(rows, 2), out);
    show_origin(c, &pair->original, out);
    const char *const missing[] = {pair->original.missing, pair->rewritten.missing};
    bool is_same = missing[0] && missing[1] && !strcmp(missing[0], missing[1]);
    for (int v = 0; v < (is_same ? 1 : 2); v++)
        if (missing[v])
            hd_wrap(out,
                    hd_format(c->arena, "  energy of %s is missing: %s",
                              is_same ? "both" : rows[v].name, missing[v]),
                    4, HD_TABLE_WIDTH);
}

/* One of the two, whole runs. */
typedef struct whole_version {
    const char *name, *placement;
    const hd_whole_timing *timing;
    const char *speedup;
} whole_version;

static const hd_member whole_columns[] = {
    {NULL, "version", HD_AT(whole_version, name)},
    {NULL, "placement", HD_AT(whole_version, placement)},
    {NULL, "to device", HD_SECONDS, HD_VIA(whole_version, timing, HD_AT, to_device.median)},
    {NULL, "kernels", HD_SECONDS, HD_VIA(whole_version, timing, HD_AT, kernels.median)},
    {NULL, "from device", HD_SECONDS, HD_VIA(whole_version, timing, HD_AT, from_device.median)},
    {NULL, "whole", HD_SECONDS, HD_VIA(whole_version, timing, HD_AT, whole.median)},
    {NULL, "runs", HD_VIA(whole_version, timing, HD_AT, whole.repeats)},
    {NULL, "speed-up", HD_PLAIN_WORD, HD_AT(whole_version, speedup)},
    {0}};

static int show_whole(cli *c, const result *r) {
    const hd_record *record = r->job->record;
    const hd_measurement *m = r->measurement;
    const whole_version versions[] = {{"original", m->original_placement, &m->whole->original, ""},
                                      {hd_layout_print(c->arena, record, r->layout),
                                       m->rewritten_placement, &m->whole->rewritten,
                                       hd_show_ratio(c->arena, m->whole->speedup)}};
    hd_str out = {.arena = c->arena};
    cli_show_rows(c, hd_format(c->arena, "%s on %s", record->spelling, m->device_name),
                  whole_columns, hd_rows(versions, 2), &out);
    cli_show_speedup(c, m, &out);
    if (m->energy)
        show_energy(c, versions[1].name, m->energy, &out);
    return cli_print(c, &out);
}

static int show(cli *c, const result *r) {
    const hd_record *record = r->job->record;
    const hd_measurement *m = r->measurement;
    const version versions[] = {{"original", m->original, ""},
                                {hd_layout_print(c->arena, record, r->layout), m->rewritten,
                                 hd_show_ratio(c->arena, m->speedup)}};
    hd_str out = {.arena = c->arena};
    if (c->json)
        return cli_print_row(c, result_members, hd_row(r));
    if (m->whole)
        return show_whole(c, r);
    cli_show_rows(c, hd_format(c->arena, "%s on %s", record->spelling, m->device_name),
                  version_columns, hd_rows(versions, 2), &out);
    cli_show_speedup(c, m, &out);
    if (m->energy)
        show_energy(c, versions[1].name, m->energy, &out);
    return cli_print(c, &out);
}

/* The job, the layout, which in another placement may be the original's, and its kernels. */
static hd_status load(cli *c, const char *path, const cli_source *source, const char *notation,
                      bool placed, hd_job **job, hd_layout **layout, hd_rewritten **rewritten) {
    hd_status status;
    if (notation || !placed) {
        status = cli_load_layout(c, path, source, notation, job, layout);
    } else {
        status = cli_load(c, path, source, job);
        if (status == HD_OK)
            status = hd_job_require_record(&c->diag, *job);
        if (status == HD_OK)
            *layout = hd_layout_original(c->arena, (*job)->record);
    }
    *rewritten = NULL;
    if (status ||
        (placed && hd_layout_equal(*layout, hd_layout_original(c->arena, (*job)->record))))
        return status;
    return hd_rewrite_job(c->arena, &c->diag, *job, &(hd_record_layout){(*job)->record, *layout}, 1,
                          rewritten);
}

static int measure(cli *c, const char *path, const cli_source *source, const char *notation,
                   const hd_measure_options *options) {
    hd_job *job;
    hd_layout *layout;
    hd_rewritten *rewritten;
    if (load(c, path, source, notation, options->placement, &job, &layout, &rewritten))
        return CLI_WRONG;
    cli_progress(c, "measuring");
    hd_measurement m = {0};
    hd_status status =
        hd_measure_compare(c->arena, &c->diag, job, &(hd_record_layout){job->record, layout}, 1,
                           rewritten, options, &m);
    if (status != HD_OK && status != HD_EDIFFER)
        return CLI_WRONG;
    int printed = show(c, &(result){job, layout, &m});
    return printed ? printed : cli_status(status);
}

/* What only goes with --energy was given without. */
static const char *needs_energy(const hd_energy_question *question, const char *profile) {
    return question->meter.name              ? "meter"
           : question->meter.command         ? "meter-command"
           : question->options.subtract_idle ? "subtract-idle"
           : profile                         ? "device"
                                             : NULL;
}

int cmd_measure(cli *c, int argc, char **argv) {
    const char *notation = NULL, *profile = NULL, *place = NULL;
    bool energy = false;
    hd_energy_question question = {0};
    hd_placement placement;
    uint64_t repeats = 0;
    hd_measure_options choice = {0};
    cli_source source = {
        .all_entries = true, .whole_file = true, .finds_records = true, .tells_records = true};
    const cli_option options[] = {
        {"layout", 'l', "L", "the layout to measure; 'heddle help layout' has the notation",
         CLI_TEXT, &notation, "aos soa da"},
        {"placement", 0, "P",
         "where layout L, or without one the original, has the record's buffers: device, host, "
         "fine, coarse (OpenCL), managed, hinted (CUDA); times are then those of whole runs",
         CLI_TEXT, &place, "device host fine coarse managed hinted"},
        {"on", 0, "DEVICE",
         "the device: an id as 'heddle devices' prints it, or a part of its name; default: the "
         "first that runs these kernels",
         CLI_TEXT, &choice.device},
        {"repeats", 0, "N", "timed runs of each version; default 7", CLI_NUMBER, &repeats,
         .most = 1000000},
        {"seconds", 0, "S", "go on until so much time was measured", CLI_REAL, &choice.min_seconds},
        {"energy", 0, NULL,
         "the energy of both, too: by a meter of the device, or else modelled from its profile",
         CLI_FLAG, &energy},
        {"meter", 0, "NAME",
         "the meter, as 'heddle devices --meters' names it, or its first part, or 'model'",
         CLI_TEXT, &question.meter.name, "model command nvml rapl perf hwmon power_supply"},
        {"meter-command", 0, "CMD",
         "a command for the shell that prints joules or watts, as \"12.3 J\" or \"45 W\"", CLI_TEXT,
         &question.meter.command},
        {"subtract-idle", 0, NULL, "subtract the power from before the runs from the energy",
         CLI_FLAG, &question.options.subtract_idle},
        {"device", 'd', "D",
         "the profile for the model; default: host, if the device is this machine's processor",
         CLI_TEXT, &profile},
        {0}};
    static const cli_page page = {
        "--layout L [OPTIONS] JOB|FILE",
        "Runs the kernels as they are and in layout L on an OpenCL or CUDA device, in turns, on "
        "equal contents, and compares what they leave in every buffer. Times are those of the "
        "kernels "
        "by the device's own clock: the median and the quartiles. With --placement the original "
        "stays where the job has it, and what it takes to bring the data to the kernels and back "
        "counts, too. With --energy both run again until a meter can tell what they take. Exit "
        "status 1: the outputs differ.",
        {1, 1}};
    if (!cli_parse(c, &page, options, &source, argc, argv))
        return c->status;
    choice.repeats = (uint32_t)repeats;
    choice.energy = energy ? &question : NULL;
    if (!energy && needs_energy(&question, profile))
        return cli_wrong(c, "--%s goes with --energy", needs_energy(&question, profile));
    if (question.meter.command && !question.meter.name)
        question.meter.name = "command";
    if (profile && hd_device_find(c->arena, &c->diag, profile, &question.profile))
        return CLI_WRONG;
    if (place && cli_read_placement(c, "--placement", place, &placement))
        return CLI_WRONG;
    choice.placement = place ? &placement : NULL;
    return measure(c, c->words[0], &source, notation, &choice);
}
