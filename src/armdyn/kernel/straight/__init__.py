"""Straight-line programs as LLVM IR: fuse, order, spill, store, emit."""
