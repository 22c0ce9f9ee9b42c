// flags: -g 256 --local 64 -n 256
// accesses: 10
// layouts: da
typedef struct { char name[12]; uchar len; uint hash; ushort spaces; } word;
__constant char vowels[] = "aeiou";
uint fnv(__global const char *s, uint n) {
    uint h = 2166136261u;
    while (n--) { h ^= (uchar)*s++; h *= 16777619u; }
    return h;
}
__kernel void hash(__global word *w) {
    size_t i = get_global_id(0);
    for (int k = 0; k < 11; k++) w[i].name[k] = (char)('a' + (i * 7 + k * 3) % 26);
    w[i].name[11] = '\0';
    uchar n = 0;
    for (; n < sizeof(w->name) && w[i].name[n] != 0; n++) {
        for (const __constant char *v = vowels; *v; v++)
            if (*v == w[i].name[n]) { w[i].spaces++; break; }
    }
    w[i].len = n;
    w[i].hash = fnv(w[i].name, n);
}
