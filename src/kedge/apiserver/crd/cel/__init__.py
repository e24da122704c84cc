"""CEL as Kubernetes speaks it: parse, check types, estimate cost, evaluate.

It follows cel-go closely, so that what it refuses, and the words in which it does so, are the same.
"""
