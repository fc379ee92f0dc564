"""Capsules that stand for the links of an arm, planes, and the clearances between them."""
