#!/usr/bin/env python3
"""Reference paths from CalculiX: cases.py CASE > CASE.csv, in a scratch folder."""
import math, sys
from deck import *

# residual to 1e-8 of the mean force instead of 5e-3, which leaves bending far from balance
TIGHT = ["*CONTROLS, PARAMETERS=FIELD", "1e-8, 1e-6, 0., 0., 0.02, 1e-5, 1e-3, 1e-8"]

def rigid_tip(box, load, steps, extra_step=None):
    """x0 clamped, x1 rigid with a dead load on its reference node at its middle."""
    ref, rot = len(box.x) + 1, len(box.x) + 2
    tip = box.face(0, 1)
    mid = [sum(box.x[n - 1][k] for n in tip) / len(tip) for k in range(3)]
    extra = ["*NODE"] + ["%d, %.15g, %.15g, %.15g" % (n, *mid) for n in (ref, rot)]
    extra += nset("ROOT", box.face(0, 0)) + nset("TIP", tip) + nset("REF", [ref, rot])
    extra += ["*RIGID BODY, NSET=TIP, REF NODE=%d, ROT NODE=%d" % (ref, rot), "*BOUNDARY", "ROOT, 1, 3"]
    step = []
    for total in steps:
        step += ["*STEP, NLGEOM, INC=1000", "*STATIC", "0.1, 1., 1e-6, 0.1"] + TIGHT + ["*CLOAD, OP=NEW"]
        step += ["%d, %d, %.15g" % (ref, d, f * total) for d, f in load]
        step += ["*NODE PRINT, NSET=REF, FREQUENCY=1000", "U", "*END STEP"]
    return extra, step

def cantilever(element, parts):
    """Cantilever 1 m x 20 mm x 10 mm, E 210 GPa, nu 0.3, dead tip force up to 3 EI/L^2 along z"""
    box = Box((1.0, 0.02, 0.01), parts, tets=element == "C3D10")
    EI = 210e9 * 0.02 * 0.01**3 / 12
    loads = [EI * f for f in (0.5, 1, 1.5, 2, 2.5, 3)]
    extra, step = rigid_tip(box, [(3, 1.0)], loads)
    blocks = run("cantilever", deck(box, element, elastic(210e9, 0.3), extra, step))
    return ["force_N", "x_m", "z_m"], [[f, b[2][0][1], b[2][0][3]] for f, b in zip(loads, blocks)]

def ring(element, parts):
    """Slit annular plate, inner radius 60 mm, outer 100 mm, 2 mm thick, E 210 GPa, nu 0.3: one end of
    the slit clamped, the other rigid and lifted"""
    R = 0.08
    box = Box((2 * math.pi * R * 0.98, 0.002, 0.04), parts, radius=R, tets=element == "C3D10")
    loads = [50.0, 100.0, 200.0, 400.0]
    extra, step = rigid_tip(box, [(2, 1.0)], loads)
    blocks = run("ring", deck(box, element, elastic(210e9, 0.3), extra, step))
    return ["force_N", "x_m", "y_m", "z_m"], [[f] + b[2][0][1:4] for f, b in zip(loads, blocks)]

def arch(element, parts):
    """Shallow clamped arch, radius 1 m, 0.4 m long, 20 mm wide, 4 mm high, E 70 GPa, nu 0.3: the middle
    section pushed down by given amounts, reaction force of the whole section"""
    R, L = 1.0, 0.4
    box = Box((L, 0.02, 0.004), parts, radius=R, tets=element == "C3D10")
    middle = [n for i, n in box.node.items() if i[0] == box.parts[0]]
    extra = nset("ENDS", box.face(0, 0) + box.face(0, 1)) + nset("MID", middle) + ["*BOUNDARY", "ENDS, 1, 3"]
    # in the axes of the middle section
    step, downs = [], [0.004 * k for k in range(1, 13)]
    for d in downs:
        c, s = math.cos(0.5 * L / R), math.sin(0.5 * L / R)
        step += ["*STEP, NLGEOM, INC=1000", "*STATIC", "0.25, 1., 1e-6, 0.25"] + TIGHT + ["*BOUNDARY"]
        step += ["MID, 3, 3, %.15g" % (-d * c), "MID, 1, 1, %.15g" % (-d * s), "MID, 2, 2, 0."]
        step += ["*NODE PRINT, NSET=MID, TOTALS=ONLY, FREQUENCY=1000", "RF", "*END STEP"]
    blocks = run("arch", deck(box, element, elastic(70e9, 0.3), extra, step))
    out = []
    for d, b in zip(downs, blocks):
        fx, fy, fz = b[2][0][:3]
        out.append([d, -(fz * c + fx * s)])
    return ["down_m", "force_N"], out

def bar(element, parts):
    """Bar 100 x 10 x 10 mm held rigidly at both ends, pulled beyond yield and released; table of true stress, isotropic"""
    box = Box((0.1, 0.01, 0.01), parts, tets=element == "C3D10")
    table = [(0, 250e6), (0.02, 300e6), (0.1, 360e6), (0.5, 500e6)]
    extra = nset("X0", box.face(0, 0)) + nset("X1", box.face(0, 1))
    extra += ["*BOUNDARY", "X0, 1, 3", "X1, 2, 3"]
    step, pulls = [], [1e-4, 5e-4, 2e-3, 5e-3, 1e-2, 9.9e-3]
    for p in pulls:
        step += ["*STEP, NLGEOM, INC=1000", "*STATIC", "0.1, 1., 1e-6, 0.1"] + TIGHT + ["*BOUNDARY", "X1, 1, 1, %.15g" % p]
        step += ["*NODE PRINT, NSET=X1, TOTALS=ONLY, FREQUENCY=1000", "RF", "*END STEP"]
    blocks = run("bar", deck(box, element, elastic(210e9, 0.3, table), extra, step))
    return ["pull_m", "force_N"], [[p, b[2][0][0]] for p, b in zip(pulls, blocks)]

def bending(element, parts):
    """Cantilever 1 m x 20 mm x 40 mm, E 200 GPa, nu 0.3, bilinear (yield 250 MPa, slope 2 GPa), tip force to
    1.4 of the first yield load, then released"""
    box = Box((1.0, 0.02, 0.04), parts, tets=element == "C3D10")
    table = [(0, 250e6), (0.1, 450e6)]
    Py = 250e6 * 0.02 * 0.04**2 / 6
    loads = [Py * f for f in (0.5, 1.0, 1.2, 1.4, 0.7, 0.0)]
    extra, step = rigid_tip(box, [(3, 1.0)], loads)
    blocks = run("bending", deck(box, element, elastic(200e9, 0.3, table), extra, step))
    return ["force_N", "x_m", "z_m"], [[f, b[2][0][1], b[2][0][3]] for f, b in zip(loads, blocks)]

def tube(element, parts):
    """Open cylinder, radius 4.953 m, length 10.35 m, wall 94 mm, E 10.5 MPa, nu 0.3125, pulled at two opposite
    points by up to 10 kN; one eighth with three planes of symmetry. At about 20 kN the sides snap inwards:
    steps of the load do not follow the path there"""
    R, L = 4.953, 10.35
    box = Box((0.5 * math.pi * R, 0.5 * L, 0.094), parts, radius=R, tets=element == "C3D10")
    top, side = box.node[(0, 0, 1)], box.node[(2 * parts[0], 0, 1)]
    # the box lies from y = -L/4 to L/4: its plane y = -L/4 is the middle of the cylinder
    extra = nset("X0", box.face(0, 0)) + nset("X1", box.face(0, 1)) + nset("Y0", box.face(1, 0))
    extra += nset("SEE", [top, side]) + ["*BOUNDARY", "X0, 1, 1", "X1, 3, 3", "Y0, 2, 2"]
    step, loads = [], [2e3, 4e3, 6e3, 8e3, 10e3]
    for total in loads:
        step += ["*STEP, NLGEOM, INC=1000", "*STATIC", "0.2, 1., 1e-6, 0.2"] + TIGHT
        step += ["*CLOAD, OP=NEW", "%d, 3, %.15g" % (top, 0.25 * total)]
        step += ["*NODE PRINT, NSET=SEE, FREQUENCY=1000", "U", "*END STEP"]
    blocks = run("tube", deck(box, element, elastic(10.5e6, 0.3125), extra, step))
    out = []
    for f, b in zip(loads, blocks):
        u = {int(row[0]): row[1:4] for row in b[2]}
        out.append([f, u[top][2], -u[side][0]])
    return ["force_N", "up_m", "in_m"], out

def block(element, parts):
    """Block 1 m x 0.4 m x 0.4 m, one end clamped, the other moved sideways by 10 mm in one load step, for speed"""
    box = Box((1.0, 0.4, 0.4), parts, tets=element == "C3D10")
    extra = nset("X0", box.face(0, 0)) + nset("X1", box.face(0, 1)) + ["*BOUNDARY", "X0, 1, 3", "X1, 1, 2"]
    step = ["*STEP, NLGEOM, INC=1000", "*STATIC", "1., 1., 1e-6, 1."] + TIGHT + ["*BOUNDARY", "X1, 3, 3, 0.01"]
    step += ["*NODE PRINT, NSET=X1, TOTALS=ONLY, FREQUENCY=1000", "RF", "*END STEP"]
    blocks = run("block", deck(box, element, elastic(210e9, 0.3), extra, step))
    return ["down_m", "force_N"], [[0.01, blocks[0][2][0][2]]]

CASES = {"block": block, "cantilever": cantilever, "ring": ring, "arch": arch, "bar": bar, "bending": bending, "tube": tube}

if __name__ == "__main__":
    name, element, parts = sys.argv[1], sys.argv[2], tuple(int(v) for v in sys.argv[3].split("x"))
    head, rows = CASES[name](element, parts)
    print("# %s; CalculiX 2.20, %s, %s elements" % (" ".join(CASES[name].__doc__.split()), element, sys.argv[3]))
    print(",".join(head))
    for r in rows:
        print(",".join("%.9g" % v for v in r))
