"""Links that can exist: pseudo-inertias, feasibility, the convex solver."""
