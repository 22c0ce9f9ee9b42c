/* Devices, and times measured on them. */
#include "cli/report/members.h"
#include "cli/report/report.h"
#include "advise/measure/measure.h"

/* ---- profiles ------------------------------------------------------------------------------ */

static const hd_member cache_members[] = {HD_SAME(hd_cache, size, line), {0}};
static const hd_member weight_members[] = {{"l1", HD_AT(hd_device, w_l1)},
                                           {"l2", HD_AT(hd_device, w_l2)},
                                           {"dram", HD_AT(hd_device, w_dram)},
                                           {0}};

static const char *cache_text(hd_arena *arena, hd_cache cache) {
    return cache.size ? hd_format(arena, "%s/%u", hd_show_bytes(arena, cache.size), cache.line)
                      : "-";
}

static const char *epsilon_and_reason(hd_arena *arena, const hd_device *device) {
    const char *why;
    uint32_t epsilon = hd_device_epsilon(device, &why);
    return hd_format(arena, "%u, %s", epsilon, why);
}

HD_GETTER(l1_text, hd_device, hd_text(cache_text(view->arena, row->l1)))
HD_GETTER(l2_text, hd_device, hd_text(cache_text(view->arena, row->l2)))
HD_GETTER(weights_text, hd_device,
          hd_text(hd_format(view->arena, "%.3g:%.3g:%.3g", row->w_l1, row->w_l2, row->w_dram)))
HD_GETTER(coalescing_of, hd_device, hd_text(hd_coalescing_name(row->coalescing)))
HD_GETTER(epsilon_of, hd_device, hd_whole(hd_device_epsilon(row, NULL)))
HD_GETTER(tiles_text, hd_device,
          hd_text(row->tiles ? hd_tile_steps_print(view->arena, row->tiles) : NULL))
HD_GETTER(epsilon_text, hd_device, hd_text(epsilon_and_reason(view->arena, row)))
HD_GETTER(one_line, hd_device, hd_text(hd_device_print(view->arena, row)))

const hd_member hd_device_members[] = {
    {"name", "profile", HD_AT(hd_device, name)},
    {"title", "device", HD_AT(hd_device, title)},
    {"warp", "warp", HD_AT(hd_device, warp)},
    {"segment", HD_AT(hd_device, segment)},
    {"coalescing", .get = coalescing_of},
    {"l1", HD_IN(hd_device, l1), HD_IF(hd_device, l1.size), .of = cache_members},
    {"l2", HD_IN(hd_device, l2), HD_IF(hd_device, l2.size), .of = cache_members},
    {NULL, "L1/line", HD_PLAIN_WORD, .get = l1_text},
    {NULL, "L2/line", HD_PLAIN_WORD, .get = l2_text},
    {"weights", HD_SELF, .of = weight_members},
    {"sms", HD_AT(hd_device, sms)},
    {NULL, "SMs", HD_EXACT, HD_AT(hd_device, sms), HD_IF(hd_device, sms)},
    {NULL, "L1:L2:DRAM", .get = weights_text},
    HD_SAME(hd_device, max_blocks, max_threads, registers, max_registers),
    HD_SAME(hd_device, banks, bank, shared),
    {"epsilon", .get = epsilon_of},
    {"tiles", .get = tiles_text},
    {"synthetic", .get = one_line},
    {"file", HD_AT(hd_device, source_file)},
    {0}};

HD_GETTER(lanes_of, hd_device, hd_text(hd_format(view->arena, "%u lanes", row->warp)))
HD_GETTER(joined_of, hd_device, hd_whole(hd_device_request_lanes(row)))
HD_GETTER(all_weights, hd_device,
          hd_text(hd_format(view->arena, "%g, %g, %g", row->w_l1, row->w_l2, row->w_dram)))

const hd_member hd_device_lines[] = {
    {NULL, "warp", .get = lanes_of},
    {NULL, "transaction", HD_BYTES, HD_AT(hd_device, segment)},
    {NULL, "lanes joined", .get = joined_of},
    {NULL, "L1 of an SM/line", .get = l1_text},
    {NULL, "L2/line", .get = l2_text},
    {NULL, "cost L1, L2, DRAM", .get = all_weights},
    {NULL, "SMs", HD_EXACT, HD_AT(hd_device, sms), HD_IF(hd_device, sms)},
    {NULL, "blocks of an SM", HD_EXACT, HD_AT(hd_device, max_blocks), HD_IF(hd_device, max_blocks)},
    {NULL, "threads of an SM", HD_EXACT, HD_AT(hd_device, max_threads),
     HD_IF(hd_device, max_threads)},
    {NULL, "registers of an SM", HD_EXACT, HD_AT(hd_device, registers),
     HD_IF(hd_device, registers)},
    {NULL, "registers of a thread", HD_EXACT, HD_AT(hd_device, max_registers),
     HD_IF(hd_device, max_registers)},
    {NULL, "epsilon", .get = epsilon_text},
    {NULL, "tiles", .get = tiles_text},
    {NULL, "in one line", .get = one_line},
    {NULL, "from", HD_AT(hd_device, source_file)},
    {0}};

/* ---- devices to run on, and times ----------------------------------------------------------- */

const hd_member hd_compute_device_members[] = {
    {"backend", HD_AT(hd_compute_device, backend)},
    {"id", "id", HD_AT(hd_compute_device, id)},
    {NULL, "device", HD_AT(hd_compute_device, name)},
    {"platform", "platform", HD_AT(hd_compute_device, platform)},
    {"name", HD_AT(hd_compute_device, name)},
    {"driver", "driver", HD_AT(hd_compute_device, driver)},
    {0}};

const hd_member hd_timing_members[] = {{"median", "median", HD_SECONDS, HD_AT(hd_timing, median)},
                                       {"low", "low", HD_SECONDS, HD_AT(hd_timing, low)},
                                       {"high", "high", HD_SECONDS, HD_AT(hd_timing, high)},
                                       {"repeats", "runs", HD_AT(hd_timing, repeats)},
                                       {0}};

/* ---- times of whole runs --------------------------------------------------------------------- */

static const hd_member whole_timing_members[] = {
    {"to_device", HD_IN(hd_whole_timing, to_device), .of = hd_timing_members},
    {"kernels", HD_IN(hd_whole_timing, kernels), .of = hd_timing_members},
    {"from_device", HD_IN(hd_whole_timing, from_device), .of = hd_timing_members},
    {"whole", HD_IN(hd_whole_timing, whole), .of = hd_timing_members},
    {0}};
static const hd_member whole_members[] = {
    {"original", HD_IN(hd_whole_measurement, original), .of = whole_timing_members},
    {"rewritten", HD_IN(hd_whole_measurement, rewritten), .of = whole_timing_members},
    HD_SAME(hd_whole_measurement, speedup, speedup_low, speedup_high),
    {0}};

/* ---- energy -------------------------------------------------------------------------------- */

HD_GETTER(resolution_of, hd_energy,
          row->missing || row->modelled ? hd_null() : hd_real(row->resolution))

const hd_member hd_energy_members[] = {
    {"joules", "energy", HD_JOULES, HD_AT(hd_energy, joules), HD_UNLESS(hd_energy, missing)},
    {"watts", "power", HD_WATTS, HD_AT(hd_energy, watts), HD_UNLESS(hd_energy, missing)},
    {"idle_watts", "idle", HD_WATTS, HD_AT(hd_energy, idle_watts), HD_UNLESS(hd_energy, missing)},
    {"idle_subtracted", HD_AT(hd_energy, idle_subtracted)},
    {"seconds", "time", HD_SECONDS, HD_AT(hd_energy, seconds)},
    {"repeats", "runs", HD_PLAIN_WORD, HD_AT(hd_energy, repeats), HD_UNLESS(hd_energy, modelled)},
    {"resolution", "resolution", HD_SHARE, .get = resolution_of},
    {"source", HD_AT(hd_energy, source)},
    {"modelled", HD_AT(hd_energy, modelled)},
    {"missing", HD_AT(hd_energy, missing)},
    {0}};

static const hd_member energy_pair_members[] = {
    {"original", HD_IN(hd_energy_pair, original), .of = hd_energy_members},
    {"rewritten", HD_IN(hd_energy_pair, rewritten), .of = hd_energy_members},
    {"saving", HD_AT(hd_energy_pair, saving)},
    {0}};

HD_GETTER(readable, hd_meter_source, hd_bool(!row->why))
HD_GETTER(why_or_yes, hd_meter_source, hd_text(row->why ? row->why : "it can be read"))

const hd_member hd_meter_source_members[] = {{"name", "meter", HD_AT(hd_meter_source, name)},
                                             {"what", "meters", HD_AT(hd_meter_source, what)},
                                             {"title", HD_AT(hd_meter_source, title)},
                                             {"readable", .get = readable},
                                             {"why", HD_AT(hd_meter_source, why)},
                                             {NULL, "", .get = why_or_yes},
                                             {0}};

/* ---- times, and energy with them ------------------------------------------------------------ */

const hd_member hd_measurement_members[] = {
    {"device", HD_AT(hd_measurement, device_name)},
    {"driver", HD_AT(hd_measurement, driver)},
    {"original", HD_IN(hd_measurement, original), .of = hd_timing_members},
    {"rewritten", HD_IN(hd_measurement, rewritten), .of = hd_timing_members},
    HD_SAME(hd_measurement, original_placement, rewritten_placement),
    HD_SAME(hd_measurement, speedup, speedup_low, speedup_high, equal, bit_equal),
    {"energy", HD_BEHIND(hd_measurement, energy), .of = energy_pair_members, .optional = true},
    {"whole", HD_BEHIND(hd_measurement, whole), .of = whole_members},
    {0}};
