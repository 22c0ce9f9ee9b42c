/* What the files of this program share. */
#ifndef BODY_H
#define BODY_H

struct Body {
    float x, v;
    int hits;
    __host__ __device__ void step(float dt) {
        x += v * dt;
        hits++;
    }
};

void advance(Body *bodies, int n);
void fill(Body *bodies, int n);

#endif
