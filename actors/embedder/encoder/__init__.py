"""Encoder: the forward pass of a small BERT.

Read `bert.py` first (from token ids to states), then `plain.py` (the layers in numpy, the reference), then
`compiled.py` and forward.c (the same in whole numbers of eight bits; forward.h says how these are laid out, kernels.h
does the steps, avx2.h and avx512.h are what differs between processors).
Nobody writes files or owns threads. Pure: `bert.py`, `plain.py`, and `compiled.py` but for its library.
"""
