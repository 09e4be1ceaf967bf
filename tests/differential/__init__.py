"""A differential fuzzer of whole klimt jobs.

It makes random tables and settings, runs the command, and checks what comes out against the definitions, written again
here: slowly, in exact fractions, sharing no code with the engine or the verifier. CONTRIBUTING.md says how to run it.

generate   random cases                     values     what raw and published texts stand for
case       a case: files, command line      formats    CSV dialects, gzip, Parquet, Arrow
reference  requirements, by definition      losses     information losses, by definition
check      what must hold of a release      mutate     damaged releases, which `verify` must judge as we do
metamorphic  changes that change nothing    store      histories of a store
recoding   saved functions and `apply`      shrink     the smallest case that still fails
"""
