"""How far a result can be trusted: hold-out, excitation, bias, verdict, advice."""
