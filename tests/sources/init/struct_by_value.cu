// A struct by value, whose members the host fills.
//: init - {name: s, value: "100, 2.5, 50"}
struct settings {
    int width;
    float scale;
    int height;
    float *unused;
};
__global__ void fill(float *a, settings s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.width * s.height)
        a[i] = s.scale;
}
int main() {
    settings s;
    s.width = 100;
    s.height = 50;
    s.scale = 2.5f;
    float *a;
    cudaMalloc(&a, s.width * s.height * sizeof(float));
    fill<<<(s.width * s.height + 255) / 256, 256>>>(a, s);
}
