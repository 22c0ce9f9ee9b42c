// References to fields, addresses of fields that are taken again, unions, enums and nested arrays.
enum class kind : unsigned char { first, second, third };

struct item {
    static constexpr int most = 3;
    kind what;
    union number {
        float real;
        int whole;
    } u;
    struct slot {
        short key;
        float value;
    } slots[most];
    float x, y;
    int n;
    __device__ bool is(kind k) const { return what == k; }
    __device__ const slot &at(int i) const { return slots[i % most]; }
};

template <class T> __device__ void exchange(T &a, T &b) {
    T kept = a;
    a = b;
    b = kept;
}

__device__ float &larger(item *p) { return p->x > p->y ? p->x : p->y; }

__device__ float total(const item &it) {
    float sum = 0;
    for (const auto &s : it.slots)
        sum += s.value;
    return sum;
}

__device__ void twice(float *v) { (&*v)[0] = *&v[0] + *&*v; }

struct sum {
    float value = 0;
    __device__ void add(const item &it) { value += it.x; }
    __device__ void add(float v) { value += v; }
};

extern "C" __global__ void work(item *p, const item *from, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const item &it = from[i];
    item &mine = p[i];
    sum s;
    if (it.is(kind::second))
        mine.u.whole = it.slots[2].key;
    else
        mine.u.real = it.u.real;
    mine.what = kind::third;
    exchange(mine.x, mine.y);
    larger(p + i) += 2;
    float &y = p[i].y;
    const float *again = &y;
    y += *again + (&y)[0];
    twice(&p[i].x);
    for (const item *q = from; q != from + 4; ++q)
        s.add(q->y);
    s.add(it);
    p[i].n = {3};
    auto plus = [](const float &v) { return v + 1; };
    float (&row)[2] = reinterpret_cast<float (&)[2]>(out[2 * i]);
    row[0] = total(it) + it.at(1).value + plus(p[i].x) + s.value;
    row[1] = p[i].u.real + mine.y;
}
