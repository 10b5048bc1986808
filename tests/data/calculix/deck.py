#!/usr/bin/env python3
"""Makes CalculiX decks of the same boxes as Klingel's `mesh: {box: ...}` and runs them.

    deck.py CASE [FOLDER]      writes CASE.inp, runs ccx, prints a table as CSV
"""
import math, os, subprocess, sys

TET_ORDER = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)]
TET_EDGE = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
CORNER = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]


class Box:
    """Nodes on a grid of half cells, elements cell by cell, as src/mesh/box_mesh.c has them."""

    def __init__(self, size, parts, radius=0.0, tets=False):
        self.size, self.parts, self.radius = size, parts, radius
        self.node, self.x, self.elements = {}, [], []
        for i in range(parts[0]):
            for j in range(parts[1]):
                for k in range(parts[2]):
                    self.tetrahedra((i, j, k)) if tets else self.hexahedron((i, j, k))

    def at(self, i):
        if i not in self.node:
            x = self.size[0] * i[0] / (2 * self.parts[0])
            y = self.size[1] * (i[1] / (2 * self.parts[1]) - 0.5)
            z = self.size[2] * (i[2] / (2 * self.parts[2]) - 0.5)
            if self.radius:
                turn, r = x / self.radius, self.radius + z
                x, z = r * math.sin(turn), r * math.cos(turn) - self.radius
            self.x.append((x, y, z))
            self.node[i] = len(self.x)
        return self.node[i]

    def hexahedron(self, c):
        self.elements.append([self.at(tuple(2 * (c[k] + o[k]) for k in range(3))) for o in CORNER])

    def tetrahedra(self, c):
        for t, order in enumerate(TET_ORDER):
            p = [tuple(2 * v for v in c)]
            for a in range(3):
                p.append(tuple(p[-1][k] + (2 if order[a] == k else 0) for k in range(3)))
            if t > 2:
                p[1], p[2] = p[2], p[1]
            nodes = [self.at(q) for q in p]
            nodes += [self.at(tuple((p[a][k] + p[b][k]) // 2 for k in range(3))) for a, b in TET_EDGE]
            self.elements.append(nodes)

    def face(self, k, end):
        top = 2 * self.parts[k]
        return [n for i, n in self.node.items() if i[k] == end * top]


def deck(box, element, material, extra, step):
    out = ["*NODE, NSET=ALL"]
    out += ["%d, %.15g, %.15g, %.15g" % (i + 1, *x) for i, x in enumerate(box.x)]
    out += ["*ELEMENT, TYPE=%s, ELSET=BOX" % element]
    for i, e in enumerate(box.elements):
        out.append("%d, %s" % (i + 1, ", ".join(map(str, e))))
    out += material + ["*SOLID SECTION, ELSET=BOX, MATERIAL=M"] + extra + step
    return "\n".join(out) + "\n"


def nset(name, nodes):
    return ["*NSET, NSET=%s" % name] + ["%d," % n for n in nodes]


def elastic(E, nu, plastic=None, hardening=""):
    out = ["*MATERIAL, NAME=M", "*ELASTIC", "%g, %g" % (E, nu)]
    if plastic:
        out.append("*PLASTIC" + hardening)
        out += ["%g, %g" % (stress, strain) for strain, stress in plastic]
    return out


def run(name, text):
    with open(name + ".inp", "w") as f:
        f.write(text)
    log = subprocess.run(["ccx", name], capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if "Job finished" not in log.stdout:
        sys.exit(name + ": ccx failed\n" + log.stdout[-2000:])
    return tables(name + ".dat")


def tables(path):
    """Blocks of a .dat file: title, time, rows of numbers (node first)."""
    blocks, now = [], None
    for line in open(path):
        words = line.split()
        if "time" in words and len(words) > 3:
            now = [line.strip(), float(words[-1]), []]
            blocks.append(now)
        elif now is not None and words:
            try:
                now[2].append([float(w) for w in words])
            except ValueError:
                pass
    return blocks
