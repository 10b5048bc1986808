#!/usr/bin/env python3
"""Writes the same small mesh in every format that is read: one element of each shape side by side.

The middle nodes are found by the edges that each format's manual lists, not by permutations, so that
the reader's tables are checked by something else. Run it here to renew the files; the tests read them.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
NODES = {}  # id -> position
ELEMENTS = []  # id, shape, corner ids, {edge: middle id}


def node(x, y, z):
    for i, p in NODES.items():
        if max(abs(p[0] - x), abs(p[1] - y), abs(p[2] - z)) < 1e-12:
            return i
    i = 3 * len(NODES) + 1  # gaps in the numbers
    NODES[i] = (float(x), float(y), float(z))
    return i


def element(shape, corners, quadratic):
    ids = [node(*p) for p in corners]
    middle = {}
    if quadratic:
        for edges in EDGES["abaqus"][shape]:
            a, b = (corners[k] for k in edges)
            middle[frozenset(edges)] = node(*((p + q) / 2 for p, q in zip(a, b)))
    ELEMENTS.append((len(ELEMENTS) * 2 + 11, shape, ids, middle))


EDGES = {
    # Abaqus: Element library, node ordering of C3D10, C3D15, C3D20
    "abaqus": {
        "tet10": [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)],
        "wedge15": [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)],
        "hex20": [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4),
                  (0, 4), (1, 5), (2, 6), (3, 7)],
    },
    # Gmsh manual: node ordering
    "gmsh": {
        "tet10": [(0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3)],
        "wedge15": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5)],
        "hex20": [(0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7),
                  (4, 5), (4, 7), (5, 6), (6, 7)],
    },
    # Nastran: CTETRA, CPENTA, CHEXA
    "nastran": {
        "tet10": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)],
        "wedge15": [(0, 1), (1, 2), (2, 0), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 3)],
        "hex20": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7),
                  (4, 5), (5, 6), (6, 7), (7, 4)],
    },
}


def connectivity(e, program):
    _, shape, corners, middle = e
    return corners + [middle[frozenset(k)] for k in EDGES[program].get(shape, []) if middle]


def build():
    def hexahedron(x):
        return [(x, 0, 0), (x + 1, 0, 0), (x + 1, 1, 0), (x, 1, 0),
                (x, 0, 1), (x + 1, 0, 1), (x + 1, 1, 1), (x, 1, 1)]

    def wedge(x):
        return [(x, 0, 0), (x + 1, 0, 0), (x, 1, 0), (x, 0, 1), (x + 1, 0, 1), (x, 1, 1)]

    def tetrahedron(x):
        return [(x, 0, 0), (x + 1, 0, 0), (x, 1, 0), (x, 0, 1)]

    element("hex8", hexahedron(0), False)
    element("hex8", hexahedron(1), False)
    element("hex20", hexahedron(4), True)
    element("hex20", hexahedron(5), True)
    element("wedge6", wedge(8), False)
    element("wedge15", wedge(10), True)
    element("tet4", tetrahedron(12), False)
    element("tet10", tetrahedron(14.25), True)
    element("quad4", [(16, 0, 0), (17, 0, 0), (17, 1, 0.125), (16, 1, 0)], False)
    element("tri3", [(17, 0, 0), (18, 0, 0), (17, 1, 0.125)], False)
    element("beam2", [(18, 0, 0), (19.5, 0, 0.3333333333333333)], False)


GROUP = {"quad4": "skin", "tri3": "skin", "beam2": "stiffener"}
GMSH = {"beam2": (1, 1), "tri3": (2, 2), "quad4": (3, 2), "tet4": (4, 3), "hex8": (5, 3),
        "wedge6": (6, 3), "tet10": (11, 3), "hex20": (17, 3), "wedge15": (18, 3)}
TAGS = {"body": (3, 1), "skin": (2, 2), "stiffener": (1, 3)}


def write(name, lines):
    with open(os.path.join(HERE, name), "w") as f:
        f.write("\n".join(lines) + "\n")


def gmsh_names():
    return ["$PhysicalNames", "3"] + [f'{d} {t} "{n}"' for n, (d, t) in TAGS.items()] + [
        "$EndPhysicalNames"]


def gmsh22():
    out = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat"] + gmsh_names() + ["$Nodes", str(len(NODES))]
    out += [f"{i} {x!r} {y!r} {z!r}" for i, (x, y, z) in NODES.items()]
    out += ["$EndNodes", "$Elements", str(len(ELEMENTS))]
    for e in ELEMENTS:
        dim, tag = TAGS[GROUP.get(e[1], "body")]
        out.append(" ".join(map(str, [e[0], GMSH[e[1]][0], 2, tag, 1] + connectivity(e, "gmsh"))))
    write("shapes22.msh", out + ["$EndElements"])


def gmsh41():
    out = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat"] + gmsh_names()
    out += ["$Entities", "0 1 1 1", "7 0 0 0 1 1 1 1 3 0", "8 0 0 0 1 1 1 1 2 0",
            "9 0 0 0 1 1 1 1 1 0", "$EndEntities"]
    out += ["$Nodes", f"1 {len(NODES)} 1 {max(NODES)}", f"3 9 0 {len(NODES)}"]
    out += [str(i) for i in NODES] + [f"{x!r} {y!r} {z!r}" for x, y, z in NODES.values()]
    out += ["$EndNodes", "$Elements", f"{len(ELEMENTS)} {len(ELEMENTS)} 1 {ELEMENTS[-1][0]}"]
    for e in ELEMENTS:
        kind, dim = GMSH[e[1]]
        out.append(f"{dim} {6 + dim} {kind} 1")
        out.append(" ".join(map(str, [e[0]] + connectivity(e, "gmsh"))))
    write("shapes41.msh", out + ["$EndElements"])


ABAQUS = {"beam2": "B31", "tri3": "S3", "quad4": "S4R", "tet4": "C3D4", "hex8": "C3D8I",
          "wedge6": "C3D6", "tet10": "C3D10M", "hex20": "C3D20R", "wedge15": "C3D15"}


def abaqus():
    out = ["*HEADING", "one element of each shape", "*NODE, NSET=EVERYTHING"]
    out += [f"{i:8d}, {x!r}, {y!r}, {z!r}" for i, (x, y, z) in NODES.items()]
    for e in ELEMENTS:
        group = GROUP.get(e[1], "body")
        out.append(f"*ELEMENT, TYPE={ABAQUS[e[1]]}, ELSET={group}")
        numbers = [e[0]] + connectivity(e, "abaqus")
        for k in range(0, len(numbers), 16):
            more = "," if k + 16 < len(numbers) else ""
            out.append(", ".join(map(str, numbers[k:k + 16])) + more)
    out += ["*MATERIAL, NAME=STEEL", "*ELASTIC", "2.1E11, 0.3", "*DENSITY", "7850.",
            "*SOLID SECTION, ELSET=body, MATERIAL=STEEL",
            "*SHELL SECTION, ELSET=skin, MATERIAL=STEEL", "0.01",
            "*BEAM SECTION, ELSET=stiffener, MATERIAL=STEEL, SECTION=RECT", "0.02, 0.05",
            "0., 1., 0."]
    write("shapes.inp", out)


NASTRAN = {"beam2": "CBAR", "tri3": "CTRIA3", "quad4": "CQUAD4", "tet4": "CTETRA", "hex8": "CHEXA",
           "wedge6": "CPENTA", "tet10": "CTETRA", "hex20": "CHEXA", "wedge15": "CPENTA"}
PID = {"body": 1, "skin": 2, "stiffener": 3}


def nastran_cards():
    for i, p in NODES.items():
        yield ["GRID", i, "", *p]
    for e in ELEMENTS:
        tail = [0.0, 1.0, 0.0] if e[1] == "beam2" else []
        yield [NASTRAN[e[1]], e[0], PID[GROUP.get(e[1], "body")]] + connectivity(e, "nastran") + tail
    yield ["PSOLID", 1, 7]
    yield ["PSHELL", 2, 7, 0.01, 7]
    yield ["PBARL", 3, 7, "", "BAR", "", "", "", "", 0.05, 0.02]
    yield ["MAT1", 7, 2.1e11, "", 0.3, 7850.0]


def short(v, width):
    """A number in Nastran's own style: as many digits as fit."""
    if not isinstance(v, float):
        return str(v)
    best = None
    for digits in range(1, 18):
        text = f"{v:.{digits}g}" if 1e-3 <= abs(v) < 1e6 or v == 0 else f"{v:.{digits}e}"
        if "e" in text:
            mantissa, exponent = text.split("e")
            mantissa = mantissa.rstrip("0") if "." in mantissa else mantissa + "."
            text = mantissa + f"{int(exponent):+d}"
        elif "." not in text:
            text += "."
        if text.startswith("0.") and len(text) > 2:
            text = text[1:]
        if len(text) <= width:
            best = text
    return best


def fixed(card, width):
    per = 8 if width == 8 else 4
    star = "*" if width == 16 else ""
    fields = [short(v, width) for v in card[1:]]
    lines = []
    for k in range(0, max(len(fields), 1), per):
        head = card[0] + star if k == 0 else ("*" if star else "+")
        lines.append((f"{head:<8}" + "".join(f"{f:>{width}}" for f in fields[k:k + per])).rstrip())
    return lines


def free(card):
    fields = [short(v, 40) for v in card[1:]]
    lines = []
    for k in range(0, max(len(fields), 1), 8):
        head = card[0] if k == 0 else ""
        more = ",+" if k + 8 < len(fields) else ""
        head = head if k == 0 else "+"
        lines.append(",".join([head] + fields[k:k + 8]) + more)
    return lines


def nastran():
    head, tail = ["SOL 103", "CEND", "BEGIN BULK", "$ one element of each shape"], ["ENDDATA"]
    for name, write_card in (("small", lambda c: fixed(c, 8)), ("large", lambda c: fixed(c, 16)),
                             ("free", free)):
        body = [line for card in nastran_cards() for line in write_card(card)]
        write(f"shapes_{name}.bdf", head + body + tail)


build()
gmsh22()
gmsh41()
abaqus()
nastran()
