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

static int show(cli *c, const result *r) {
    const hd_record *record = r->job->record;
    const hd_measurement *m = r->measurement;
    const version versions[] = {{"original", m->original, ""},
                                {hd_layout_print(c->arena, record, r->layout), m->rewritten,
                                 hd_show_ratio(c->arena, m->speedup)}};
    hd_str out = {.arena = c->arena};
    if (c->json)
        return cli_print_row(c, result_members, hd_row(r));
    cli_show_rows(c, hd_format(c->arena, "%s on %s", record->spelling, m->device_name),
                  version_columns, hd_rows(versions, 2), &out);
    cli_show_speedup(c, m, &out);
    return cli_print(c, &out);
}

static int measure(cli *c, const char *path, const cli_source *source, const char *notation,
                   const hd_measure_options *options) {
    hd_job *job;
    hd_layout *layout;
    hd_rewritten *rewritten;
    if (cli_load_layout(c, path, source, notation, &job, &layout) ||
        hd_rewrite_job(c->arena, &c->diag, job, &(hd_record_layout){job->record, layout}, 1,
                       &rewritten))
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

int cmd_measure(cli *c, int argc, char **argv) {
    const char *notation = NULL;
    uint64_t repeats = 0;
    hd_measure_options choice = {0};
    cli_source source = {.all_entries = true};
    const cli_option options[] = {
        {"layout", 'l', "L", "the layout to measure; 'heddle help layout' has the notation",
         CLI_TEXT, &notation, "aos soa da"},
        {"on", 0, "DEVICE",
         "the device: an id as 'heddle devices' prints it, or a part of its name; default: the "
         "first that runs these kernels",
         CLI_TEXT, &choice.device},
        {"repeats", 0, "N", "timed runs of each version; default 7", CLI_NUMBER, &repeats,
         .most = 1000000},
        {"seconds", 0, "S", "go on until so much time was measured", CLI_REAL, &choice.min_seconds},
        {0}};
    static const cli_page page = {
        "--layout L [OPTIONS] JOB|FILE",
        "Runs the kernels as they are and in layout L on an OpenCL or CUDA device, in turns, on "
        "equal contents, and compares what they leave in every buffer. Times are those of the "
        "kernels "
        "by the device's own clock: the median and the quartiles. Exit status 1: the outputs "
        "differ.",
        {1, 1}};
    if (!cli_parse(c, &page, options, &source, argc, argv))
        return c->status;
    choice.repeats = (uint32_t)repeats;
    return measure(c, c->words[0], &source, notation, &choice);
}
