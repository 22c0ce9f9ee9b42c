#pragma once
struct Rule {
    float rate;
    int from, to;
};
enum { RULES = 16 };
extern __constant__ Rule rules[RULES];
void load_rules();
__global__ void apply(int *state, int n);
