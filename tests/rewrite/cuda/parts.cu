// A record that is taken apart: parts, indices that vary, wholes.
struct vec {
    float x, y, z;
};
struct atom {
    vec pos;
    float charge[3];
    short bonds[2][2];
    int type;
};

__device__ float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__global__ void charges(atom *atoms, const atom *from, float *out, int n) {
    int i = threadIdx.x;
    const atom &a = from[i];
    atoms[i].pos.x = a.pos.y + from[(i + 1) % n].pos.z;
    for (int k = 0; k < 3; k++)
        atoms[i].charge[k] += a.charge[(k + 1) % 3] + a.charge[2];
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++)
            atoms[i].bonds[k][l] = from[i].bonds[1 - k][l] + from[i].bonds[0][1];
    vec here = a.pos;
    atoms[i].pos = vec{here.y, here.z, atoms[i].pos.x};
    out[i] = dot(atoms[i].pos, from[n - 1 - i].pos);
    atom whole = from[i];
    whole.type += whole.bonds[1][0];
    if (i % 2)
        atoms[i] = whole;
    atomicAdd(&atoms[i].charge[1], 0.5f);
}
