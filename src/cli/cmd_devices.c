/* heddle devices: the profiles that the models can use, and the OpenCL devices
 * that --measure can. */
#include "cli/cli.h"
#include "report/json.h"

static const char *cache_text(hd_arena *arena, hd_cache cache) {
    if (!cache.size)
        return "-";
    return hd_format(arena, "%s/%u", hd_show_bytes(arena, cache.size), cache.line);
}

static const char *number_or_dash(hd_arena *arena, uint32_t number) {
    return number ? hd_format(arena, "%u", number) : "-";
}

/* ---- one profile ---------------------------------------------------------------------- */

static void add_line(hd_str *out, const char *name, const char *value) {
    hd_str_printf(out, "  %-22s %s\n", name, value);
}

static int show_one(cli *c, const hd_device *d) {
    hd_str out = {.arena = c->arena};
    if (c->json)
        return cli_print_json(c, hd_json_device(c->arena, d));
    hd_str_printf(&out, "%s: %s\n", d->name, d->title ? d->title : d->name);
    add_line(&out, "warp", hd_format(c->arena, "%u lanes", d->warp));
    add_line(&out, "transaction", hd_show_bytes(c->arena, d->segment));
    add_line(&out, "lanes joined", hd_format(c->arena, "%u", hd_device_request_lanes(d)));
    add_line(&out, "L1 of an SM/line", cache_text(c->arena, d->l1));
    add_line(&out, "L2/line", cache_text(c->arena, d->l2));
    add_line(&out, "cost L1, L2, DRAM",
             hd_format(c->arena, "%g, %g, %g", d->w_l1, d->w_l2, d->w_dram));
    add_line(&out, "SMs", number_or_dash(c->arena, d->sms));
    add_line(&out, "blocks of an SM", number_or_dash(c->arena, d->max_blocks));
    add_line(&out, "threads of an SM", number_or_dash(c->arena, d->max_threads));
    add_line(&out, "registers of an SM", number_or_dash(c->arena, d->registers));
    add_line(&out, "registers of a thread", number_or_dash(c->arena, d->max_registers));
    add_line(&out, "in one line", hd_device_print(c->arena, d));
    if (d->source_file)
        add_line(&out, "from", d->source_file);
    return cli_print(c, &out);
}

/* ---- all of them ------------------------------------------------------------------------ */

static void add_profiles(cli *c, hd_str *out, const hd_device **devices, size_t count) {
    static const hd_column columns[] = {{"profile", HD_LEFT, false},   {"device", HD_LEFT, true},
                                        {"warp", HD_RIGHT, false},     {"L1/line", HD_RIGHT, false},
                                        {"L2/line", HD_RIGHT, false},  {"SMs", HD_RIGHT, false},
                                        {"L1:L2:DRAM", HD_LEFT, false}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        const hd_device *d = devices[i];
        const char *cells[] = {d->name,
                               d->title,
                               hd_format(c->arena, "%u", d->warp),
                               cache_text(c->arena, d->l1),
                               cache_text(c->arena, d->l2),
                               number_or_dash(c->arena, d->sms),
                               hd_format(c->arena, "%.3g:%.3g:%.3g", d->w_l1, d->w_l2, d->w_dram)};
        hd_table_row(table, cells);
    }
    hd_str_add(out, "Profiles, for --device\n");
    hd_table_print(table, out, c->colour);
}

/* The devices of one back end. */
typedef struct compute_devices {
    const char *backend, *title;
    hd_compute_device *list;
    uint32_t count;
    const char *missing; /* when there are none */
} compute_devices;

static void add_compute(cli *c, hd_str *out, const compute_devices *devices) {
    static const hd_column columns[] = {{"id", HD_LEFT, false},
                                        {"device", HD_LEFT, true},
                                        {"platform", HD_LEFT, true},
                                        {"driver", HD_LEFT, true}};
    hd_table *table = hd_table_new(c->arena, columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < devices->count; i++) {
        const hd_compute_device *d = &devices->list[i];
        hd_table_row(table, (const char *[]){d->id, d->name, d->platform, d->driver});
    }
    hd_str_printf(out, "\n%s devices, for --on\n", devices->title);
    if (devices->count)
        hd_table_print(table, out, c->colour);
    else
        hd_str_printf(out, "  none: %s\n", devices->missing);
}

static json_t *compute_as_json(const compute_devices *devices) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < devices->count; i++)
        json_array_append_new(list, hd_json_compute_device(&devices->list[i]));
    return list;
}

static json_t *all_as_json(cli *c, const hd_device **profiles, size_t profile_count,
                           const compute_devices *opencl, const compute_devices *cuda) {
    json_t *list = json_array();
    for (size_t i = 0; i < profile_count; i++)
        json_array_append_new(list, hd_json_device(c->arena, profiles[i]));
    return json_pack("{s:o, s:o, s:o}", "profiles", list, "opencl", compute_as_json(opencl), "cuda",
                     compute_as_json(cuda));
}

static void find_compute(cli *c, compute_devices *devices) {
    devices->list =
        hd_measure_devices(c->arena, devices->backend, &devices->count, &devices->missing);
}

static int show_all(cli *c) {
    const hd_device **profiles;
    size_t profile_count;
    compute_devices opencl = {.backend = "opencl", .title = "OpenCL"};
    compute_devices cuda = {.backend = "cuda", .title = "CUDA"};
    if (hd_device_list(c->arena, &c->diag, &profiles, &profile_count))
        return CLI_WRONG;
    find_compute(c, &opencl);
    find_compute(c, &cuda);
    if (c->json)
        return cli_print_json(c, all_as_json(c, profiles, profile_count, &opencl, &cuda));
    hd_str out = {.arena = c->arena};
    add_profiles(c, &out, profiles, profile_count);
    add_compute(c, &out, &opencl);
    add_compute(c, &out, &cuda);
    return cli_print(c, &out);
}

/* What --device or --on takes, a name a line. */
static int list_names(cli *c, bool profiles) {
    hd_str out = {.arena = c->arena};
    const hd_device **list;
    size_t count;
    if (profiles && hd_device_list(c->arena, &c->diag, &list, &count))
        return CLI_WRONG;
    for (size_t i = 0; profiles && i < count; i++)
        hd_str_printf(&out, "%s\n", list[i]->name);
    static const char *const backends[] = {"opencl", "cuda"};
    for (size_t b = 0; !profiles && b < sizeof backends / sizeof *backends; b++) {
        compute_devices devices = {.backend = backends[b]};
        find_compute(c, &devices);
        for (uint32_t i = 0; i < devices.count; i++)
            hd_str_printf(&out, "%s\n", devices.list[i].id);
    }
    return cli_print(c, &out);
}

int cmd_devices(cli *c, int argc, char **argv) {
    bool names = false, ids = false;
    const cli_option options[] = {
        {"names", 0, NULL, "only the names that --device takes, one a line", CLI_FLAG, &names},
        {"ids", 0, NULL, "only the ids that --on takes, one a line", CLI_FLAG, &ids},
        {0}};
    const cli_page page = {
        "[OPTIONS] [NAME]",
        "Lists the device profiles that --device takes and the OpenCL and CUDA devices that --on "
        "takes. "
        "With NAME (a profile, a file ending in .yaml, 'host', or a profile in one line such as "
        "\"warp:32 l1:48k/128 l2:768k/32 w:1,30,100 blocks:8 threads:1536 regs:32768\"), shows "
        "that profile alone.",
        options,
        NULL,
        0,
        1};
    char **words;
    uint32_t word_count;
    int status;
    if (!cli_parse(c, &page, argc, argv, &words, &word_count, &status))
        return status;
    if ((names || ids) && (word_count || c->json || (names && ids))) {
        hd_fail(&c->diag, HD_EINPUT, NULL,
                "--names and --ids each go alone, without a NAME and --json");
        return CLI_WRONG;
    }
    if (names || ids)
        return list_names(c, names);
    if (!word_count)
        return show_all(c);
    const hd_device *device;
    if (hd_device_find(c->arena, &c->diag, words[0], &device))
        return CLI_WRONG;
    return show_one(c, device);
}
