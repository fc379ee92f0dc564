"""The program: the record of an algorithm that ran on symbolic numbers."""
