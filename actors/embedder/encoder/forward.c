/* The forward pass of a BERT encoder's layers in whole numbers of eight bits: forward.h says how, kernels.h does it.
 *
 * Nothing is kept between calls, so that any number of threads may call at once. Each call looks at all that it is given
 * and does nothing if a rule of `forward_rule` is broken. What does the same in float32, and is the reference, is
 * plain.py.
 */
#include "forward.h"

/* The version of the functions and structures here that compiled.py calls: another one whenever these change. */
int forward_interface(void)
{
    return 1;
}

/* The rule that a call's answer says is broken. */
const char *forward_rule(int answer)
{
    static const char *const rules[RULES] = {
        "nothing is broken",
        "no buffer may be missing",
        "weights and room must begin at a multiple of 64 bytes, and numbers at one of 4",
        "each buffer must have the bytes that the sizes need",
        "dims and inner must be multiples of 64, dims / heads of 32, and each from 1 to 16384",
        "the lengths must be 1 to 16384 and together the tokens, of which there are 1 to 16384",
        "there are four products",
        "weights must be finite",
        "this processor, or this build, lacks the instructions",
    };
    return answer >= 0 && answer < RULES ? rules[answer] : "the answer is none of these rules";
}

static int has_sizes(const shape *of)
{
    return of->dims >= 1 && of->dims <= MOST && of->dims % TILE == 0 && of->inner >= 1 && of->inner <= MOST &&
           of->inner % TILE == 0 && of->heads >= 1 && of->heads <= of->dims && of->dims % of->heads == 0 &&
           of->dims / of->heads % PER_HEAD == 0;
}

static int is_aligned(const void *buffer)
{
    return (uintptr_t)buffer % ALIGNED == 0;
}

/* Bytes of a layer's weights; 0 if there is no kernel for these sizes. */
size_t forward_layer_bytes(const shape *of)
{
    return of != NULL && has_sizes(of) ? layer_bytes(of) : 0;
}

/* Bytes of the room that a layer's work needs; 0 if there is no kernel for these sizes. */
size_t forward_room_bytes(const shape *of, size_t tokens, size_t longest)
{
    if (of == NULL || !has_sizes(of) || tokens < 1 || tokens > MOST || longest < 1 || longest > tokens)
        return 0;
    return room_of(of, tokens, longest, NULL).bytes;
}

static int has_finite(const float *numbers, size_t count)
{
    for (size_t at = 0; at < count; at++)
        if (!isfinite(numbers[at]))
            return 0;
    return 1;
}

/* Put a product into a layer's block: `weights` are [output][input], as PyTorch keeps them. */
int forward_pack(const shape *of, int product, const float *weights, size_t weights_bytes, const float *bias,
                 size_t bias_bytes, char *layer, size_t bytes)
{
    if (of == NULL || weights == NULL || bias == NULL || layer == NULL)
        return NO_BUFFER;
    if (!has_sizes(of))
        return WRONG_SIZES;
    if (product < 0 || product >= PRODUCTS)
        return WRONG_PRODUCT;
    sizes size = sizes_of(of, product);
    if (weights_bytes != size.outs * size.ins * sizeof(float) || bias_bytes != size.outs * sizeof(float) ||
        bytes != layer_bytes(of))
        return WRONG_BYTES;
    if (!is_aligned(layer))
        return NOT_ALIGNED;
    if (!has_finite(weights, size.outs * size.ins) || !has_finite(bias, size.outs))
        return NOT_FINITE;
    int8_t *matrix = (int8_t *)(layer + place_of(of, product));
    float *scales = (float *)(matrix + size.outs * size.ins), *sums = scales + size.outs;
    memcpy(sums + size.outs, bias, bias_bytes);
    for (size_t out = 0; out < size.outs; out++) {
        const float *row = weights + out * size.ins;
        float most = 0.0f;
        for (size_t in = 0; in < size.ins; in++)
            most = fmaxf(most, fabsf(row[in]));
        float scale = most / 127.0f, inverse = most > 1e-30f ? 127.0f / most : 0.0f;
        int8_t *tile = matrix + out / TILE * TILE * size.ins + out % TILE * 4;
        int32_t sum = 0;
        for (size_t in = 0; in < size.ins; in++) {
            int8_t code = (int8_t)lrintf(row[in] * inverse);
            tile[in / 4 * 4 * TILE + in % 4] = code;
            sum += code;
        }
        scales[out] = scale;
        sums[out] = scale * (float)sum;
    }
    return FINE;
}

/* Put the two norms into a layer's block: `norms` are [norm][weight, bias][dims]. */
int forward_pack_norms(const shape *of, const float *norms, size_t norms_bytes, char *layer, size_t bytes)
{
    if (of == NULL || norms == NULL || layer == NULL)
        return NO_BUFFER;
    if (!has_sizes(of))
        return WRONG_SIZES;
    if (norms_bytes != 4 * of->dims * sizeof(float) || bytes != layer_bytes(of))
        return WRONG_BYTES;
    if (!has_finite(norms, 4 * of->dims))
        return NOT_FINITE;
    memcpy(layer + place_of(of, PRODUCTS), norms, norms_bytes);
    return FINE;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include "avx2.h"
#include "kernels.h"

#include "avx512.h"
#include "kernels.h"

/* The best kernels that this processor, and the system on it, can run: 0 none, 1 for AVX2, 2 for AVX-512 with VNNI. */
int forward_kernels(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return NOWHERE;
    int is_wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512vnni");
    return is_wide ? AVX512 : AVX2;
}

static void run(int kernels, const shape *of, const char *weights, float *state, size_t tokens, const size_t *lengths,
                size_t sentences, const room *in)
{
    if (kernels == AVX512)
        layer_avx512(of, weights, state, tokens, lengths, sentences, in);
    else
        layer_avx2(of, weights, state, tokens, lengths, sentences, in);
}
#else
int forward_kernels(void)
{
    return NOWHERE;
}

static void run(int kernels, const shape *of, const char *weights, float *state, size_t tokens, const size_t *lengths,
                size_t sentences, const room *in)
{
    (void)kernels, (void)of, (void)weights, (void)state, (void)tokens, (void)lengths, (void)sentences, (void)in;
}
#endif

/* What a call of `forward_layer` works on. */
typedef struct {
    float *state; /* [token][dims], sentence after sentence; changed in place */
    size_t state_bytes;
    const size_t *lengths; /* tokens of each sentence */
    size_t sentences;
    char *room;
    size_t room_bytes;
} work;

/* Take the sentences through a layer. */
int forward_layer(int kernels, const shape *of, const char *layer, size_t bytes, const work *on)
{
    size_t tokens = 0, longest = 0;
    if (of == NULL || layer == NULL || on == NULL || on->state == NULL || on->lengths == NULL || on->room == NULL)
        return NO_BUFFER;
    if (!has_sizes(of))
        return WRONG_SIZES;
    if (kernels < AVX2 || kernels > forward_kernels())
        return NOT_ABLE;
    if (on->sentences < 1 || on->sentences > MOST)
        return WRONG_LENGTHS;
    for (size_t number = 0; number < on->sentences; number++) {
        size_t length = on->lengths[number];
        if (length < 1 || length > MOST || tokens + length > MOST)
            return WRONG_LENGTHS;
        tokens += length;
        longest = length > longest ? length : longest;
    }
    if (on->state_bytes != tokens * of->dims * sizeof(float) || bytes != layer_bytes(of))
        return WRONG_BYTES;
    if (on->room_bytes < forward_room_bytes(of, tokens, longest))
        return WRONG_BYTES;
    if (!is_aligned(layer) || !is_aligned(on->room) || (uintptr_t)on->state % sizeof(float) != 0)
        return NOT_ALIGNED;
    room in = room_of(of, tokens, longest, on->room);
    run(kernels, of, layer, on->state, tokens, on->lengths, on->sentences, &in);
    return FINE;
}
