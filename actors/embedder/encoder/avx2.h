/* What kernels.h needs of a processor with AVX2: its vectors, and products of 16-bit numbers, in pairs. */
#undef WIDE
#undef WHOLE
#undef ON
#undef V
#undef LANES
#undef VECTOR
#undef INTEGERS
#undef CODE
#undef TOGETHER
#define WIDE static inline __attribute__((always_inline, target("avx2,fma")))
#define WHOLE static __attribute__((target("avx2,fma")))
#define ON(name) name##_avx2
#define V(name) _mm256_##name
#define LANES 8
#define VECTOR __m256
#define INTEGERS __m256i
#define CODE uint16_t
#define TOGETHER 3 /* tokens that a product takes together: as many as there are registers for */

WIDE float sum_avx2(__m256 of)
{
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(of), _mm256_extractf128_ps(of, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}

WIDE float greatest_avx2(__m256 of)
{
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(of), _mm256_extractf128_ps(of, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}

WIDE __m256 as_numbers_avx2(__m256i bits)
{
    return _mm256_castsi256_ps(bits);
}

WIDE __m256i whole_avx2(const int32_t *numbers)
{
    return _mm256_loadu_si256((const __m256i *)numbers);
}

/* Numbers from 0 to 255 as codes. */
WIDE void put_avx2(uint16_t *codes, __m256i numbers)
{
    __m256i halves = _mm256_permute4x64_epi64(_mm256_packus_epi32(numbers, numbers), 0x08);
    _mm_storeu_si128((__m128i *)codes, _mm256_castsi256_si128(halves));
}

/* The products of `rows` tokens' codes with a tile of a matrix: 16 outputs at a time, [token][output] into `found`. */
WIDE void tile_avx2(const uint16_t *codes, size_t rows, size_t ins, const int8_t *tile, const int8_t *next, int is_all, int32_t *found)
{
    for (size_t part = 0; part < TILE; part += 16) {
        __m256i sums[TOGETHER][4];
#pragma GCC unroll 6
        for (size_t row = 0; row < rows; row++)
#pragma GCC unroll 6
            for (int four = 0; four < 4; four++)
                sums[row][four] = _mm256_setzero_si256();
        for (size_t in = 0; in < ins; in += 4) {
            const int8_t *at = tile + in * TILE + part * 4;
            __m256i inputs[TOGETHER];
#pragma GCC unroll 6
            for (size_t row = 0; row < rows; row++) {
                int64_t four;
                memcpy(&four, codes + row * ins + in, sizeof four);
                inputs[row] = _mm256_set1_epi64x(four);
            }
#pragma GCC unroll 6
            for (int four = 0; four < 4; four++) {
                __m256i outputs = _mm256_cvtepi8_epi16(_mm_load_si128((const __m128i *)(at + 16 * four)));
#pragma GCC unroll 6
                for (size_t row = 0; row < rows; row++)
                    sums[row][four] = _mm256_add_epi32(sums[row][four], _mm256_madd_epi16(inputs[row], outputs));
            }
            if (part == 0 || is_all)
                _mm_prefetch((const char *)(next + (in + part * (ins / QUARTERS)) * (TILE / QUARTERS)), _MM_HINT_T1);
        }
#pragma GCC unroll 6
        for (size_t row = 0; row < rows; row++)
#pragma GCC unroll 6
            for (int pair = 0; pair < 2; pair++) {
                __m256i both = _mm256_hadd_epi32(sums[row][2 * pair], sums[row][2 * pair + 1]);
                both = _mm256_permute4x64_epi64(both, 0xd8);
                _mm256_storeu_si256((__m256i *)(found + row * TILE + part + 8 * pair), both);
            }
    }
}

WHOLE void tile_of_avx2(const uint16_t *codes, size_t rows, size_t ins, const int8_t *tile, const int8_t *next,
                        int is_all, int32_t *found)
{
    switch (rows) {
    case 1:
        tile_avx2(codes, 1, ins, tile, next, is_all, found);
        return;
    case 2:
        tile_avx2(codes, 2, ins, tile, next, is_all, found);
        return;
    default:
        tile_avx2(codes, 3, ins, tile, next, is_all, found);
    }
}
