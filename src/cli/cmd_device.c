/* heddle device list: the profiles that the models can use, and the devices that kernels can be
 * measured on; a profile of one of these. */
#include "cli/buffer_contents.h"
#include "cli/commands.h"
#include "driver/energy.h"
#include "advise/measure/probe.h"
#include "frontend/ptx/ast.h"
#include "kernel/cuda_calls.h"
#include "cli/report/members.h"

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

static int show_all(cli *c) {
    all_devices all = {.opencl = {"opencl", "OpenCL"}, .cuda = {"cuda", "CUDA"}};
    compute_devices *const compute[] = {&all.opencl, &all.cuda};
    hd_str out = {.arena = c->arena};
    if (hd_device_list(c->arena, &c->diag, &all.profiles, &all.profile_count))
        return CLI_WRONG;
    cli_show_rows(c, "Profiles, for --device", hd_device_members,
                  hd_pointed_rows(all.profiles, all.profile_count), &out);
    for (int b = 0; b < 2; b++) {
        compute_devices *d = compute[b];
        const char *title = hd_format(c->arena, "\n%s devices, for --on", d->title);
        d->list = hd_compute_named(d->backend)->list(c->arena, &d->count, &d->missing);
        if (d->count)
            cli_show_rows(c, title, hd_compute_device_members, hd_rows(d->list, d->count), &out);
        else
            hd_str_printf(&out, "%s\n  none: %s\n", title, d->missing);
    }
    return c->json ? cli_print_row(c, all_members, hd_row(&all)) : cli_print(c, &out);
}

typedef struct all_meters {
    const hd_meter_source *sources;
    size_t count;
} all_meters;

static const hd_member meters_members[] = {
    {"meters", HD_MANY(all_meters, sources, count), .of = hd_meter_source_members}, {0}};

typedef struct all_features {
    hd_features ptx, calls;
} all_features;

HD_GETTER(fidelity_of, hd_feature, hd_text(hd_fidelity_name(row->fidelity)))
static const hd_member feature_members[] = {{"name", "name", HD_PLAIN, HD_AT(hd_feature, name)},
                                            {"group", "of", HD_PLAIN, HD_AT(hd_feature, group)},
                                            {"fidelity", "is", HD_PLAIN, .get = fidelity_of},
                                            {"how", "how", HD_PLAIN, HD_AT(hd_feature, how)},
                                            {0}};
static const hd_member features_members[] = {
    {"ptx", HD_MANY(all_features, ptx.data, ptx.count), .of = feature_members},
    {"calls", HD_MANY(all_features, calls.data, calls.count), .of = feature_members},
    {0}};

static int show_features(cli *c) {
    all_features all = {0};
    hd_str out = {.arena = c->arena};
    ptx_add_features(c->arena, &all.ptx);
    hd_cuda_add_features(c->arena, &all.calls);
    cli_show_rows(c, "Instructions, registers and functions of PTX", feature_members,
                  hd_rows(all.ptx.data, all.ptx.count), &out);
    cli_show_rows(c, "\nCalls of CUDA", feature_members, hd_rows(all.calls.data, all.calls.count),
                  &out);
    return c->json ? cli_print_row(c, features_members, hd_row(&all)) : cli_print(c, &out);
}

hd_status cli_device_names(cli *c, bool profiles, cli_texts *names) {
    static const char *const backends[] = {"opencl", "cuda"};
    const hd_device **list;
    size_t count;
    hd_status status = profiles ? hd_device_list(c->arena, &c->diag, &list, &count) : HD_OK;
    for (size_t i = 0; profiles && !status && i < count; i++)
        hd_push(c->arena, names, list[i]->name);
    for (size_t b = 0; !profiles && b < sizeof backends / sizeof *backends; b++) {
        uint32_t found;
        const char *missing;
        const hd_compute_device *devices =
            hd_compute_named(backends[b])->list(c->arena, &found, &missing);
        for (uint32_t i = 0; i < found; i++)
            hd_push(c->arena, names, devices[i].id);
    }
    return status;
}

/* One profile, as the command shows it. */
static int show_profile(cli *c, const hd_device *d) {
    hd_str out = {.arena = c->arena};
    if (c->json)
        return cli_print_row(c, hd_device_members, hd_row(d));
    hd_str_printf(&out, "%s: %s\n", d->name, d->title ? d->title : d->name);
    hd_show_row(&(hd_view){c->arena}, hd_device_lines, d, &out);
    return cli_print(c, &out);
}

/* The profile of a live device: written to `path`, and shown, or printed. */
static int probe_device(cli *c, const char *wanted, const char *path) {
    hd_probe probe;
    if (path && !hd_ends_in(path, ".yaml"))
        return cli_wrong(c, "--out names a profile, which must end in .yaml, not '%s'", path);
    if (path && cli_check_output(c, "out", path, NULL, 0))
        return CLI_WRONG;
    cli_progress(c, "probing a device");
    hd_status status = hd_probe_device(c->arena, &c->diag, wanted, &probe);
    cli_progress(c, NULL);
    if (status != HD_OK)
        return CLI_WRONG;
    const hd_device *device = probe.device;
    if (path && (hd_write_file(&c->diag, path, probe.profile, strlen(probe.profile)) ||
                 hd_device_read(c->arena, &c->diag, path, &device)))
        return CLI_WRONG;
    if (path || c->json)
        return show_profile(c, device);
    hd_str out = {.arena = c->arena};
    hd_str_add(&out, probe.profile);
    return cli_print(c, &out);
}

int cmd_device(cli *c) {
    const cli_options *o = c->given;
    if ((o->meters || o->features || o->names || o->ids) && c->word_count)
        return cli_wrong(c, "--%s goes alone, without a NAME",
                         o->meters     ? "meters"
                         : o->features ? "features"
                         : o->names    ? "names"
                                       : "ids");
    if (o->features)
        return show_features(c);
    hd_str out = {.arena = c->arena};
    if (o->meters) {
        all_meters all = {0};
        all.sources = hd_meter_sources(c->arena, &(hd_meter_request){0}, &all.count);
        cli_show_rows(c, "Meters of energy, for --meter", hd_meter_source_members,
                      hd_rows(all.sources, all.count), &out);
        return c->json ? cli_print_row(c, meters_members, hd_row(&all)) : cli_print(c, &out);
    }
    if (o->names || o->ids) {
        cli_texts all = {0};
        if (cli_device_names(c, o->names, &all))
            return CLI_WRONG;
        for (size_t i = 0; i < all.count; i++)
            hd_str_printf(&out, "%s\n", all.data[i]);
        return cli_print(c, &out);
    }
    if (!c->word_count)
        return show_all(c);
    const hd_device *d;
    if (hd_device_find(c->arena, &c->diag, c->words[0], &d))
        return CLI_WRONG;
    return show_profile(c, d);
}

int cmd_device_probe(cli *c) { return probe_device(c, c->given->input.path, c->given->input.out); }
