/* Index transforms as text for device code. */
#include "remap/map.h"

static const char index_text[] =
#include "index_text.inc"
    ;

const char *hd_remap_index_text(void) { return index_text; }
