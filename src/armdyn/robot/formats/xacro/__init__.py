"""xacro, URDF with macros: expanded by the packages `xacrodoc` and `xacro`, then read as URDF."""
