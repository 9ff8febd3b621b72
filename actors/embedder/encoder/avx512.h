/* What kernels.h needs of a processor with AVX-512 and VNNI: its vectors, and products of bytes, in fours. */
#undef WIDE
#undef WHOLE
#undef ON
#undef V
#undef LANES
#undef VECTOR
#undef INTEGERS
#undef CODE
#undef TOGETHER
#define WIDE static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))
#define WHOLE static __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")))
#define ON(name) name##_avx512
#define V(name) _mm512_##name
#define LANES 16
#define VECTOR __m512
#define INTEGERS __m512i
#define CODE uint8_t
#define TOGETHER 6 /* tokens that a product takes together: as many as there are registers for */

WIDE float sum_avx512(__m512 of)
{
    return _mm512_reduce_add_ps(of);
}

WIDE float greatest_avx512(__m512 of)
{
    return _mm512_reduce_max_ps(of);
}

WIDE __m512 as_numbers_avx512(__m512i bits)
{
    return _mm512_castsi512_ps(bits);
}

WIDE __m512i whole_avx512(const int32_t *numbers)
{
    return _mm512_loadu_si512(numbers);
}

/* Numbers from 0 to 255 as codes. */
WIDE void put_avx512(uint8_t *codes, __m512i numbers)
{
    _mm_storeu_si128((__m128i *)codes, _mm512_cvtepi32_epi8(numbers));
}

/* The products of `rows` tokens' codes with a tile of a matrix, [token][output] into `found`. */
WIDE void tile_avx512(const uint8_t *codes, size_t rows, size_t ins, const int8_t *tile, const int8_t *next,
                      int is_all, int32_t *found)
{
    __m512i sums[TOGETHER][4];
#pragma GCC unroll 6
    for (size_t row = 0; row < rows; row++)
#pragma GCC unroll 6
        for (int part = 0; part < 4; part++)
            sums[row][part] = _mm512_setzero_si512();
    for (size_t in = 0; in < ins; in += 4) {
        const int8_t *at = tile + in * TILE;
        __m512i outputs[4];
#pragma GCC unroll 6
        for (int part = 0; part < 4; part++)
            outputs[part] = _mm512_load_si512(at + 64 * part);
        _mm_prefetch((const char *)(next + in * (TILE / QUARTERS)), _MM_HINT_T1);
        if (is_all)
#pragma GCC unroll 6
            for (int quarter = 1; quarter < QUARTERS; quarter++)
                _mm_prefetch((const char *)(next + (quarter * ins + in) * (TILE / QUARTERS)), _MM_HINT_T1);
#pragma GCC unroll 6
        for (size_t row = 0; row < rows; row++) {
            int32_t four;
            memcpy(&four, codes + row * ins + in, sizeof four);
            __m512i inputs = _mm512_set1_epi32(four);
#pragma GCC unroll 6
            for (int part = 0; part < 4; part++)
                sums[row][part] = _mm512_dpbusd_epi32(sums[row][part], inputs, outputs[part]);
        }
    }
#pragma GCC unroll 6
    for (size_t row = 0; row < rows; row++)
#pragma GCC unroll 6
        for (int part = 0; part < 4; part++)
            _mm512_storeu_si512(found + row * TILE + 16 * part, sums[row][part]);
}

WHOLE void tile_of_avx512(const uint8_t *codes, size_t rows, size_t ins, const int8_t *tile, const int8_t *next,
                          int is_all, int32_t *found)
{
    switch (rows) {
    case 1:
        tile_avx512(codes, 1, ins, tile, next, is_all, found);
        return;
    case 2:
        tile_avx512(codes, 2, ins, tile, next, is_all, found);
        return;
    case 3:
        tile_avx512(codes, 3, ins, tile, next, is_all, found);
        return;
    case 4:
        tile_avx512(codes, 4, ins, tile, next, is_all, found);
        return;
    case 5:
        tile_avx512(codes, 5, ins, tile, next, is_all, found);
        return;
    default:
        tile_avx512(codes, 6, ins, tile, next, is_all, found);
    }
}
