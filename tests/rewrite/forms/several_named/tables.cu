#include "tables.h"

__constant__ Rule rules[RULES];

void load_rules() {
    Rule host[RULES];
    for (int i = 0; i < RULES; i++)
        host[i] = Rule{0.5f * i, i, (i * 5 + 1) % RULES};
    cudaMemcpyToSymbol(rules, host, sizeof host);
}
