/* heddle devices: the profiles that the models can use, and the OpenCL devices
 * that --measure can. */
#include "cli/cli.h"
#include "measure/measure.h"
#include "report/members.h"

/* The devices of one back end. */
typedef struct compute_devices {
    const char *backend, *title;
    hd_compute_device *list;
    uint32_t count;
    const char *missing; /* when there are none */
} compute_devices;

typedef struct all_devices {
    const hd_device **profiles;
    size_t profile_count;
    compute_devices opencl, cuda;
} all_devices;

HD_GETTER(profiles_of, all_devices, hd_pointed_rows(row->profiles, row->profile_count))
static const hd_member all_members[] = {
    {"profiles", .get = profiles_of, .of = hd_device_members},
    {"opencl", HD_MANY(all_devices, opencl.list, opencl.count), .of = hd_compute_device_members},
    {"cuda", HD_MANY(all_devices, cuda.list, cuda.count), .of = hd_compute_device_members},
    {0}};

static void add_compute(cli *c, hd_str *out, const compute_devices *devices) {
    const char *title = hd_format(c->arena, "\n%s devices, for --on", devices->title);
    if (devices->count)
        cli_show_rows(c, title, hd_compute_device_members, hd_rows(devices->list, devices->count),
                      out);
    else
        hd_str_printf(out, "%s\n  none: %s\n", title, devices->missing);
}

static void find_compute(cli *c, compute_devices *devices) {
    devices->list =
        hd_measure_devices(c->arena, devices->backend, &devices->count, &devices->missing);
}

static int show_all(cli *c) {
    all_devices all = {.opencl = {"opencl", "OpenCL"}, .cuda = {"cuda", "CUDA"}};
    hd_str out = {.arena = c->arena};
    if (hd_device_list(c->arena, &c->diag, &all.profiles, &all.profile_count))
        return CLI_WRONG;
    find_compute(c, &all.opencl);
    find_compute(c, &all.cuda);
    if (c->json)
        return cli_print_row(c, all_members, hd_row(&all));
    cli_show_rows(c, "Profiles, for --device", hd_device_members,
                  hd_pointed_rows(all.profiles, all.profile_count), &out);
    add_compute(c, &out, &all.opencl);
    add_compute(c, &out, &all.cuda);
    return cli_print(c, &out);
}

static int show_one(cli *c, const hd_device *d) {
    hd_str out = {.arena = c->arena};
    if (c->json)
        return cli_print_row(c, hd_device_members, hd_row(d));
    hd_str_printf(&out, "%s: %s\n", d->name, d->title ? d->title : d->name);
    hd_show_row(&(hd_view){c->arena}, hd_device_lines, d, &out);
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
        "takes. With NAME (a profile, a file ending in .yaml, 'host', or a profile in one line "
        "such as "
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
