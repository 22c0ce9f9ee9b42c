/* All warps issue an MI before the first one issues the next, as in the document. */
#include "locality/schedule.h"

const hd_warp_order hd_order_round_robin = {
    "round-robin", "every warp issues an MI before any issues the next", false};
