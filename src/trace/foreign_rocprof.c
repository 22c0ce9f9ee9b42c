/*
 * What rocprofv3 --att leaves: instructions with their times, for waves, and their code. None of it
 * holds the address of a lane (rocprof-trace-decoder's trace_decoder_types.h lists all records).
 */
#include "foreign.h"

static bool is_thread_trace(hd_span start) {
    return (foreign_starts(start, "{") &&
            (foreign_has(start, "\"wave_filenames\"") ||
             (foreign_has(start, "\"wave\"") && foreign_has(start, "\"instructions\"")) ||
             (foreign_has(start, "\"code\"") && foreign_has(start, "\"version\"")))) ||
           foreign_has(start, "Hitcount,Latency,Stall") ||
           foreign_has(start, "\"Hitcount\",\"Latency\",\"Stall\"");
}

const foreign_format foreign_rocprof = {
    .tool = "rocprofv3's thread trace",
    .is_one = is_thread_trace,
    .refused = "it says when each wave ran which instruction, and no addresses of lanes; log those "
               "with Omniprobe's AddressLogger"};
