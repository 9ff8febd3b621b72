/* A layer's steps, for the vectors of the processor that was described just before; forward.c takes this in for each. */

/* The exponential of numbers that are not above 88; below -87 it is about 1e-38. Cephes' polynomial, to 2e-7. */
WIDE VECTOR ON(exponential)(VECTOR of)
{
    VECTOR x = V(max_ps)(V(min_ps)(of, V(set1_ps)(88.0f)), V(set1_ps)(-87.0f));
    INTEGERS whole = V(cvtps_epi32)(V(mul_ps)(x, V(set1_ps)(1.44269504f)));
    VECTOR power = V(cvtepi32_ps)(whole);
    x = V(fnmadd_ps)(power, V(set1_ps)(0.693359375f), x);
    x = V(fnmadd_ps)(power, V(set1_ps)(-2.12194440e-4f), x);
    VECTOR sum = V(set1_ps)(1.9875691500e-4f);
    sum = V(fmadd_ps)(sum, x, V(set1_ps)(1.3981999507e-3f));
    sum = V(fmadd_ps)(sum, x, V(set1_ps)(8.3334519073e-3f));
    sum = V(fmadd_ps)(sum, x, V(set1_ps)(4.1665795894e-2f));
    sum = V(fmadd_ps)(sum, x, V(set1_ps)(1.6666665459e-1f));
    sum = V(fmadd_ps)(sum, x, V(set1_ps)(5.0000001201e-1f));
    sum = V(fmadd_ps)(V(mul_ps)(x, x), sum, V(add_ps)(x, V(set1_ps)(1.0f)));
    INTEGERS exponent = V(slli_epi32)(V(add_epi32)(whole, V(set1_epi32)(127)), 23);
    return V(mul_ps)(sum, ON(as_numbers)(exponent));
}

/* The exact GELU to five digits: x / (1 + exp(-2 x p(x * x))), with the polynomial of plain.py. */
WIDE VECTOR ON(gelu)(VECTOR x)
{
    VECTOR square = V(mul_ps)(x, x), sum = V(set1_ps)(1.1191860e-6f), one = V(set1_ps)(1.0f);
    sum = V(fmadd_ps)(sum, square, V(set1_ps)(-3.0582765e-5f));
    sum = V(fmadd_ps)(sum, square, V(set1_ps)(-1.2485302e-4f));
    sum = V(fmadd_ps)(sum, square, V(set1_ps)(3.6468782e-2f));
    sum = V(fmadd_ps)(sum, square, V(set1_ps)(7.9782814e-1f));
    sum = V(mul_ps)(V(mul_ps)(sum, x), V(set1_ps)(-2.0f));
    return V(div_ps)(x, V(add_ps)(one, ON(exponential)(sum)));
}

/* Codes of a token's numbers, and what they mean: `least` plus so many of `step`. */
WIDE void ON(encode)(const float *numbers, size_t count, CODE *codes, float *step, float *least)
{
    VECTOR low = V(loadu_ps)(numbers), high = low, zero = V(setzero_ps)();
    for (size_t at = LANES; at < count; at += LANES) {
        VECTOR some = V(loadu_ps)(numbers + at);
        low = V(min_ps)(low, some);
        high = V(max_ps)(high, some);
    }
    float bottom = -ON(greatest)(V(sub_ps)(zero, low)), range = ON(greatest)(high) - bottom;
    VECTOR inverse = V(set1_ps)(range > 1e-30f ? 255.0f / range : 0.0f), from = V(set1_ps)(bottom);
    for (size_t at = 0; at < count; at += LANES) {
        VECTOR above = V(sub_ps)(V(loadu_ps)(numbers + at), from);
        ON(put)(codes + at, V(cvtps_epi32)(V(mul_ps)(above, inverse)));
    }
    *step = range / 255.0f;
    *least = bottom;
}

WIDE void ON(finish)(const int32_t *found, const linear *by, size_t tile, float step, float least, after kind,
                     float *into)
{
    VECTOR steps = V(set1_ps)(step), lows = V(set1_ps)(least);
    for (size_t part = 0; part < TILE; part += LANES) {
        size_t out = tile + part;
        VECTOR whole = V(cvtepi32_ps)(ON(whole)(found + part));
        VECTOR other = V(fmadd_ps)(lows, V(loadu_ps)(by->sums + out), V(loadu_ps)(by->bias + out));
        VECTOR value = V(fmadd_ps)(whole, V(mul_ps)(steps, V(loadu_ps)(by->scales + out)), other);
        if (kind == ADD)
            value = V(add_ps)(value, V(loadu_ps)(into + out));
        if (kind == GELU)
            value = ON(gelu)(value);
        V(storeu_ps)(into + out, value);
    }
}

/* Products of `rows` tokens' codes with a matrix, each token's into a row of `into`, which are `stride` apart. */
WIDE void ON(multiply)(const room *in, size_t rows, const linear *by, after kind, float *into, size_t stride)
{
    int32_t found[TOGETHER * TILE] __attribute__((aligned(ALIGNED)));
    const CODE *codes = in->codes;
    size_t groups = (rows + TOGETHER - 1) / TOGETHER;
    for (size_t tile = 0; tile < by->outs; tile += TILE) {
        const int8_t *matrix = by->matrix + tile * by->ins;
        for (size_t group = 0; group < groups; group++) {
            size_t first = group * rows / groups, count = (group + 1) * rows / groups - first;
            const int8_t *next = tile + TILE < by->outs ? matrix + TILE * by->ins : matrix;
            if (group < QUARTERS)
                next += group * by->ins * (TILE / QUARTERS);
            ON(tile_of)(codes + first * by->ins, count, by->ins, matrix, next, groups < QUARTERS, found);
            for (size_t row = 0; row < count; row++)
                ON(finish)(found + row * TILE, by, tile, in->steps[first + row], in->least[first + row], kind,
                           into + (first + row) * stride);
        }
    }
}

WHOLE void ON(multiply_store)(const room *in, size_t rows, const linear *by, float *into, size_t stride)
{
    ON(multiply)(in, rows, by, STORE, into, stride);
}

WHOLE void ON(multiply_add)(const room *in, size_t rows, const linear *by, float *into, size_t stride)
{
    ON(multiply)(in, rows, by, ADD, into, stride);
}

WHOLE void ON(multiply_gelu)(const room *in, size_t rows, const linear *by, float *into, size_t stride)
{
    ON(multiply)(in, rows, by, GELU, into, stride);
}

WHOLE void ON(encode_rows)(const float *numbers, size_t rows, size_t count, size_t stride, const room *in)
{
    for (size_t row = 0; row < rows; row++)
        ON(encode)(numbers + row * stride, count, (CODE *)in->codes + row * count, in->steps + row, in->least + row);
}

/* Layer norm of each row, in place. */
WHOLE void ON(normalise)(float *numbers, size_t rows, size_t dims, const float *norm)
{
    for (size_t row = 0; row < rows; row++, numbers += dims) {
        VECTOR sum = V(setzero_ps)(), squares = sum;
        for (size_t at = 0; at < dims; at += LANES)
            sum = V(add_ps)(sum, V(loadu_ps)(numbers + at));
        VECTOR mean = V(set1_ps)(ON(sum)(sum) / (float)dims);
        for (size_t at = 0; at < dims; at += LANES) {
            VECTOR beside = V(sub_ps)(V(loadu_ps)(numbers + at), mean);
            squares = V(fmadd_ps)(beside, beside, squares);
        }
        VECTOR inverse = V(set1_ps)(1.0f / sqrtf(ON(sum)(squares) / (float)dims + 1e-12f));
        for (size_t at = 0; at < dims; at += LANES) {
            VECTOR beside = V(mul_ps)(V(sub_ps)(V(loadu_ps)(numbers + at), mean), inverse);
            V(storeu_ps)(numbers + at, V(fmadd_ps)(beside, V(loadu_ps)(norm + at), V(loadu_ps)(norm + dims + at)));
        }
    }
}

/* Scores of QUERIES tokens of a sentence, whose rows of the head begin at `query`, and what the keys say. */
WIDE void ON(score)(const float *const *query, const room *in, size_t width, size_t length)
{
    size_t line = padded(length);
    for (size_t key = 0; key < line; key += 2 * LANES) {
        VECTOR sums[QUERIES][2];
        for (int row = 0; row < QUERIES; row++)
            sums[row][0] = V(loadu_ps)(in->mask + key), sums[row][1] = V(loadu_ps)(in->mask + key + LANES);
        for (size_t number = 0; number < width; number++) {
            VECTOR first = V(loadu_ps)(in->keys + number * line + key);
            VECTOR second = V(loadu_ps)(in->keys + number * line + key + LANES);
            for (int row = 0; row < QUERIES; row++) {
                VECTOR all = V(set1_ps)(query[row][number]);
                sums[row][0] = V(fmadd_ps)(all, first, sums[row][0]);
                sums[row][1] = V(fmadd_ps)(all, second, sums[row][1]);
            }
        }
        for (int row = 0; row < QUERIES; row++) {
            V(storeu_ps)(in->scores + row * line + key, sums[row][0]);
            V(storeu_ps)(in->scores + row * line + key + LANES, sums[row][1]);
        }
    }
}

/* Shares of a line of scores, scaled: exponentials, not yet divided by their sum, of which the inverse is the answer. */
WIDE float ON(share)(float *scores, size_t length, float scale)
{
    size_t line = padded(length);
    VECTOR most = V(loadu_ps)(scores), sum = V(setzero_ps)(), by = V(set1_ps)(scale);
    for (size_t key = LANES; key < line; key += LANES)
        most = V(max_ps)(most, V(loadu_ps)(scores + key));
    VECTOR greatest = V(set1_ps)(ON(greatest)(most));
    for (size_t key = 0; key < line; key += LANES) {
        VECTOR below = V(sub_ps)(V(loadu_ps)(scores + key), greatest);
        VECTOR shares = ON(exponential)(V(mul_ps)(below, by));
        sum = V(add_ps)(sum, shares);
        V(storeu_ps)(scores + key, shares);
    }
    return 1.0f / ON(sum)(sum);
}

/* The values of a sentence's tokens by the shares of QUERIES of its tokens, into the places of their queries. */
WIDE void ON(gather)(const float *values, size_t stride, const room *in, size_t width, size_t length,
                     const float *inverse, float *const *into)
{
    size_t line = padded(length);
    for (size_t number = 0; number < width; number += 2 * LANES) {
        VECTOR sums[QUERIES][2];
        for (int row = 0; row < QUERIES; row++)
            sums[row][0] = sums[row][1] = V(setzero_ps)();
        for (size_t token = 0; token < length; token++) {
            VECTOR first = V(loadu_ps)(values + token * stride + number);
            VECTOR second = V(loadu_ps)(values + token * stride + number + LANES);
            for (int row = 0; row < QUERIES; row++) {
                VECTOR share = V(set1_ps)(in->scores[row * line + token]);
                sums[row][0] = V(fmadd_ps)(share, first, sums[row][0]);
                sums[row][1] = V(fmadd_ps)(share, second, sums[row][1]);
            }
        }
        for (int row = 0; row < QUERIES; row++) {
            VECTOR by = V(set1_ps)(inverse[row]);
            V(storeu_ps)(into[row] + number, V(mul_ps)(sums[row][0], by));
            V(storeu_ps)(into[row] + number + LANES, V(mul_ps)(sums[row][1], by));
        }
    }
}

/* The keys of a head, [token][number], turned into lines of one number of all tokens; beyond these the last one's. */
WIDE void ON(turn)(const float *keys, size_t stride, size_t width, size_t length, float *into)
{
    size_t line = padded(length);
    for (size_t token = 0; token < line; token += 4) {
        const float *from[4];
        for (size_t place = 0; place < 4; place++)
            from[place] = keys + (token + place < length ? token + place : length - 1) * stride;
        for (size_t number = 0; number < width; number += 4) {
            __m128 a = _mm_loadu_ps(from[0] + number), b = _mm_loadu_ps(from[1] + number);
            __m128 c = _mm_loadu_ps(from[2] + number), d = _mm_loadu_ps(from[3] + number);
            _MM_TRANSPOSE4_PS(a, b, c, d);
            _mm_storeu_ps(into + number * line + token, a);
            _mm_storeu_ps(into + (number + 1) * line + token, b);
            _mm_storeu_ps(into + (number + 2) * line + token, c);
            _mm_storeu_ps(into + (number + 3) * line + token, d);
        }
    }
}

/* Attention of one head in one sentence, whose first token's query begins at `query`. */
WHOLE void ON(attend)(float *query, const shape *of, const room *in, size_t length)
{
    size_t width = of->dims / of->heads, stride = 3 * of->dims, line = padded(length);
    float scale = 1.0f / sqrtf((float)width);
    ON(turn)(query + of->dims, stride, width, length, in->keys);
    for (size_t first = 0; first < length; first += QUERIES) {
        float *rows[QUERIES], inverse[QUERIES];
        for (size_t row = 0; row < QUERIES; row++)
            rows[row] = query + (first + row < length ? first + row : length - 1) * stride;
        ON(score)((const float *const *)rows, in, width, length);
        for (int row = 0; row < QUERIES; row++)
            inverse[row] = ON(share)(in->scores + row * line, length, scale);
        ON(gather)(query + 2 * of->dims, stride, in, width, length, inverse, rows);
    }
}

/* A layer: `state` is [token][dims], sentence after sentence, and is changed in place. */
WHOLE void ON(layer)(const shape *of, const char *weights, float *state, size_t tokens, const size_t *lengths,
                     size_t sentences, const room *in)
{
    linear qkv = linear_of(of, QKV, weights), out = linear_of(of, OUT, weights);
    linear up = linear_of(of, UP, weights), down = linear_of(of, DOWN, weights);
    const float *norms = (const float *)(weights + place_of(of, PRODUCTS));
    size_t dims = of->dims, stride = 3 * dims;
    for (size_t first = 0; first < tokens; first += ROWS) {
        size_t rows = tokens - first < ROWS ? tokens - first : ROWS;
        ON(encode_rows)(state + first * dims, rows, dims, dims, in);
        ON(multiply_store)(in, rows, &qkv, in->qkv + first * stride, stride);
    }
    float *sentence = in->qkv;
    for (size_t number = 0; number < sentences; sentence += lengths[number++] * stride) {
        for (size_t key = 0; key < padded(lengths[number]); key++)
            in->mask[key] = key < lengths[number] ? 0.0f : -1e30f;
        for (size_t head = 0; head < dims; head += dims / of->heads)
            ON(attend)(sentence + head, of, in, lengths[number]);
    }
    for (size_t first = 0; first < tokens; first += ROWS) {
        size_t rows = tokens - first < ROWS ? tokens - first : ROWS;
        float *part = state + first * dims;
        ON(encode_rows)(in->qkv + first * stride, rows, dims, stride, in);
        ON(multiply_add)(in, rows, &out, part, dims);
        ON(normalise)(part, rows, dims, norms);
        ON(encode_rows)(part, rows, dims, dims, in);
        ON(multiply_gelu)(in, rows, &up, in->wide, of->inner);
        ON(encode_rows)(in->wide, rows, of->inner, of->inner, in);
        ON(multiply_add)(in, rows, &down, part, dims);
        ON(normalise)(part, rows, dims, norms + 2 * dims);
    }
}
