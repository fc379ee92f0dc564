"""The writer of LLVM IR, and the code that all kinds of kernels share."""
