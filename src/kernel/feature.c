#include "kernel/feature.h"

const char *hd_fidelity_name(hd_fidelity fidelity) {
    static const char *const names[] = {"exact", "approximate", "refused"};
    return names[fidelity];
}
