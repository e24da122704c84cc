"""The parts of the benchmarks: a folder for each program of the folder above."""
