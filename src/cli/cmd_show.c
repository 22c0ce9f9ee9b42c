/* heddle show: the source, and in its margin what each line moved. */
#include <unistd.h>

#include "cli/commands.h"
#include "cli/buffer_contents.h"
#include "cli/counted.h"
#include "cli/stop.h"
#include "cli/report/report_result.h"

typedef struct request {
    cli_counted counted;
    const char *sarif;
    double least; /* share of what is moved that is to be used; 0: any */
    cli_margin_options margin;
} request;

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

int cmd_show(cli *c) {
    const cli_options *o = c->given;
    const hd_device *device;
    request r = {
        .counted = {.input = o->input, .layouts = o->layouts, .no_caches = o->no_caches},
        .sarif = o->sarif,
        .margin = {.by_cost = o->by_cost || o->top, .top = o->top, .cut = isatty(STDOUT_FILENO)}};
    r.counted.input.out = o->sarif;
    r.counted.input.out_name = "sarif";
    r.margin.coloured = c->style.bold;
    cli_end_on_stop();
    if (cli_read_percent(c, "fail-below", o->fail_below, 100, &r.least) ||
        cli_find_device(c, &device) ||
        (o->sarif && cli_check_output(c, "sarif", o->sarif, &o->input.path, 1)) ||
        cli_count(c, &r.counted, device))
        return CLI_WRONG;
    const char *sarif = o->sarif ? hd_json_dump(c->arena, cli_sarif(c, &r.counted)) : NULL;
    if (sarif && hd_write_file(&c->diag, o->sarif, sarif, strlen(sarif)))
        return CLI_WRONG;
    int printed = show(c, &r);
    bool below = false; /* a kernel uses less of what it moves */
    for (size_t k = 0; k < r.counted.annotated->kernels.count; k++) {
        const hd_annotated_sum *kernel = &r.counted.annotated->kernels.data[k];
        double used = hd_efficiency(&kernel->counts);
        if (used >= r.least)
            continue;
        below = true;
        hd_fail(&c->diag, HD_EDIFFER, &(hd_place){.file = o->input.path},
                "kernel '%s' uses %s of the bytes that it moves, less than %s; 'heddle show "
                "--by-cost' shows which lines move them",
                kernel->name, hd_show_share(c->arena, used), hd_show_share(c->arena, r.least));
    }
    int ended = cli_run_status(&r.counted.run);
    return printed ? printed : ended ? ended : below ? CLI_DIFFER : CLI_FINE;
}
