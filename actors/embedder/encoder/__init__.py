"""Encoder: the forward pass of a small BERT.

Read `bert.py` first (from token ids to states), then `plain.py` (the layers in numpy, the reference), then
`compiled.py` and forward.c (the same in eight-bit integers; forward.h has their layout, kernels.h the steps, avx2.h and
avx512.h the parts that differ between processors). No module writes files or owns threads. Pure: `bert.py`, `plain.py`,
and `compiled.py` but for its library.
"""
