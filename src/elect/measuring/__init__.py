"""Measuring rules on elections, for everything that reports a figure.

- `batches`: elections in batches that fit into memory, the same for the same seed.
- `outcomes`: the winners, the accuracy and the welfare ratio of a rule in each election.
- `targets`: what is right in an election, and how well the best possible rule does.
- `estimates`: figures with 95 % intervals, and how they are written in JSON.
- `evaluation`: a rule compared with its target (`elect.evaluate`).
- `simulation`: several rules on several cultures (`elect.simulate`).
"""
