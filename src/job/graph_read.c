/* Graph files, by the ending of their names. */
#include "job/graph.h"

hd_status hd_graph_read(hd_arena *arena, const hd_diag *diag, const char *path, hd_graph **graph) {
    char *text;
    size_t length;
    bool is_netlist = hd_ends_in(path, ".bench");
    if (!is_netlist && !hd_ends_in(path, ".graph")) {
        const hd_place place = {.file = path};
        return hd_fail(diag, HD_EINPUT, &place,
                       "a graph is read from a netlist NAME.bench or a METIS file NAME.graph");
    }
    hd_arena *scratch = hd_arena_new();
    hd_status status = hd_read_file(scratch, diag, path, &text, &length);
    if (status == HD_OK)
        status = (is_netlist ? hd_netlist_parse : hd_metis_parse)(arena, diag, path, text, length,
                                                                  graph);
    hd_arena_free(scratch);
    return status;
}
