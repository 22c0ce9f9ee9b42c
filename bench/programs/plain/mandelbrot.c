#include <stdio.h>

#include "inputs.h"

typedef struct view {
    float left, top, step;
} view;

static int escape(float cx, float cy, int most) {
    float x = 0, y = 0;
    int n = 0;
    for (; n < most; n++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4)
            break;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
    }
    return n;
}

int main(int argc, char **argv) {
    int width = input_argument(argc, argv, 1, 1120), height = width * 2 / 3;
    int most = input_argument(argc, argv, 2, 1000);
    size_t pixels = (size_t)width * height;
    uint16_t *steps = malloc(pixels * sizeof *steps);
    const view views[] = {{-2, -1, 3.0f / (float)width}, {-0.8f, 0.05f, 0.15f / (float)width}};
    for (int v = 0; v < 2; v++) {
#pragma omp parallel for schedule(dynamic, 8)
        for (int py = 0; py < height; py++)
            for (int px = 0; px < width; px++)
                steps[(size_t)py * width + px] =
                    (uint16_t)escape(views[v].left + (float)px * views[v].step,
                                     views[v].top + (float)py * views[v].step, most);
        double sum = 0, inside = 0;
        for (size_t i = 0; i < pixels; i++) {
            sum += steps[i];
            inside += steps[i] == most;
        }
        printf("steps %.5e, inside %.5e\n", sum, inside);
    }
    free(steps);
    return 0;
}
