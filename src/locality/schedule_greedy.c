/* A warp issues as long as it has something to issue. */
#include "locality/schedule.h"

const hd_warp_order hd_order_greedy = {"greedy", "a warp issues all its MIs, then the next warp",
                                       true};
