// flags: -g 256 --local 64 -n 256
// accesses: 9
// layouts: soa aosoa:32
enum kind { GAS, LIQUID = 5, SOLID };
typedef enum kind kind_t;
typedef struct { kind_t kind; enum { A, B } other; float t; bool hot; } mat;
__kernel void k(__global mat *m) {
    int i = get_global_id(0);
    switch (m[i].kind) {
    case GAS: m[i].t *= 2; break;
    case LIQUID: m[i].t += 1; /* fall through */
    case SOLID: m[i].other = B; break;
    default: m[i].kind = (kind_t)(i % 7 == 0 ? SOLID : GAS);
    }
    m[i].hot = m[i].t > 100.0f;
}
