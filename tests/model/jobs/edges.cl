struct r { float x, y, z; };
__kernel void own(__global struct r *p) {
  size_t i = get_global_id(0) + get_global_size(0) *
             (get_global_id(1) + get_global_size(1) * get_global_id(2));
  p[i].x = 1;
}
__kernel void times(__global struct r *p, int n) {
  for (int j = 0; j < n; j++) p[get_global_id(0) + j].y += p[j].z;
}
__kernel void found(__global struct r *p, __global const int *w) {
  int j = 0;
  while (w[get_global_id(0) + j * 64] > 0) j++;
  p[j].x = p[w[j & 3]].y;
}
__kernel void alike(__global struct r *p, __global const int *w) {
  int j = 0;
  while (w[j * 64] > 0) j++;
  p[j].x = 1;
}
__kernel void turns(__global struct r *p, __global const int *w, int n) {
  int j = 0;
  while (j < n) {
    if (w[get_global_id(0)] > j) { j += 2; continue; }
    p[j].x = 1;
    j += 1;
  }
}
__kernel void either(__global struct r *p, __global struct r *q, int n) {
  __global struct r *t = n > 3 ? p : q;
  t[get_global_id(0)].x = 1;
}
__kernel void nest(__global struct r *p, __global const int *w) {
  float s = 0;
  for (int a = 0; a < w[0]; a++) for (int b = 0; b < w[1]; b++)
  for (int c = 0; c < w[2]; c++) for (int d = 0; d < w[3]; d++)
  for (int e = 0; e < w[4]; e++) for (int f = 0; f < w[5]; f++)
  for (int g = 0; g < w[6]; g++) for (int h = 0; h < w[7]; h++)
  for (int k = 0; k < w[8]; k++) s += p[a + b + c + d + e + f + g + h + k].x;
  p[get_global_id(0)].y = s;
}
__kernel void bytes(__global struct r *p) {
  int i = get_global_id(0);
  ((__global char *)p)[i] = 1;
  ((__global char *)&p[i])[5] = 2;
  ((__global char *)p)[i * i] = 3;
}
__kernel void stairs(__global struct r *p, __global volatile int *w) {
  int i = get_global_id(0);
  for (int j = i; j < 4; j++) p[j].x = 1;
  for (int j = 0; w[j], j < 20; j++) p[j].y = 1;
  for (int j = i; w[j], j < 4; j++) p[j].y = 2;
  for (int j = 0; j < 6; j++)
    if (i + j > 6) p[i].x = j;
}
