"""Rolled programs as LLVM IR: loops over the joints."""
