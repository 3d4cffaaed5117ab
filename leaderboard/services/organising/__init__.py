"""Services of organisers: challenges, phases, references, judging, rescoring."""
