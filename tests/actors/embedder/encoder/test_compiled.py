"""The compiled layers: near those of numpy on every processor, the same in any company, and refusing what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from actors.embedder.encoder import compiled
from actors.embedder.encoder.bert import Bert
from actors.embedder.encoder.compiled import KINDS, CompiledLayers, Kernels, aligned_bytes
from actors.embedder.encoder.plain import PlainLayers
from tests.actors.embedder.encoder.models import POSITIONS, Shape, cosines, sentences_of, weights_of

needs_kernels = pytest.mark.skipif(
    not compiled.is_available(), reason="the build found no C compiler, or the processor has no AVX2"
)
KERNELS = [
    pytest.param(
        kind, id=KINDS[kind], marks=pytest.mark.skipif(compiled.best() < kind, reason=f"not built, or no {KINDS[kind]}")
    )
    for kind in (1, 2)
]
SHAPES = [
    Shape(),
    Shape(dims=384, heads=12, inner=1536, layers=1),
    Shape(dims=192, heads=3, inner=64, layers=3),
    Shape(dims=256, heads=2, inner=320),
]


def bert_of(shape: Shape, kind: int, seed: int = 1) -> Bert:
    """A model whose layers are computed so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "best", lambda: kind)
        bert = Bert(weights_of(shape, seed), layers=shape.layers, heads=shape.heads)
    assert bert.kind == KINDS[kind]
    return bert


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_vectors_are_near_those_of_numpy_whatever_the_shape_and_the_lengths(kind: int, shape: Shape) -> None:
    sentences = sentences_of([1, 2, 3, 5, 16, 17, 31, 32, 33, 49, POSITIONS])

    fast = bert_of(shape, kind).token_vectors(sentences)

    plain = bert_of(shape, 0).token_vectors(sentences)
    assert fast.shape == plain.shape
    assert fast.dtype == np.float32
    assert cosines(fast, plain).min() > 0.999
    assert np.abs(fast - plain).mean() < 0.03


@pytest.mark.parametrize("kind", KERNELS)
@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(1, POSITIONS), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_a_sentence_has_the_same_vectors_to_the_last_bit_in_any_company(
    kind: int, lengths: list[int], seed: int
) -> None:
    bert, sentences = bert_of(Shape(), kind), sentences_of(lengths, seed)

    together = bert.token_vectors(sentences)

    assert np.isfinite(together).all()
    assert np.array_equal(together, np.concatenate([bert.token_vectors([sentence]) for sentence in sentences]))


@pytest.mark.skipif(compiled.best() < 2, reason=f"not built, or no {KINDS[2]}")
def test_all_processors_give_nearly_the_same() -> None:
    shape, sentences = Shape(dims=384, heads=12, inner=1536), sentences_of([20] * 10)

    narrow, wide = (bert_of(shape, kind).token_vectors(sentences) for kind in (1, 2))

    assert cosines(narrow, wide).min() > 0.9999


@needs_kernels
def test_any_number_of_threads_may_compute_at_once() -> None:
    bert = bert_of(Shape(dims=128, heads=4, inner=256), compiled.best())
    texts = [sentences_of([length, 3], length) for length in range(1, 41)]
    alone = [bert.token_vectors(text) for text in texts]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(bert.token_vectors, texts * 10))

    assert all(np.array_equal(vectors, alone[number % 40]) for number, vectors in enumerate(found))


@needs_kernels
def test_weights_that_are_all_equal_or_zero_give_finite_vectors() -> None:
    shape = Shape()
    for value in (0.0, 0.5, -1e-35, 1e3):
        weights = {name: np.full_like(array, value) for name, array in weights_of(shape).items()}
        vectors = Bert(weights, layers=shape.layers, heads=shape.heads).token_vectors(sentences_of([1, 7]))
        assert np.isfinite(vectors).all(), value


@needs_kernels
def test_weights_take_a_byte_each() -> None:
    shape = Shape(dims=384, heads=12, inner=1536, layers=1)
    layers = CompiledLayers.build(weights_of(shape), layers=1, heads=12)
    assert layers is not None
    assert 12 * 384 * 384 < layers.layers[0].nbytes < 1.03 * 12 * 384 * 384


@needs_kernels
def test_it_waits_before_each_layer() -> None:
    asked: list[int] = []
    bert = bert_of(Shape(layers=3), compiled.best())
    bert.token_vectors(sentences_of([4]), lambda: asked.append(1))
    assert len(asked) == 3


def test_a_model_of_another_shape_is_computed_by_numpy(subtests: pytest.Subtests) -> None:
    for shape in [Shape(dims=96, heads=3), Shape(inner=100), Shape(dims=64, heads=4), Shape(dims=192, heads=4)]:
        with subtests.test(shape=shape):
            bert = Bert(weights_of(shape), layers=shape.layers, heads=shape.heads)
            assert isinstance(bert.layers, PlainLayers)
            assert np.isfinite(bert.token_vectors(sentences_of([3, 5]))).all()


def test_a_model_that_sees_more_at_once_than_the_kernels_is_computed_by_numpy() -> None:
    shape, weights = Shape(), weights_of(Shape())
    weights["embeddings.position_embeddings.weight"] = np.zeros((16_385, shape.dims), np.float32)
    assert Bert(weights, layers=shape.layers, heads=shape.heads).kind == "numpy"


def test_where_nothing_is_compiled_numpy_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "built_library", lambda: None)
    assert not compiled.is_available()
    shape = Shape()
    assert Bert(weights_of(shape), layers=shape.layers, heads=shape.heads).kind == "numpy"


def test_numpy_does_the_work_where_it_is_told_to() -> None:
    shape = Shape()
    assert Bert(weights_of(shape), layers=2, heads=2, may_compile=False).kind == "numpy"


@needs_kernels
def test_weights_that_are_not_finite_are_refused(subtests: pytest.Subtests) -> None:
    for name, value in product(
        ["attention.self.key.bias", "intermediate.dense.weight", "output.LayerNorm.weight"], [np.nan, np.inf, -np.inf]
    ):
        with subtests.test(value=value, name=name):
            weights = weights_of(Shape())
            weights[f"encoder.layer.1.{name}"].flat[-1] = value
            with pytest.raises(ValueError, match="weights must be finite"):
                Bert(weights, layers=2, heads=2)


class Bench:
    """Kernels and what they are called with, all sound."""

    def __init__(self) -> None:
        library = compiled.built_library()
        assert library is not None
        self.kernels = Kernels(library, dims=64, heads=2, inner=128, kernels=compiled.best())
        self.odd = Kernels(library, dims=100, heads=2, inner=128, kernels=compiled.best())
        self.future = Kernels(library, dims=64, heads=2, inner=128, kernels=compiled.best() + 1)
        self.none = Kernels(library, dims=64, heads=2, inner=128, kernels=0)
        self.layer = aligned_bytes(self.kernels.layer_bytes)
        self.layer[:] = 0
        self.weights, self.bias = np.zeros((192, 64), np.float32), np.zeros(192, np.float32)
        self.norms = np.zeros(256, np.float32)
        self.state = np.ones((7, 64), np.float32)
        self.room = aligned_bytes(self.kernels.room_bytes(7, 4))

    def lengths(self, *lengths: int) -> NDArray[np.uintp]:
        return np.array(lengths, np.uintp)


WRONG: dict[str, tuple[str, Callable[[Bench], None]]] = {
    "sizes": ("multiples of 64", lambda b: b.odd.pack(0, b.weights, b.bias, b.layer)),
    "sizes of norms": ("multiples of 64", lambda b: b.odd.pack_norms(b.norms, b.layer)),
    "sizes of a run": ("multiples of 64", lambda b: b.odd.run(b.layer, b.state, b.lengths(3, 4), b.room)),
    "no such product": ("four products", lambda b: b.kernels.pack(4, b.weights, b.bias, b.layer)),
    "product -1": ("four products", lambda b: b.kernels.pack(-1, b.weights, b.bias, b.layer)),
    "weights of another product": ("bytes that the sizes", lambda b: b.kernels.pack(1, b.weights, b.bias, b.layer)),
    "short bias": ("bytes that the sizes", lambda b: b.kernels.pack(0, b.weights, b.bias[:-1], b.layer)),
    "short layer": ("bytes that the sizes", lambda b: b.kernels.pack(0, b.weights, b.bias, b.layer[:-64])),
    "layer that is not aligned": (
        "multiple of 64",
        lambda b: b.kernels.pack(0, b.weights, b.bias, shift_block(b.layer)),
    ),
    "short norms": ("bytes that the sizes", lambda b: b.kernels.pack_norms(b.norms[:-1], b.layer)),
    "norms' short layer": ("bytes that the sizes", lambda b: b.kernels.pack_norms(b.norms, b.layer[:-64])),
    "no sentence": ("lengths must be", lambda b: b.kernels.run(b.layer, b.state[:0], b.lengths(), b.room)),
    "a sentence of nothing": ("lengths must be", lambda b: b.kernels.run(b.layer, b.state, b.lengths(7, 0), b.room)),
    "a huge sentence": ("lengths must be", lambda b: b.kernels.run(b.layer, b.state, b.lengths(2**63, 1), b.room)),
    "huge in all": ("lengths must be", lambda b: b.kernels.run(b.layer, b.state, b.lengths(16_384, 1), b.room)),
    "fewer tokens": ("bytes that the sizes", lambda b: b.kernels.run(b.layer, b.state, b.lengths(3, 3), b.room)),
    "more tokens": ("bytes that the sizes", lambda b: b.kernels.run(b.layer, b.state, b.lengths(4, 4), b.room)),
    "run's short layer": (
        "bytes that the sizes",
        lambda b: b.kernels.run(b.layer[:-64], b.state, b.lengths(3, 4), b.room),
    ),
    "short room": ("bytes that the sizes", lambda b: b.kernels.run(b.layer, b.state, b.lengths(3, 4), b.room[:-1])),
    "room that is not aligned": (
        "multiple of 64",
        lambda b: b.kernels.run(b.layer, b.state, b.lengths(3, 4), shift_block(b.room)),
    ),
    "run's layer that is not aligned": (
        "multiple of 64",
        lambda b: b.kernels.run(shift_block(b.layer), b.state, b.lengths(3, 4), b.room),
    ),
    "another processor's kernels": (
        "lacks the instructions",
        lambda b: b.future.run(b.layer, b.state, b.lengths(3, 4), b.room),
    ),
    "no kernels": ("lacks the instructions", lambda b: b.none.run(b.layer, b.state, b.lengths(3, 4), b.room)),
    "another dtype": (
        "must be float32 and contiguous",
        lambda b: b.kernels.run(b.layer, b.state.astype(np.int32), b.lengths(3, 4), b.room),
    ),
    "columns": (
        "must be float32 and contiguous",
        lambda b: b.kernels.pack(0, np.asfortranarray(b.weights), b.bias, b.layer),
    ),
}


def shift_block(block: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """As many bytes, which begin elsewhere."""
    longer = aligned_bytes(block.nbytes + 8)
    return longer[8:]


@needs_kernels
def test_what_is_wrong_is_refused_with_the_rule(subtests: pytest.Subtests) -> None:
    for name in WRONG:
        with subtests.test(name=name):
            words, call = WRONG[name]
            bench = Bench()
            before = bench.state.copy(), bench.layer.copy()

            with pytest.raises(ValueError, match=words):
                call(bench)

            assert np.array_equal(bench.state, before[0])
            assert np.array_equal(bench.layer, before[1])


@needs_kernels
def test_what_is_sound_is_not_refused() -> None:
    bench = Bench()
    bench.kernels.pack(0, bench.weights, bench.bias, bench.layer)
    bench.kernels.pack_norms(bench.norms, bench.layer)
    bench.kernels.run(bench.layer, bench.state, bench.lengths(3, 4), bench.room)
    assert not bench.state.any(), "whatever norms of zeros leave"


@needs_kernels
def test_the_functions_themselves_refuse_missing_buffers() -> None:
    library = compiled.built_library()
    assert library is not None
    assert library.forward_layer_bytes(None) == 0
    assert library.forward_room_bytes(None, 1, 1) == 0
    answers = {
        library.forward_pack(None, 0, None, 0, None, 0, None, 0),
        library.forward_pack_norms(None, None, 0, None, 0),
        library.forward_layer(1, None, None, 0, None),
    }
    assert [library.forward_rule(answer) for answer in answers] == [b"no buffer may be missing"]
    assert library.forward_rule(99) == library.forward_rule(-1) == b"the answer is none of these rules"


@needs_kernels
def test_there_is_no_room_for_impossible_sizes(subtests: pytest.Subtests) -> None:
    for sizes in [(0, 1), (1, 0), (5, 6), (16_385, 5)]:
        with subtests.test(sizes=sizes):
            assert Bench().kernels.room_bytes(*sizes) == 0


def test_a_library_of_other_source_is_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "broken.so").write_bytes(b"")
    assert compiled.load_library(tmp_path / "broken.so") is None
    assert [record.getMessage().partition(",")[0] for record in caplog.records] == [
        "the compiled vectors cannot be loaded"
    ]
    assert compiled.load_library(tmp_path / "none.so") is None
    assert len(caplog.records) == 1
