// What particles.cu moves.
#pragma once

struct Particle {
    float x, y, vx, vy;
    int steps, cell;
};

struct Box {
    float width;
    int n;
};
