"""The recursions as the papers print them, line by line, for counting by the papers' conventions.

These functions compute right numbers: misprints that change numbers are corrected, and said so.
They do not use the cheaper algebra of the other methods. Every result goes through a line of
`Lines`, under the text of the paper's own line; a rotation R v of a general vector takes 8M 4A.
"""
