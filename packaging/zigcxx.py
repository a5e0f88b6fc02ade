"""The C++ compiler of Zig for another system, called as CMake calls a compiler: zigcxx.py TARGET arguments.

Zig spells x86-64's levels in its own way, and wants them as -mcpu.
"""

import os
import sys

target, *arguments = sys.argv[1:]
arguments = [argument.replace("-march=x86-64-v", "-mcpu=x86_64_v") for argument in arguments]
os.execv(sys.executable, [sys.executable, "-m", "ziglang", "c++", "-target", target, *arguments])
