/* heddle advise --costs: what layouts cost on devices, and which accesses make it. */
#include "cli/show_advice.h"
#include "cli/commands.h"

/* A layout on a device; context: the record. */
typedef struct pricing {
    const hd_layout *layout;
    hd_cost_vector cost;
    double ratio;
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
HD_GETTER(lines_of, pricing,
          cli_lines_value(view->arena, (cli_lines){row->lines, row->line_count, &row->cost, NULL}))

static const hd_member pricing_members[] = {
    {"layout", "layout", HD_PLAIN, HD_BEHIND(pricing, layout), .of = hd_layout_members},
    {"cost", "cost", HD_COUNT, .get = cost_of},
    {"ratio", "to AoS", HD_DECIMALS, HD_AT(pricing, ratio)},
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

int cmd_advise_costs(cli *c) {
    const cli_texts *notations = &c->given->layouts;
    hd_job *job;
    const hd_device **devices;
    hd_cost_options options;
    costs all = {0};
    if (cli_load(c, c->given->input.path, &c->given->input.source, &job) ||
        hd_job_require_record(&c->diag, job) ||
        cli_read_model(c, &options, &devices, &all.device_count))
        return CLI_WRONG;
    static const char *const usual[] = {"aos", "soa"};
    size_t count = notations->count ? notations->count : 2;
    hd_layout **layouts = hd_new_array(c->arena, hd_layout *, count);
    for (size_t i = 0; i < count; i++)
        if (hd_layout_parse(c->arena, &c->diag, job->record,
                            notations->count ? notations->data[i] : usual[i], &layouts[i]))
            return CLI_WRONG;
    all.job = job;
    all.devices = hd_new_array(c->arena, device_prices, all.device_count);
    hd_str out = {.arena = c->arena};
    for (size_t d = 0; d < all.device_count; d++) {
        device_prices *at = &all.devices[d];
        *at = (device_prices){devices[d], hd_new_array(c->arena, pricing, count), count};
        hd_cost_model *model;
        if (hd_cost_model_make(c->arena, &c->diag, job, at->device, &options, &model))
            return CLI_WRONG;
        const hd_layout *aos = hd_layout_aos(c->arena, hd_cost_record(model));
        const hd_cost_vector of_aos = hd_cost_of_layout(c->arena, model, aos, NULL, NULL);
        for (size_t i = 0; i < count; i++) {
            pricing *p = &at->layouts[i];
            p->layout = layouts[i];
            p->cost = hd_cost_of_layout(c->arena, model, p->layout, &p->lines, &p->line_count);
            p->ratio = hd_cost_ratio(&p->cost, &of_aos);
        }
        const hd_basis basis =
            hd_basis_of(c->arena, at->layouts->lines, at->layouts->line_count, &options);
        at->basis = hd_basis_print(c->arena, &basis);
        if (c->json)
            continue;
        hd_str_printf(&out, "%s%s on %s (%s)\n", d ? "\n" : "", job->record->spelling,
                      at->device->name, at->device->title ? at->device->title : "synthetic");
        cli_show_rows(c, NULL, pricing_members, hd_with(hd_rows(at->layouts, count), job->record),
                      &out);
        hd_say(&out, "  %s%s", at->basis,
               basis.count ? "; without --costs the job is run, and what was counted decides" : "");
        for (size_t i = 0; i < count; i++) {
            const pricing *p = &at->layouts[i];
            hd_str_printf(&out, "\n%s\n", hd_layout_print(c->arena, job->record, p->layout));
            cli_show_rows(c, NULL, cli_line_columns(p->lines, p->line_count),
                          lines_of(&(hd_view){c->arena}, p), &out);
        }
    }
    return c->json ? cli_print_row(c, cost_members, hd_with(hd_row(&all), job->record))
                   : cli_print(c, &out);
}
