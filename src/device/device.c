/*
 * Finding a device by what the user wrote, and the checks that all forms share.
 *
 * Profiles lie in folders: the user's ($HEDDLE_DEVICES) and Heddle's own, searched
 * in this order, so that a user's profile can take the place of a shipped one.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "device/internal.h"

/* ---- checking -------------------------------------------------------------- */

static bool cache_is_sound(hd_cache cache) {
    if (cache.line && !hd_is_power_of_two(cache.line))
        return false;
    return !cache.size || (cache.line && cache.size % cache.line == 0);
}

/* Figures for a simulation: both or neither, and whole sets of whole lines. */
static bool tags_are_sound(hd_cache cache) {
    if (!cache.tag && !cache.ways)
        return true;
    if (!cache.size || !cache.ways || !hd_is_power_of_two(cache.tag) || cache.tag < cache.line ||
        cache.tag / cache.line > HD_CACHE_SECTORS_MAX)
        return false;
    return cache.size % ((uint64_t)cache.tag * cache.ways) == 0;
}

static const char *blame(const char **key, const char *figure, const char *fault) {
    *key = figure;
    return fault;
}

const char *device_fault(const hd_device *d, const char **key) {
    if (!hd_is_power_of_two(d->warp) || d->warp > 1024)
        return blame(key, "warp", "'warp' must be a power of two from 1 to 1024");
    if (!cache_is_sound(d->l1))
        return blame(key, "l1",
                     "the line of 'l1' must be a power of two, and its size a multiple of it");
    if (!cache_is_sound(d->l2))
        return blame(key, "l2",
                     "the line of 'l2' must be a power of two, and its size a multiple of it");
    if (!tags_are_sound(d->l1))
        return blame(key, "l1tags",
                     "the line of 'l1tags' must be a power of two from the line of 'l1' to 32 "
                     "times that, and the size of 'l1' a multiple of that line times its ways");
    if (!tags_are_sound(d->l2))
        return blame(key, "l2tags",
                     "the line of 'l2tags' must be a power of two from the line of 'l2' to 32 "
                     "times that, and the size of 'l2' a multiple of that line times its ways");
    if (!isfinite(d->w_dram) || !(d->w_l1 > 0 && d->w_l1 <= d->w_l2 && d->w_l2 <= d->w_dram))
        return blame(key, "w",
                     "the weights 'w' must be positive and not fall from L1 to L2 to memory");
    if (!hd_is_power_of_two(d->segment) || d->segment > 4096)
        return blame(key, "segment", "'segment' must be a power of two from 1 to 4096");
    if (d->coalescing == HD_COALESCE_HALF_WARP && (d->warp < 2 || d->segment != 128))
        return blame(key, "coalescing",
                     "'coalescing' by half-warps is that of devices whose 'segment' is 128 and "
                     "whose 'warp' has two halves; correct these, or take 'coalescing' warp");
    if (!hd_is_power_of_two(d->banks) || d->banks > 1024)
        return blame(key, "banks", "'banks' must be a power of two from 1 to 1024");
    if (!hd_is_power_of_two(d->bank) || d->bank > 64)
        return blame(key, "bank", "'bank' must be a power of two from 1 to 64 bytes");
    if (!d->max_blocks)
        return blame(key, "blocks", "'blocks' must be at least 1");
    if (!d->max_threads || d->max_threads % d->warp)
        return blame(key, "threads", "'threads' must be a multiple of 'warp', at least one warp");
    if (!d->registers)
        return blame(key, "regs", "'regs' must be at least 1");
    if (!d->max_registers || d->max_registers > d->registers)
        return blame(key, "maxregs", "'maxregs' must be from 1 to 'regs'");
    if (d->board.capability < 10 || !d->board.memory)
        return blame(key, "board",
                     "'board' must have a compute capability, like 90 for 9.0, and memory");
    const hd_device_energy *e = &d->energy;
    if (hd_device_has_energy(d) && !(e->l1 <= e->l2 && e->l2 <= e->dram && e->dram > 0))
        return blame(key, "energy", "the energy of a byte must not fall from L1 to L2 to memory");
    const hd_device_speed *v = &d->speed;
    const bool is_timed = v->clock > 0 || v->dram > 0 || v->fp32 > 0 || v->l1_latency > 0;
    if (!is_timed)
        return NULL;
    if (!(v->clock > 0))
        return blame(key, "clock",
                     "'clock', 'bandwidth', 'rates' and 'latency' go together; add 'clock'");
    if (!(v->dram > 0 && v->l2 > 0))
        return blame(key, "bandwidth",
                     "'bandwidth' must have GB/s of memory and of L2, which go with 'clock'");
    if (!(v->fp32 > 0 && v->fp64 > 0 && v->integer > 0 && v->special > 0 && v->l1 > 0 &&
          v->issue > 0))
        return blame(key, "rates", "all 'rates' must be positive, and go with 'clock'");
    if (!(v->l1_latency > 0 && v->l1_latency <= v->l2_latency && v->l2_latency <= v->dram_latency))
        return blame(key, "latency",
                     "'latency' goes with 'clock', and must be positive and not fall from L1 to L2 "
                     "to memory");
    return NULL;
}

hd_status hd_device_check(const hd_diag *diag, const hd_device *device) {
    const char *key, *fault = device_fault(device, &key);
    hd_place place = {.file = device->source_file ? device->source_file : "<device>"};
    return fault ? hd_fail(diag, HD_EINPUT, &place, "%s", fault) : HD_OK;
}

/* ---- folders of profiles ---------------------------------------------------- */

typedef hd_vec(const char *) paths;

static int by_path_name(const void *a, const void *b) {
    return strcmp(hd_path_name(*(const char *const *)a), hd_path_name(*(const char *const *)b));
}

/* Paths of all profiles, sorted by name. A folder of Heddle's own may be
 * missing (an installed program has no source tree); the user's may not. */
static hd_status list_profiles(hd_arena *arena, const hd_diag *diag, paths *profiles) {
    const char *users = getenv("HEDDLE_DEVICES");
    const char *const folders[] = {users && *users ? users : NULL,
                                   hd_own_file(arena, "share/heddle/devices", "devices")};
    for (int i = 0; i < 2; i++) {
        DIR *folder = folders[i] ? opendir(folders[i]) : NULL;
        if (!folder && folders[i] && i == 0) {
            hd_place place = {.file = folders[i]};
            return hd_fail(diag, HD_EINPUT, &place,
                           "cannot open this folder, named by HEDDLE_DEVICES: %s; set it to a "
                           "folder of profiles, or unset it",
                           strerror(errno));
        }
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            bool known = !hd_ends_in(entry->d_name, ".yaml");
            for (size_t p = 0; p < profiles->count && !known; p++)
                known = !strcmp(hd_path_name(profiles->data[p]), entry->d_name);
            if (!known)
                hd_push(arena, profiles, hd_format(arena, "%s/%s", folders[i], entry->d_name));
        }
        if (folder)
            closedir(folder);
    }
    if (profiles->count)
        qsort(profiles->data, profiles->count, sizeof *profiles->data, by_path_name);
    return HD_OK;
}

/* ---- finding ----------------------------------------------------------------- */

static hd_status find_by_name(hd_arena *arena, const hd_diag *diag, const char *name,
                              const hd_device **device) {
    paths profiles = {0};
    hd_str known = {.arena = arena};
    hd_status status = list_profiles(arena, diag, &profiles);
    if (status != HD_OK)
        return status;
    for (size_t i = 0; i < profiles.count; i++) {
        const char *file = hd_path_name(profiles.data[i]);
        int stem = (int)strlen(file) - 5;
        if ((size_t)stem == strlen(name) && !strncmp(file, name, (size_t)stem))
            return hd_device_read(arena, diag, profiles.data[i], device);
        hd_str_printf(&known, "%.*s, ", stem, file);
    }
    hd_place place = {.file = "<device>", .line = 1, .column = 1, .text = name};
    return hd_fail(diag, HD_EINPUT, &place,
                   "there is no device '%.80s'; known are %shost, the path of a .yaml profile, or "
                   "a synthetic form like warp:32 l1:48k/128 …",
                   name, hd_str_text(&known));
}

hd_status hd_device_find(hd_arena *arena, const hd_diag *diag, const char *name,
                         const hd_device **device) {
    if (!strcmp(name, "host"))
        return hd_device_host(arena, diag, device);
    if (hd_ends_in(name, ".yaml"))
        return hd_device_read(arena, diag, name, device);
    if (strchr(name, ':'))
        return hd_device_parse_synthetic(arena, diag, name, device);
    return find_by_name(arena, diag, name, device);
}

hd_status hd_device_list(hd_arena *arena, const hd_diag *diag, const hd_device ***devices,
                         size_t *count) {
    paths profiles = {0};
    hd_status status = list_profiles(arena, diag, &profiles);
    const hd_device **list = hd_new_array(arena, const hd_device *, profiles.count + 1);
    for (size_t i = 0; i < profiles.count && status == HD_OK; i++)
        status = hd_device_read(arena, diag, profiles.data[i], &list[i]);
    if (status == HD_OK)
        status = hd_device_host(arena, diag, &list[profiles.count]);
    if (status != HD_OK)
        return status;
    *devices = list;
    *count = profiles.count + 1;
    return HD_OK;
}
