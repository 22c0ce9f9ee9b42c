#include "base/number.h"

#include <math.h>

/* Three significant digits of a value in [0.9995, 999.5). */
static const char *three_digits(hd_arena *arena, double value, const char *unit) {
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return hd_format(arena, "%.*f%s", decimals, value, unit);
}

const char *hd_show_count(hd_arena *arena, double value) {
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    if (!isfinite(value))
        return "-";
    double size = fabs(value);
    if (size < 999.5 && value == floor(value))
        return hd_format(arena, "%.0f", value);
    if (size < 0.9995)
        return hd_format(arena, "%.3g", value);
    size_t unit = 0;
    while (size >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        size /= 1000;
        unit++;
    }
    if (size >= 999.5)
        return hd_format(arena, "%.2e", value);
    return hd_format(arena, "%s%s", value < 0 ? "-" : "", three_digits(arena, size, units[unit]));
}

const char *hd_show_exact(hd_arena *arena, uint64_t count) {
    return hd_format(arena, "%llu", (unsigned long long)count);
}

const char *hd_show_counted(hd_arena *arena, uint64_t count, const char *word, const char *ending) {
    return hd_format(arena, "%s %s%s", hd_show_count(arena, (double)count), word,
                     count == 1 ? "" : ending);
}

const char *hd_show_ratio(hd_arena *arena, double value) {
    if (!isfinite(value))
        return "-";
    return hd_format(arena, value < 99.95 ? "%.2fx" : "%.0fx", value);
}

const char *hd_show_seconds(hd_arena *arena, double seconds) {
    static const char *const units[] = {" s", " ms", " us", " ns"};
    if (!isfinite(seconds) || seconds < 0)
        return "-";
    if (seconds == 0)
        return "0 s";
    size_t unit = 0;
    while (seconds < 0.9995 && unit + 1 < sizeof units / sizeof *units) {
        seconds *= 1000;
        unit++;
    }
    if (seconds < 0.9995 || seconds >= 999.5)
        return hd_format(arena, seconds < 1 ? "%.2f%s" : "%.0f%s", seconds, units[unit]);
    return three_digits(arena, seconds, units[unit]);
}

const char *hd_show_small(hd_arena *arena, double value, const char *unit) {
    static const char *const prefixes[] = {"", "m", "u", "n", "p"};
    double size = fabs(value);
    size_t prefix = 0;
    if (!isfinite(value))
        return "-";
    if (size < 1e-15)
        return hd_format(arena, "0 %s", unit);
    while (size < 0.9995 && prefix + 1 < sizeof prefixes / sizeof *prefixes) {
        size *= 1000;
        prefix++;
    }
    unit = hd_format(arena, " %s%s", prefixes[prefix], unit);
    const char *sign = value < 0 ? "-" : "";
    if (size < 0.9995 || size >= 999.5)
        return hd_format(arena, "%s%.3g%s", sign, size, unit);
    return hd_format(arena, "%s%s", sign, three_digits(arena, size, unit));
}

const char *hd_show_share(hd_arena *arena, double share) {
    return isfinite(share) ? hd_format(arena, "%.1f%%", 100 * share) : "-";
}

const char *hd_show_bytes(hd_arena *arena, uint64_t bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1023.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    return hd_format(arena, "%.4g %s", value, units[unit]);
}
