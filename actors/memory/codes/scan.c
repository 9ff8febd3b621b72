/* Upper bounds of all cosines to a question, from the codes that domain/memory/vector_codes.py describes, in one pass.
 *
 * Codes come in blocks of 32 vectors, so that one instruction serves them all:
 *   heads  [block][pair of directions][vector][2]      signed bytes
 *   signs  [block][column][vector % 16][vector / 16]   bytes, each the signs of eight directions
 * The rest is one after the other. What does the same with numpy, and is the reference, is `plain_bounds` in scan.py.
 *
 * Half a byte of signs is looked up in a table of its sixteen possible products with the question, rounded so that two
 * of them fit into a byte, and as many of these as there are columns into 16 bits.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define VECTORS 32
#define AHEAD 4096 /* bytes that are fetched into the cache before their turn: else each pass waits for the memory */

typedef struct {
    const int16_t *head;   /* the question's head: one number for each byte of a vector's */
    const uint8_t *tables; /* [pair of columns][low or high half][column][twice][16] */
    float head_step, sign_step, sign_base;
    float head_error, sign_error, table_error, constant;
} question;

typedef struct {
    const int8_t *heads;
    const uint8_t *signs;
    const uint16_t *factors;
    const uint8_t *head_errors, *sign_errors;
    size_t count, pairs, columns;
} codes;

typedef struct {
    const uint8_t *asked; /* whether each vector is asked about: if not, its bound is minus infinity */
    float *uppers;
} bounds;

typedef struct {
    int32_t head[VECTORS];
    uint16_t signs[VECTORS];
} products;

/* Records of the second file, one after the other, and where in each the fine codes are. */
typedef struct {
    const uint8_t *records;
    size_t count, size, head, fine, factor;
    size_t heads, fines; /* bytes of a head and of fine codes */
} details;

/* The version of the functions and structures here that scan.py calls: another one whenever these change. */
int scan_interface(void)
{
    return 2;
}

/* Read `count` records of `size` bytes from their places in a file; what cannot be read is zeros. */
void scan_read(int file, const int64_t *places, size_t count, size_t size, uint8_t *into)
{
    for (size_t record = 0; record < count; record++, into += size) {
        ssize_t had = pread(file, into, size, (off_t)places[record]);
        size_t whole = had < 0 ? 0 : (size_t)had;
        memset(into + whole, 0, size - whole);
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define WIDE __attribute__((target("avx2,fma")))

WIDE static void head_products(const int8_t *heads, size_t pairs, const question *asked, products *found)
{
    __m256i sums[4];
    for (int part = 0; part < 4; part++)
        sums[part] = _mm256_setzero_si256();
    for (size_t pair = 0; pair < pairs; pair++, heads += 2 * VECTORS) {
        __m256i both = _mm256_set1_epi32(((const int32_t *)asked->head)[pair]);
        _mm_prefetch((const char *)heads + AHEAD, _MM_HINT_T0);
        for (int part = 0; part < 4; part++) {
            __m128i narrow = _mm_loadu_si128((const __m128i *)(heads + 16 * part));
            sums[part] = _mm256_add_epi32(sums[part], _mm256_madd_epi16(both, _mm256_cvtepi8_epi16(narrow)));
        }
    }
    for (int part = 0; part < 4; part++)
        _mm256_storeu_si256((__m256i *)(found->head + 8 * part), sums[part]);
}

WIDE static void sign_products(const uint8_t *signs, size_t columns, const question *asked, products *found)
{
    const uint8_t *table = asked->tables;
    const __m256i half = _mm256_set1_epi8(15);
    __m256i all = _mm256_setzero_si256(), odd = all; /* all: of the even vectors, plus 256 times that of the odd */
    for (size_t column = 0; column < columns; column++, signs += VECTORS) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)signs);
        _mm_prefetch((const char *)signs + AHEAD, _MM_HINT_T0);
        __m256i low = _mm256_and_si256(bytes, half);
        __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
        __m256i sums = _mm256_add_epi8(_mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)table), low),
                                       _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(table + 64)), high));
        all = _mm256_add_epi16(all, sums);
        odd = _mm256_add_epi16(odd, _mm256_srli_epi16(sums, 8));
        table += column % 2 ? 96 : 32;
    }
    _mm256_storeu_si256((__m256i *)found->signs, _mm256_sub_epi16(all, _mm256_slli_epi16(odd, 8)));
    _mm256_storeu_si256((__m256i *)(found->signs + VECTORS / 2), odd);
}

/* Bounds of `count` vectors from `first` on; minus infinity for what is not asked about. */
WIDE static void finish(const products *found, const codes *of, size_t first, size_t count, const question *asked,
                        const bounds *into)
{
    const uint8_t *restrict wanted = into->asked + first;
    float *restrict uppers = into->uppers + first;
    const uint16_t *factors = of->factors + first;
    const uint8_t *head_errors = of->head_errors + first, *sign_errors = of->sign_errors + first;
    const question q = *asked;
    for (size_t vector = 0; vector < count; vector++) {
        float factor = (float)factors[vector];
        float head_error = (float)head_errors[vector], sign_error = (float)sign_errors[vector];
        float product = q.head_step * (float)found->head[vector] +
                        factor * (q.sign_step * (float)found->signs[vector] + q.sign_base);
        float upper = product + (q.head_error * head_error * head_error + q.sign_error * sign_error * sign_error +
                                 q.table_error * factor + q.constant);
        uppers[vector] = wanted[vector] ? upper : -INFINITY;
    }
}

/* Whether this processor can do it. */
int scan_is_able(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/* Fill `into`: a place for each vector. */
WIDE void scan(const codes *of, const question *asked, bounds *into)
{
    products found;
    for (size_t first = 0; first < of->count; first += VECTORS) {
        size_t count = of->count - first < VECTORS ? of->count - first : VECTORS;
        head_products(of->heads + first * 2 * of->pairs, of->pairs, asked, &found);
        sign_products(of->signs + first * of->columns, of->columns, asked, &found);
        finish(&found, of, first, count, asked, into);
    }
}

WIDE static __m256 eight(const uint8_t *bytes)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)bytes)));
}

/* What a record's fine codes say of its vector: `of->heads` numbers, then up to twice `of->fines`. */
WIDE static void decode(const details *of, size_t record, float head_step, float middle, size_t dims, float *into)
{
    const uint8_t *at = of->records + record * of->size, *fine = at + of->fine;
    const int8_t *head = (const int8_t *)(at + of->head);
    float factor, *tail = into + of->heads;
    memcpy(&factor, at + of->factor, sizeof factor);
    for (size_t byte = 0; byte < of->heads; byte++)
        into[byte] = (float)head[byte] * head_step;
    size_t pairs = (dims - of->heads) / 2, byte = 0;
    const __m256 scale = _mm256_set1_ps(factor), base = _mm256_set1_ps(middle * factor);
    for (; byte + 8 <= pairs; byte += 8) {
        uint64_t both, half = 0x0f0f0f0f0f0f0f0f, low, high;
        memcpy(&both, fine + byte, sizeof both);
        low = both & half, high = both >> 4 & half;
        __m256 lows = _mm256_fmsub_ps(eight((const uint8_t *)&low), scale, base);
        __m256 highs = _mm256_fmsub_ps(eight((const uint8_t *)&high), scale, base);
        __m256 even = _mm256_unpacklo_ps(lows, highs), odd = _mm256_unpackhi_ps(lows, highs);
        _mm256_storeu_ps(tail + 2 * byte, _mm256_permute2f128_ps(even, odd, 0x20));
        _mm256_storeu_ps(tail + 2 * byte + 8, _mm256_permute2f128_ps(even, odd, 0x31));
    }
    for (; byte < of->fines; byte++) {
        tail[2 * byte] = ((float)(fine[byte] & 15) - middle) * factor;
        if (byte < pairs)
            tail[2 * byte + 1] = ((float)(fine[byte] >> 4) - middle) * factor;
    }
}

WIDE static float multiply(const float *vector, const float *other, size_t dims)
{
    size_t whole = dims / 8 * 8;
    __m256 sums = _mm256_setzero_ps();
    for (size_t place = 0; place < whole; place += 8)
        sums = _mm256_fmadd_ps(_mm256_loadu_ps(vector + place), _mm256_loadu_ps(other + place), sums);
    float lanes[8], sum = 0.0f;
    _mm256_storeu_ps(lanes, sums);
    for (int lane = 0; lane < 8; lane++)
        sum += lanes[lane];
    for (size_t place = whole; place < dims; place++)
        sum += vector[place] * other[place];
    return sum;
}

/* The product of each record, decoded, with a vector. `decoded` has room for a vector. */
WIDE void scan_fine(const details *of, float head_step, float middle, const float *vector, size_t dims,
                    float *decoded, float *found)
{
    for (size_t record = 0; record < of->count; record++) {
        decode(of, record, head_step, middle, dims, decoded);
        found[record] = multiply(decoded, vector, dims);
    }
}
#else
int scan_is_able(void)
{
    return 0;
}

void scan(const codes *of, const question *asked, bounds *into)
{
    (void)of, (void)asked, (void)into;
}

void scan_fine(const details *of, float head_step, float middle, const float *vector, size_t dims, float *decoded,
               float *found)
{
    (void)of, (void)head_step, (void)middle, (void)vector, (void)dims, (void)decoded, (void)found;
}
#endif
