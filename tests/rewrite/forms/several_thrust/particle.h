#pragma once
#include <cstddef>

namespace sim {
struct Particle {
    float x, v;
    int id;
};

void step(Particle *p, size_t n);
} // namespace sim
