// flags: -g 16,8,4 --local 4,2,2 -n 512
// accesses: 5
// rewrites: {gid,lid,grp}:16{lin,dim}/da
typedef struct { int gid[3]; int lid[3]; int grp[3]; int lin; int dim; } ids;
__kernel void k(__global ids *p) {
    size_t at = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
    for (uint d = 0; d < get_work_dim(); d++) {
        p[at].gid[d] = get_global_id(d);
        p[at].lid[d] = get_local_id(d);
        p[at].grp[d] = get_group_id(d);
    }
    p[at].lin = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
    p[at].dim = get_num_groups(0) * 100 + get_num_groups(1) * 10 + get_global_offset(0) + get_work_dim();
}
