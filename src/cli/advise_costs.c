/* heddle advise --costs: what layouts cost on devices, and which accesses make it. */
#include "cli/show_advice.h"
#include "cli/commands.h"
#include "cli/stop.h"

/* A layout on a device; context: the record. */
typedef struct pricing {
    const hd_layout *layout;
    hd_cost_vector cost;
    double ratio;
    const hd_recount *recount;
    const hd_recounted *counted; /* there; NULL: it was not */
    hd_cost_line *lines;
    size_t line_count;
} pricing;

typedef struct device_prices {
    const hd_device *device;
    pricing *layouts;
    size_t count;
    const char *basis; /* what they rest on, in words */
} device_prices;

/* The whole result. */
typedef struct costs {
    const hd_job *job;
    device_prices *devices;
    size_t device_count;
} costs;

HD_GETTER(cost_of, pricing, cli_cost_value(&row->cost))
HD_GETTER(requests_of, pricing,
          row->counted ? hd_whole(hd_recount_deciding(row->recount, row->counted)->requests)
                       : hd_null())
HD_GETTER(transactions_of, pricing,
          row->counted ? hd_whole(hd_recount_deciding(row->recount, row->counted)->transactions)
                       : hd_null())
HD_GETTER(lines_of, pricing,
          cli_lines_value(view->arena, (cli_lines){row->lines, row->line_count, &row->cost, NULL}))

static const hd_member pricing_members[] = {
    {"layout", "layout", HD_PLAIN, HD_BEHIND(pricing, layout), .of = hd_layout_members},
    {"cost", "cost", HD_COUNT, .get = cost_of},
    {"ratio", "to AoS", HD_DECIMALS, HD_AT(pricing, ratio)},
    {NULL, "requests", HD_COUNT, .get = requests_of},
    {NULL, "transactions", HD_COUNT, .get = transactions_of},
    {"counted", HD_BEHIND(pricing, counted), .of = cli_compiled_members},
    {"accesses", .get = lines_of, .of = cli_line_members},
    {0}};
static const hd_member device_members[] = {
    {"device", HD_BEHIND(device_prices, device), .of = hd_device_members},
    {"basis", HD_AT(device_prices, basis)},
    {"layouts", HD_MANY(device_prices, layouts, count), .of = pricing_members},
    {0}};

static const hd_member cost_members[] = {
    {"record", HD_VIA(costs, job, HD_BEHIND, record), .of = hd_record_members},
    {"results", HD_MANY(costs, devices, device_count), .of = device_members},
    {0}};

/* By what was counted, where it was. */
static pricing price(hd_arena *arena, const hd_advice *advice, uint32_t number,
                     const hd_layout *layout) {
    const hd_device_advice *of = &advice->devices[number];
    const hd_recount *r = &advice->recount;
    pricing p = {.layout = layout, .recount = r};
    const hd_judged *judged = hd_judged_as(of->judged, layout);
    if (judged) {
        p.cost.v[0] = judged->cost;
        p.ratio = judged->ratio;
        p.lines = judged->lines;
        p.line_count = judged->line_count;
    } else {
        const hd_layout *aos = hd_layout_aos(arena, hd_cost_record(of->model));
        const hd_cost_vector of_aos = hd_cost_of_layout(arena, of->model, aos, NULL, NULL);
        p.cost = hd_cost_of_layout(arena, of->model, layout, &p.lines, &p.line_count);
        p.ratio = hd_cost_ratio(&p.cost, &of_aos);
    }
    p.counted = number ? NULL : hd_recount_of(r, layout);
    if (p.counted)
        p.ratio = p.counted->ratio;
    return p;
}

int cmd_advise_costs(cli *c) {
    const cli_texts *notations = &c->given->layouts;
    hd_job *job;
    hd_advise_options options = {0};
    const cli_question question = {c->given->input.path, &c->given->input.source, &options.cost};
    hd_advice advice;
    size_t device_count;
    if (cli_load(c, question.path, question.source, &job) || hd_job_require_record(&c->diag, job) ||
        cli_read_model(c, &options.cost, (const hd_device ***)&options.devices, &device_count) ||
        cli_evidence_read(c, &options))
        return CLI_WRONG;
    static const char *const usual[] = {"aos", "soa"};
    size_t count = notations->count ? notations->count : 2;
    hd_layout **layouts = hd_new_array(c->arena, hd_layout *, count);
    for (size_t i = 0; i < count; i++)
        if (hd_layout_parse(c->arena, &c->diag, job->record,
                            notations->count ? notations->data[i] : usual[i], &layouts[i]))
            return CLI_WRONG;
    options.device_count = (uint32_t)device_count;
    options.brief = true;
    options.evidence.layouts = layouts;
    options.evidence.layout_count = (uint32_t)count;
    cli_stop stop;
    options.evidence.stop = cli_catch_stop(&stop);
    hd_status status = hd_advise(c->arena, &c->diag, job, &options, &advice);
    cli_release_stop(&stop);
    if (status != HD_OK)
        return cli_status(status);
    costs all = {job, hd_new_array(c->arena, device_prices, device_count), device_count};
    const cli_answer answer = cli_answer_of(c, &question, &advice);
    hd_str out = {.arena = c->arena};
    for (uint32_t d = 0; d < device_count; d++) {
        device_prices *at = &all.devices[d];
        *at = (device_prices){options.devices[d], hd_new_array(c->arena, pricing, count), count,
                              answer.basis_text};
        for (size_t i = 0; i < count; i++)
            at->layouts[i] = price(c->arena, &advice, d, layouts[i]);
        if (c->json)
            continue;
        hd_str_printf(&out, "%s%s on %s (%s)\n", d ? "\n" : "", job->record->spelling,
                      at->device->name, at->device->title ? at->device->title : "synthetic");
        cli_show_rows(c, NULL, pricing_members, hd_with(hd_rows(at->layouts, count), job->record),
                      &out);
        hd_say(&out, "  %s", at->basis);
        for (size_t i = 0; i < count; i++) {
            const pricing *p = &at->layouts[i];
            hd_str_printf(&out, "\n%s\n", hd_layout_print(c->arena, job->record, p->layout));
            cli_show_rows(c, NULL, cli_line_columns(p->lines, p->line_count),
                          lines_of(&(hd_view){c->arena}, p), &out);
        }
    }
    int printed = c->json ? cli_print_row(c, cost_members, hd_with(hd_row(&all), job->record))
                          : cli_print(c, &out);
    return printed ? printed : hd_advice_is_stopped(&advice) ? CLI_STOPPED : CLI_FINE;
}
