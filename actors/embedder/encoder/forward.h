/* What the compiled forward pass is told, and how a layer's weights and the room to work in are laid out.
 *
 * A layer's weights are one block: for each of its four products the matrix in whole numbers, then for each of its
 * outputs a scale, the sum of its row times the scale, and the bias; then the weights and biases of its two norms.
 *   matrix  [tile of 64 outputs][four inputs][output of the tile][input of the four]   signed bytes
 * Activations are bytes, too, of each token for itself: its least number, and steps of a 255th of its range.
 * So a product of whole numbers, exact on every processor, and two numbers a token and an output give the output.
 */
#ifndef FORWARD_H
#define FORWARD_H
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TILE 64 /* outputs side by side in a matrix; what sizes must be a multiple of */
#define ALIGNED 64
#define PER_HEAD 32 /* what the numbers of a head must be a multiple of */
#define ROWS 48     /* tokens that take each step together: few enough for the second-level cache */
#define QUERIES 4   /* tokens that look at their sentence together */
#define QUARTERS 4  /* of a tile: each is fetched while a group of tokens takes the tile before */
#define MOST 16384  /* of every size: so that no sum and no product of sizes overflows */

enum { QKV, OUT, UP, DOWN, PRODUCTS };
typedef enum { STORE, ADD, GELU } after; /* what is done with a product: it replaces, or adds to, what was there */
enum { NOWHERE, AVX2, AVX512 }; /* the processors that there are kernels for */

enum {
    FINE,
    NO_BUFFER,
    NOT_ALIGNED,
    WRONG_BYTES,
    WRONG_SIZES,
    WRONG_LENGTHS,
    WRONG_PRODUCT,
    NOT_FINITE,
    NOT_ABLE,
    RULES
};

typedef struct {
    size_t dims, heads, inner; /* of a token's vector; that it is divided into; between `up` and `down` */
} shape;

typedef struct {
    size_t outs, ins;
} sizes;

typedef struct {
    const int8_t *matrix;
    const float *scales, *sums, *bias;
    size_t outs, ins;
} linear;

/* One block of memory for a layer's work. */
typedef struct {
    float *qkv;    /* [token][query, key, value]; the queries make room for what they found */
    float *wide;   /* [ROWS][inner] */
    float *keys;   /* [number of a head][token of the sentence] */
    float *scores; /* [QUERIES][token of the sentence] */
    float *mask;   /* [token of the sentence]: 0, and where there is none so little that its share is 0 */
    float *steps, *least;
    void *codes; /* [ROWS][dims or inner], bytes or, where the processor wants it, twice as wide */
    size_t bytes;
} room;

static inline sizes sizes_of(const shape *of, int product)
{
    const sizes all[PRODUCTS] = {
        {3 * of->dims, of->dims}, {of->dims, of->dims}, {of->inner, of->dims}, {of->dims, of->inner}};
    return all[product];
}

static inline size_t linear_bytes(sizes of)
{
    return of.outs * of.ins + 3 * of.outs * sizeof(float);
}

/* Where a product, or after all products the norms, stand in a layer's block. */
static inline size_t place_of(const shape *of, int product)
{
    size_t place = 0;
    for (int before = 0; before < product; before++)
        place += linear_bytes(sizes_of(of, before));
    return place;
}

static inline size_t layer_bytes(const shape *of)
{
    return place_of(of, PRODUCTS) + 4 * of->dims * sizeof(float);
}

static inline linear linear_of(const shape *of, int product, const char *layer)
{
    sizes size = sizes_of(of, product);
    const char *at = layer + place_of(of, product);
    const float *numbers = (const float *)(at + size.outs * size.ins);
    return (linear){(const int8_t *)at, numbers,  numbers + size.outs, numbers + 2 * size.outs,
                    size.outs,          size.ins};
}

static inline size_t padded(size_t count)
{
    return (count + PER_HEAD - 1) / PER_HEAD * PER_HEAD;
}

static inline room room_of(const shape *of, size_t tokens, size_t longest, char *at)
{
    size_t widest = of->inner > of->dims ? of->inner : of->dims, line = padded(longest) * sizeof(float), place = 0;
    size_t bytes[] = {tokens * 3 * of->dims * sizeof(float),
                      ROWS * of->inner * sizeof(float),
                      of->dims / of->heads * line,
                      QUERIES * line,
                      line,
                      TILE * sizeof(float),
                      TILE * sizeof(float),
                      ROWS * widest * sizeof(uint16_t)};
    char *places[sizeof bytes / sizeof *bytes];
    for (size_t part = 0; part < sizeof bytes / sizeof *bytes; part++) {
        places[part] = at == NULL ? NULL : at + place;
        place += (bytes[part] + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    return (room){(float *)places[0], (float *)places[1], (float *)places[2], (float *)places[3],
                  (float *)places[4], (float *)places[5], (float *)places[6], places[7],
                  place};
}
#endif
