/* heddle annotate: the source, and in its margin what each line moved. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/contents.h"
#include "cli/counted.h"
#include "cli/margin.h"
#include "cli/sarif.h"
#include "cli/stop.h"
#include "report/json.h"

typedef struct request {
    cli_counted counted;
    cli_texts devices;
    const char *sarif, *least_text;
    double least; /* share of what is moved that is to be used; 0: any */
    cli_margin_options margin;
} request;

/* "50%" or "50". */
static hd_status read_least(cli *c, request *r) {
    char *end;
    if (!r->least_text)
        return HD_OK;
    double percent = strtod(r->least_text, &end);
    if (end == r->least_text || (*end && strcmp(end, "%")) || !isfinite(percent) || percent <= 0 ||
        percent > 100)
        return cli_refuse(c,
                          "--fail-below takes a share above 0%% and up to 100%%, such as 50%%, "
                          "not '%s'",
                          r->least_text);
    r->least = percent / 100;
    return HD_OK;
}

/* A message for each kernel that uses less of what it moves; true: there is one. */
static bool report_kernels(cli *c, const request *r) {
    const hd_annotated *a = r->counted.annotated;
    bool below = false;
    for (size_t k = 0; k < a->kernel_count; k++) {
        double used = hd_efficiency(&a->kernels[k].counts);
        if (used >= r->least)
            continue;
        below = true;
        hd_fail(&c->diag, HD_EDIFFER, &(hd_place){.file = r->counted.input.path},
                "kernel '%s' uses %s of the bytes that it moves, less than %s; 'heddle annotate "
                "--by-cost' shows which lines move them",
                a->kernels[k].name, hd_show_share(c->arena, used),
                hd_show_share(c->arena, r->least));
    }
    return below;
}

static hd_status write_sarif(cli *c, const request *r) {
    const char *text = hd_json_dump(c->arena, cli_sarif(c, &r->counted));
    return hd_write_file(&c->diag, r->sarif, text, strlen(text));
}

static int show(cli *c, const request *r) {
    if (c->json)
        return cli_print_row(c, cli_counted_members, hd_row(&r->counted));
    hd_str out = {.arena = c->arena};
    cli_show_counted(c, &r->counted, &out);
    cli_show_margin(c, r->counted.annotated, &r->margin, &out);
    if (r->sarif)
        hd_str_printf(&out, "\nwrote %s\n", r->sarif);
    return cli_print(c, &out);
}

static int annotate(cli *c, request *r) {
    const hd_device **devices;
    size_t device_count;
    if (r->devices.count > 1)
        return cli_wrong(c, "--device: one at a time; 'heddle run --accesses' takes several");
    if (read_least(c, r) || cli_find_devices(c, &r->devices, &devices, &device_count) ||
        (r->sarif &&
         cli_check_output(c, "sarif", r->sarif, (const char *const[]){r->counted.input.path}, 1)) ||
        cli_count(c, &r->counted, devices[0]) || (r->sarif && write_sarif(c, r)))
        return CLI_WRONG;
    int printed = show(c, r);
    bool below = report_kernels(c, r);
    return printed                                       ? printed
           : cli_run_status(&r->counted.run) != CLI_FINE ? cli_run_status(&r->counted.run)
           : below                                       ? CLI_DIFFER
                                                         : CLI_FINE;
}

int cmd_annotate(cli *c, int argc, char **argv) {
    request r = {.counted.input.source.finds_records = true};
    const cli_option options[] = {
        {"device", 'd', "D", "the device profile to count for; default: " CLI_DEVICE, CLI_TEXTS,
         &r.devices},
        CLI_INCLUDE(cli_placed_table(c, &r.counted.layouts)),
        {"by-cost", 0, NULL, "only the lines that touch memory, the heaviest first", CLI_FLAG,
         &r.margin.by_cost},
        {"top", 0, "N", "the same, and only the first N of them", CLI_NUMBER, &r.margin.top},
        {"no-caches", 0, NULL, "do not simulate the device's caches", CLI_FLAG,
         &r.counted.no_caches},
        {"sarif", 0, "FILE", "write what wastes memory's work as findings in SARIF, too", CLI_TEXT,
         &r.sarif},
        {"fail-below", 0, "SHARE",
         "exit status 1 when a kernel uses less than this share, such as 50%, of the bytes that it "
         "moves",
         CLI_TEXT, &r.least_text},
        CLI_INCLUDE(cli_machine_table(c, &r.counted.input.machine)),
        {0}};
    static const cli_page page = {
        "[--layout L] [--by-cost | --top N] [OPTIONS] TRACE|JOB|FILE",
        "Runs the job on the machine, or reads a trace, and shows the source with what each line "
        "made of memory: its share of the cost, requests of warps, the "
        "transactions that these became, the bytes that those moved and how many of them were "
        "asked for; what L1 served of that, what L2 served of the rest, and the bytes to and from "
        "memory (DRAM), by simulation; and for local memory the passes of its banks and how many "
        "of these are conflicts.",
        {1, 1}};
    if (!cli_parse(c, &page, options, &r.counted.input.source, argc, argv))
        return c->status;
    r.counted.input.path = c->words[0];
    r.counted.input.out = r.sarif;
    r.counted.input.out_name = "sarif";
    r.margin.by_cost |= r.margin.top > 0;
    r.margin.cut = isatty(STDOUT_FILENO);
    r.margin.coloured = c->style.bold;
    cli_end_on_stop();
    return annotate(c, &r);
}
