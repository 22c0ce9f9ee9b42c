/* What the study of Qasem and Teich tells to do without measuring. */
#include <math.h>

#include "advise/explore/study.h"

double hd_study_low_intensity(void) {
    const double *values = hd_dimensions[HD_DIM_INTENSITY].values, *last = values;
    while (last[1] >= 0)
        last++;
    return sqrt(*values * *last);
}

static const char *among(const char *const *placements, uint32_t count, const char *wanted) {
    for (uint32_t p = 0; p < count; p++)
        if (!strcmp(placements[p], wanted))
            return placements[p];
    return NULL;
}

/* The first of them that is no device memory: all others are the host's. */
static const char *of_host(const char *const *placements, uint32_t count) {
    const char *host = among(placements, count, "host");
    for (uint32_t p = 0; p < count && !host; p++)
        host = strcmp(placements[p], "device") ? placements[p] : NULL;
    return host;
}

hd_placed_layout hd_study_rule_of_thumb(const char *const *placements, uint32_t count,
                                        hd_objective objective, double intensity, bool integrated) {
    const char *device = among(placements, count, "device"), *host = of_host(placements, count);
    if (integrated)
        return host ? (hd_placed_layout){"soa", host} : (hd_placed_layout){"aos", device};
    if (!device)
        return (hd_placed_layout){"da", host};
    bool is_low = objective != HD_QUANTITY_TIME && intensity < hd_study_low_intensity();
    return (hd_placed_layout){is_low ? "da" : "soa", device};
}
