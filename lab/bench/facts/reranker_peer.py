"""Stand-in for the reranker that the peer downloads, for a machine without that network: laid where it would be found.

Runs as a script in an environment that has `onnx`, with two arguments: the folder of an all-MiniLM-L6-v2, and the
$HF_HOME with which the peer is then started, and $HF_HUB_OFFLINE=1. It is a cross-encoder of the original's size and
layers (6 of 384, so that it takes as long), with the weights of the model in the folder; what it scores is the share of
the question's tokens that stand in the text, 0 for half of them.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = "Xenova/ms-marco-MiniLM-L-6-v2"
REVISION = "0" * 40
TOKENIZER = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")
LAYERS, HEADS, WIDTH = 6, 12, 384
SPECIAL_IDS = 1_000
"""Token ids below are no words."""
STEEPNESS = 12.0


class Graph:
    """ONNX graph that grows by one operation at a time."""

    def __init__(self, onnx: Any) -> None:
        self._onnx = onnx
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def constant(self, value: Any, kind: type = np.float32) -> str:
        """Name of a constant."""
        name = f"c{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Name of an operation's result."""
        name = f"n{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def save(self, inputs: tuple[str, ...], output: str, path: Path) -> None:
        """Write the model; inputs are (texts, tokens) of int64, its output (texts, 1)."""
        make, kind = self._onnx.helper, self._onnx.TensorProto
        self._nodes.append(make.make_node("Identity", [output], ["logits"]))
        graph = make.make_graph(
            self._nodes,
            "reranker",
            [make.make_tensor_value_info(name, kind.INT64, ["texts", "tokens"]) for name in inputs],
            [make.make_tensor_value_info("logits", kind.FLOAT, ["texts", 1])],
            self._constants,
        )
        model = make.make_model(graph, opset_imports=[make.make_opsetid("", 20)], ir_version=10)
        self._onnx.checker.check_model(model)
        self._onnx.save(model, str(path))


def encoded(graph: Graph, weights: dict[str, Any]) -> str:
    """The last hidden states, (texts, tokens, width)."""
    words = graph.add("Gather", graph.constant(weights["embeddings.word_embeddings.weight"]), "input_ids")
    places = graph.add(
        *("Slice", graph.constant(weights["embeddings.position_embeddings.weight"]), graph.constant([0], np.int64)),
        graph.add("Slice", graph.add("Shape", "input_ids"), *(graph.constant([n], np.int64) for n in (1, 2))),
    )
    kinds = graph.add("Gather", graph.constant(weights["embeddings.token_type_embeddings.weight"]), "token_type_ids")
    state = _normed(graph, weights, "embeddings.LayerNorm", graph.add("Add", graph.add("Add", words, places), kinds))
    seen = graph.add("Cast", graph.add("Unsqueeze", "attention_mask", graph.constant([1, 2], np.int64)), to=1)
    hidden = graph.add("Mul", graph.add("Sub", seen, graph.constant(1)), graph.constant(1e4))
    for layer in range(LAYERS):
        state = _through(graph, weights, f"encoder.layer.{layer}.", state, hidden)
    return state


def _through(graph: Graph, weights: dict[str, Any], prefix: str, state: str, hidden: str) -> str:
    query, key, value = (
        _by_head(graph, _dense(graph, weights, f"{prefix}attention.self.{part}", state), order)
        for part, order in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3)))
    )
    scale = graph.constant((WIDTH / HEADS) ** -0.5)
    scores = graph.add("Add", graph.add("Mul", graph.add("MatMul", query, key), scale), hidden)
    mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), value)
    flat = graph.add("Reshape", graph.add("Transpose", mixed, perm=(0, 2, 1, 3)), graph.constant([0, 0, -1], np.int64))
    out = graph.add("Add", _dense(graph, weights, f"{prefix}attention.output.dense", flat), state)
    state = _normed(graph, weights, f"{prefix}attention.output.LayerNorm", out)
    wide = graph.add("Gelu", _dense(graph, weights, f"{prefix}intermediate.dense", state))
    out = graph.add("Add", _dense(graph, weights, f"{prefix}output.dense", wide), state)
    return _normed(graph, weights, f"{prefix}output.LayerNorm", out)


def _by_head(graph: Graph, rows: str, order: tuple[int, ...]) -> str:
    shaped = graph.add("Reshape", rows, graph.constant([0, 0, HEADS, WIDTH // HEADS], np.int64))
    return graph.add("Transpose", shaped, perm=order)


def _dense(graph: Graph, weights: dict[str, Any], name: str, rows: str) -> str:
    product = graph.add("MatMul", rows, graph.constant(weights[f"{name}.weight"].T))
    return graph.add("Add", product, graph.constant(weights[f"{name}.bias"]))


def _normed(graph: Graph, weights: dict[str, Any], name: str, rows: str) -> str:
    scale, bias = (graph.constant(weights[f"{name}.{part}"]) for part in ("weight", "bias"))
    return graph.add("LayerNormalization", rows, scale, bias, axis=-1, epsilon=1e-12)


def scored(graph: Graph, state: str) -> str:
    """Logits, to which the hidden states add too little to matter."""
    is_word = graph.add("Greater", "input_ids", graph.constant(SPECIAL_IDS, np.int64))
    is_text = graph.add("Cast", "token_type_ids", to=9)
    asked = graph.add("Cast", graph.add("And", is_word, graph.add("Not", is_text)), to=1)
    told = graph.add("Cast", graph.add("And", is_word, is_text), to=1)
    last, middle = (graph.constant([axis], np.int64) for axis in (2, 1))
    same = graph.add("Equal", graph.add("Unsqueeze", "input_ids", last), graph.add("Unsqueeze", "input_ids", middle))
    found = graph.add("Mul", graph.add("Cast", same, to=1), graph.add("Unsqueeze", told, middle))
    hits = graph.add("Mul", graph.add("ReduceMax", found, last, keepdims=0), asked)
    axis = graph.constant([1], np.int64)
    count = graph.add("Max", graph.add("ReduceSum", asked, axis, keepdims=1), graph.constant(1))
    share = graph.add("Div", graph.add("ReduceSum", hits, axis, keepdims=1), count)
    logit = graph.add("Mul", graph.add("Sub", share, graph.constant(0.5)), graph.constant(STEEPNESS))
    mean = graph.add("ReduceMean", state, graph.constant([1, 2], np.int64), keepdims=0)
    return graph.add("Add", logit, graph.add("Mul", graph.add("Unsqueeze", mean, axis), graph.constant(1e-6)))


def tensors(path: Path) -> dict[str, Any]:
    """Weights by their names: a header in JSON, and float32s."""
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    return {
        name: np.frombuffer(data[begin + each["data_offsets"][0] : begin + each["data_offsets"][1]], "<f4").reshape(
            each["shape"]
        )
        for name, each in header.items()
        if name.startswith(("embeddings.", "encoder.")) and each["dtype"] == "F32"
    }


def lay(model: Path, home: Path) -> None:
    """Make the model, and lay it with its tokenizer where the hub's library looks for it."""
    import onnx  # type: ignore[import-not-found]  # installed in the environment that runs this, not in ours

    root = home / "hub" / f"models--{REPOSITORY.replace('/', '--')}"
    folder = root / "snapshots" / REVISION
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    (root / "refs").mkdir(exist_ok=True)
    (root / "refs" / "main").write_text(REVISION)
    for name in TOKENIZER:
        shutil.copyfile(model / name, folder / name)
    graph = Graph(onnx)
    state = encoded(graph, tensors(model / "model.safetensors"))
    names = ("input_ids", "attention_mask", "token_type_ids")
    graph.save(names, scored(graph, state), folder / "onnx" / "model.onnx")
    sys.stdout.write(json.dumps({"HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}) + "\n")


if __name__ == "__main__":
    lay(Path(sys.argv[1]), Path(sys.argv[2]))
