struct first {
    int x, y;
};
struct second {
    int w, z;
};
__kernel void k(__global volatile struct first *Arr1, __global volatile struct second *Arr2) {
    int i = get_global_id(0);
    int s = Arr1[i].x;
    s += Arr2[i].z;
    s += Arr2[i].w;
    s += Arr2[i].z;
    Arr1[i].y = s;
}
