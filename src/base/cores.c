#include <sched.h>
#include <unistd.h>

#include "base/base.h"

uint32_t hd_core_count(void) {
    cpu_set_t usable;
    long count = sched_getaffinity(0, sizeof usable, &usable) == 0
                     ? CPU_COUNT(&usable)
                     : sysconf(_SC_NPROCESSORS_ONLN); /* the set is too small for the machine */
    return count > 0 ? (uint32_t)count : 1;
}
