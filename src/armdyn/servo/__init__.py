"""Models of position-servoed arms without torque sensors: the servo error weighs the arm."""
