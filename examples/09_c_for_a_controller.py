"""C99: the functions of an arm for a controller, with a self-test of recorded vectors."""

import shutil
import subprocess

import armdyn

arm = armdyn.load("puma560")
paths = arm.export_c("c", ["gravity", "inverse_dynamics"], single=True)
for path in paths:
    print(path, path.stat().st_size, "bytes")

compiler = shutil.which("cc")
if compiler:
    sources = [str(path) for path in paths if path.suffix == ".c"]
    subprocess.run([compiler, "-std=c99", "-O2", *sources, "-lm", "-o", "selftest"], check=True)
    print(subprocess.run(["./selftest"], check=True, capture_output=True, text=True).stdout)
