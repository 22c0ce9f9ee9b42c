#include "mapping/incidence.h"

#include <stdlib.h>

incidence incidence_of(const hd_nets *nets, uint32_t threads) {
    uint64_t pins = nets->count ? nets->first[nets->count] : 0;
    incidence of = {hd_zeroed((size_t)threads + 2, sizeof *of.first),
                    hd_checked(malloc((pins + 1) * sizeof *of.net))};
    for (uint64_t i = 0; i < pins; i++)
        of.first[nets->thread[i] + 2]++;
    for (uint32_t t = 0; t < threads; t++)
        of.first[t + 2] += of.first[t + 1];
    for (uint64_t n = 0; n < nets->count; n++)
        for (uint64_t i = nets->first[n]; i < nets->first[n + 1]; i++)
            of.net[of.first[nets->thread[i] + 1]++] = (uint32_t)n;
    return of;
}

void incidence_free(incidence *of) {
    free(of->first);
    free(of->net);
    *of = (incidence){0};
}
