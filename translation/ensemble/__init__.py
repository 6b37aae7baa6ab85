"""Several translators: each statement translated once more, and compared by the solver.

The formalizer drafts declarations and rules. Each further translator is given the same
sentences and the declarations, never the rules. Which translations say the same is for
`policywright` to decide, under sorts and assumptions only. Where they differ the owner
is asked; where a translator failed or abstained, nothing is claimed.
"""
