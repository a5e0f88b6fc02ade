"""The C++ compiler of Zig for another system, called as CMake calls a compiler: zigcxx.py TARGET arguments.

Zig spells x86-64's levels in its own way, and wants them as -mcpu. The routines use headers of the standard library
alone: without its compiled part nothing is linked, and Zig need not compile that first.
"""

import os
import sys

target, *arguments = sys.argv[1:]
arguments = [argument.replace("-march=x86-64-v", "-mcpu=x86_64_v") for argument in arguments]
if "-c" not in arguments:
    arguments.append("-nostdlib++")
os.execv(sys.executable, [sys.executable, "-m", "ziglang", "c++", "-target", target, *arguments])
