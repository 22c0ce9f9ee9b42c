// Unions, with a name and without one, move whole, also beside fields that are taken apart.
//: laid out k 64: soa aosoa:4
//: laid out k 64 with pos: soa {word,i}{n,pos}
union word {
    float f;
    unsigned u;
};
struct cell {
    union word word;
    union {
        int i;
        float g;
    };
    int n;
    float4 pos;
};
__global__ void k(cell *p) {
    int i = threadIdx.x;
    p[i].word.u ^= 1;
    p[i].i &= 3;
    p[i].n += (int)p[i].g;
    p[i].pos.x += p[i].word.f;
    cell c = p[i];
    c.word.u++;
    p[i] = c;
}
