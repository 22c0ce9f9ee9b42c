#include "reference.h"

enum { LETTERS = 24 };

static int larger(int a, int b) { return a > b ? a : b; }

/* `scores` and `similarity` have size + 1 rows of size + 1 numbers. Row 0 and column 0 of the
 * scores are given, the others are filled. */
static void nw_fill(int *scores, const int *similarity, size_t size, int penalty) {
    for (size_t row = 1; row <= size; row++)
        for (size_t column = 1; column <= size; column++) {
            size_t cell = row * (size + 1) + column;
            int match = scores[cell - size - 2] + similarity[cell];
            int gap = larger(scores[cell - size - 1], scores[cell - 1]) - penalty;
            scores[cell] = larger(match, gap);
        }
}

/* Gaps only: what row 0 and column 0 say. */
static int *new_scores(size_t side) {
    int *scores = host_new(side * side * sizeof *scores);
    for (size_t i = 0; i < side; i++)
        scores[i] = scores[i * side] = -(int)i * PENALTY;
    return scores;
}

/* How well the letters of each row and column go together. */
static int *new_similarity(size_t side) {
    int *similarity = host_new(side * side * sizeof *similarity);
    for (size_t row = 1; row < side; row++)
        for (size_t column = 1; column < side; column++) {
            uint32_t pair = host_whole(1, row, 0, LETTERS - 1) * LETTERS +
                            host_whole(2, column, 0, LETTERS - 1);
            similarity[row * side + column] = (int)host_whole(3, pair, 0, 14) - 4;
        }
    return similarity;
}

void run_diagonals(host *h, cl_kernel kernel, int tiles) {
    for (cl_int diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
        cl_int first_column = diagonal < tiles ? 0 : diagonal - tiles + 1;
        cl_int last_column = diagonal < tiles ? diagonal : tiles - 1;
        host_set(kernel, 4, first_column);
        host_set(kernel, 5, diagonal);
        host_run(h, kernel, (size_t)(last_column - first_column + 1) * TILE, TILE);
    }
}

int main(int argc, char **argv) {
    size_t size = (host_size(argc, argv, 2048) + TILE - 1) / TILE * TILE, side = size + 1;
    int *scores = new_scores(side), *expected = new_scores(side);
    int *similarity = new_similarity(side);
    host h = host_open(KERNEL_FILE, KERNEL_OPTIONS);

    align(&h, scores, similarity, side);
    nw_fill(expected, similarity, size, PENALTY);
    for (size_t i = 0; i < side * side; i++)
        host_expect("score", i, scores[i], expected[i], 0, 0);
    host_report(&h, "letters in each sequence", size);
    host_close(&h);
    free(similarity);
    free(expected);
    free(scores);
    return 0;
}
