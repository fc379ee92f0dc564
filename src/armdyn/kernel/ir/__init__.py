"""One writer of LLVM IR, and the pieces of code that kernels of every form share."""
