// Types by their names: fixed widths, aliases, enums, bool.
//: headers both
//: accesses k: load p.id 1, load p.live 1, load p.mass 8, store o 8
//: run count 4: 1 1 2 2
#include <cstdint>
typedef double real;
using number = std::int64_t;
enum class state : unsigned { idle, busy };
enum colour { red, green };
struct particle {
    uint8_t id;
    bool live;
    std::uint16_t kind;
    state s;
    colour state;
    real mass;
};
__global__ void k(real *o, const particle *p) {
    number i = threadIdx.x;
    o[i] = p[i].id + (p[i].live ? p[i].mass : 0);
}
__global__ void count(std::uint16_t *o) { o[threadIdx.x] = static_cast<std::uint16_t>(threadIdx.x / 2 + 1); }
