"""What a person says is wrong with a rule: a model proposes the rule changed, nothing more.

`giving` keeps what was said and starts the job, `given` gathers what a model is shown,
`proposing` asks it, `declares` writes and reads what a proposed rule needs declared.
"""
