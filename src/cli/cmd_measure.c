/* heddle measure: the original against another layout, on a real device. */
#include "cli/choice.h"
#include "report/json.h"

static void add_timing(cli *c, hd_table *table, const char *name, const hd_timing *t,
                       const char *ratio) {
    const char *cells[] = {name,
                           hd_show_seconds(c->arena, t->median),
                           hd_show_seconds(c->arena, t->low),
                           hd_show_seconds(c->arena, t->high),
                           hd_format(c->arena, "%u", t->repeats),
                           ratio};
    hd_table_row(table, cells);
}

static int show(cli *c, const hd_job *job, const hd_layout *layout, const hd_measurement *m) {
    const char *notation = hd_layout_print(c->arena, job->record, layout);
    if (c->json)
        return cli_print_json(c, json_pack("{s:o, s:o, s:o}", "record", hd_json_record(job->record),
                                           "layout", hd_json_layout(c->arena, job->record, layout),
                                           "measurement", hd_json_measurement(m)));
    static const hd_column columns[] = {{"version", HD_LEFT, true}, {"median", HD_RIGHT, false},
                                        {"low", HD_RIGHT, false},   {"high", HD_RIGHT, false},
                                        {"runs", HD_RIGHT, false},  {"speed-up", HD_RIGHT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    add_timing(c, table, "original", &m->original, "");
    add_timing(c, table, notation, &m->rewritten, hd_show_ratio(c->arena, m->speedup));
    hd_str out = {.arena = c->arena};
    hd_str_printf(&out, "%s on %s\n", job->record->spelling, m->device_name);
    hd_table_print(table, &out, c->style.bold);
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
    hd_measurement result = {0};
    hd_status status =
        hd_measure_compare(c->arena, &c->diag, job, &(hd_record_layout){job->record, layout}, 1,
                           rewritten, options, &result);
    if (status != HD_OK && status != HD_EDIFFER)
        return CLI_WRONG;
    int printed = show(c, job, layout, &result);
    return printed ? printed : cli_status(status);
}

int cmd_measure(cli *c, int argc, char **argv) {
    const char *notation = NULL;
    uint64_t repeats = 0;
    hd_measure_options choice = {0};
    cli_source source = {0};
    cli_option job_options[CLI_JOB_OPTION_COUNT];
    const cli_option options[] = {
        {"layout", 'l', "L", "the layout to measure; 'heddle help layout' has the notation",
         CLI_TEXT, &notation, "aos soa da"},
        {"on", 0, "DEVICE",
         "the device: an id as 'heddle devices' prints it, or a part of its name; default: the "
         "first that runs these kernels",
         CLI_TEXT, &choice.device},
        {"repeats", 0, "N", "timed runs of each version; default 7", CLI_NUMBER, &repeats},
        {"seconds", 0, "S", "go on until so much time was measured", CLI_REAL, &choice.min_seconds},
        {0}};
    const cli_page page = {
        "--layout L [OPTIONS] JOB|FILE",
        "Runs the kernels as they are and in layout L on an OpenCL or CUDA device, in turns, on "
        "equal "
        "contents, and compares what they leave in every buffer. Times are those of the kernels "
        "by the device's own clock: the median and the quartiles. Exit status 1: the outputs "
        "differ.",
        options,
        cli_job_options(&source, job_options),
        1,
        1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    if (repeats > 1000000) {
        hd_fail(&c->diag, HD_EINPUT, NULL, "--repeats takes at most 1000000");
        return CLI_WRONG;
    }
    choice.repeats = (uint32_t)repeats;
    return measure(c, words[0], &source, notation, &choice);
}
