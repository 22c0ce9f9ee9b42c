/* Inputs of the corpus that are long: a piece again and again, "%u" in it counted from 0. */
#include <stdio.h>

#include "files.h"

typedef struct crafted {
    const char *kind, *begin, *piece;
    unsigned count;
    const char *end;
} crafted;

#define JOB "kernel: graph.cl\nbuffers:\n  - {name: b, type: uint, count: 64}\n"
#define RUN                                                                                     \
    "  - {kernel: walk, global: [64], args: [{name: first, buffer: b}, {name: to, buffer: b}, " \
    "{name: sum, buffer: b}, {name: count, value: 0}]}\n"

static const crafted inputs[] = {
    /* growing arrays were copied in the arena: 1.6 GB */
    {"job", JOB "launches:\n", RUN, 3000, ""},
    {"job", JOB "launches:\n  - {kernel: walk, global: [64]", ", args: [{name: first, buffer: b}]",
     3000, "}\n"},
    {"job", JOB "launches:\n", "  - {kernel: walk, kernel: walk}\n", 3000, ""},
    {"job", "kernel: graph.cl\nbuffers:\n  - {name: b, type: uint, count: 64}\n",
     "  - {name: b%u, type: uint, count: 1}\n", 3000, "launches:\n" RUN},
    {"job", "kernel: ", "[", 100000, ""},
    {"job", "kernel: ", "{a: ", 20000, ""},
    {"job", "kernel: x\n", "- ", 50000, ""},
    {"job", "options: '", "-DA%u ", 5000, "'\n" JOB "launches:\n" RUN},
    {"layout", "{x,y,z,mass,vx,vy,vz}", "{x}", 30000, ""},
    {"layout", "", "{", 100000, ""},
    {"layout", "{x", ",x", 45000, "}"},
    {"layout", "aosoa:", "9", 90000, ""},
    {"netlist", "INPUT(n0)\n", "m%u = NOT(n0)\n", 3000, "OUTPUT(m1)\n"},
    {"netlist", "x = AND(", "x, ", 30000, "x)\n"},
    {"netlist", "x = ", "(", 100000, ""},
    {"mesh", "2 1\n", "2 ", 50000, "\n1\n"},
    {"device", "warp:32 ", "l1:48k/128 ", 8000, ""},
    {"device", "warp:", "9", 90000, ""},
    {"profile", "title: ", "[", 100000, ""},
    {"profile", "title: x\n", "key%u: 1\n", 3000, ""},
    {"result", "", "[", 100000, ""},
    {"result", "", "{\"a\": ", 50000, ""},
    {"text", "# heddle-trace-text 1\nB 0 32\n", "%u 0 L 4 0:1000 31:1080\n", 3000, ""},
    {"text", "# heddle-trace-text 1\n", "B %u 1\n0 0 L 4 0:10\n", 3000, ""},
    {"journal", "heddle journal 1\n", "written as 1 1 1\n", 5000, "end 0000000000000000\n"},
};

void add_crafted(hd_arena *arena, const kind *k, bytes_list *seeds) {
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        const crafted *c = &inputs[i];
        if (strcmp(c->kind, k->name) != 0)
            continue;
        hd_str text = {.arena = arena};
        hd_str_add(&text, c->begin);
        const char *number = strstr(c->piece, "%u");
        for (unsigned n = 0; n < c->count; n++) {
            hd_str_addn(&text, c->piece, number ? (size_t)(number - c->piece) : strlen(c->piece));
            if (number)
                hd_str_printf(&text, "%u%s", n, number + 2);
        }
        hd_str_add(&text, c->end);
        bytes input = {0};
        bytes_set(&input, hd_str_text(&text), text.length);
        hd_push(arena, seeds, input);
    }
}
