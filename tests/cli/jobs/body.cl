typedef struct body {
    float x, y;
    int tag;
} body;

__kernel void push(__global body *bodies, float dt) {
    int i = get_global_id(0);
    bodies[i].x += bodies[i].y * dt;
}
