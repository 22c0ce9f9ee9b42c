struct pair {
    float a;
    int b[2];
};
#define A(i) pairs[i].a
#define B(p, i, k) (p)[i].b[k]
#define GIVE global struct pair *pairs, global const struct pair *others
#define BOTH(i) (A(i) + A(i))
