// A rectangular beam along x, of hexahedra or wedges, centred on the x axis.
// dimension: 3
// sets: beam (volume); left, right (surfaces)
DefineConstant[ length = 1.0 ];          // m, x
DefineConstant[ width = 0.05 ];          // m, y
DefineConstant[ height = 0.1 ];          // m, z
DefineConstant[ along = 20 ];            // elements along x
DefineConstant[ across = 2 ];            // elements along y
DefineConstant[ up = 4 ];                // elements along z
DefineConstant[ order = 2 ];             // 1 or 2
DefineConstant[ wedges = 0 ];            // 1: wedges instead of hexahedra
DefineConstant[ incision = 0 ];          // share of the section that is cut from the top, 0 to 0.9
DefineConstant[ incision_at = 0.5 ];     // share of the length where it is cut
DefineConstant[ incision_width = 0.005 ]; // m, of the cut

// rectangles in the plane y = -width / 2: one, or three below and two above beside the cut
y = -width / 2;
If (incision > 0)
    x() = {0, incision_at * length - incision_width / 2, incision_at * length + incision_width / 2,
           length};
    n() = {Ceil(along * x(1) / length), 1, Ceil(along * (length - x(2)) / length)};
    z() = {-height / 2, height / 2 - incision * height, height / 2};
    m() = {Ceil(up * (1 - incision)), Ceil(up * incision)};
Else
    x() = {0, length};
    n() = {along};
    z() = {-height / 2, height / 2};
    m() = {up};
EndIf
nx = #x() - 1;
nz = #z() - 1;
For k In {0:nz}
    For i In {0:nx}
        Point(1 + i + 10 * k) = {x(i), y, z(k)};
    EndFor
EndFor
For k In {0:nz}
    For i In {0:nx - 1}
        Line(100 + i + 10 * k) = {1 + i + 10 * k, 2 + i + 10 * k};
        Transfinite Curve {100 + i + 10 * k} = n(i) + 1;
    EndFor
EndFor
For k In {0:nz - 1}
    For i In {0:nx}
        Line(200 + i + 10 * k) = {1 + i + 10 * k, 1 + i + 10 * (k + 1)};
        Transfinite Curve {200 + i + 10 * k} = m(k) + 1;
    EndFor
EndFor
faces() = {};
left() = {};
right() = {};
For k In {0:nz - 1}
    For i In {0:nx - 1}
        If (nx == 1 || i != 1 || k == 0)
            s = 300 + i + 10 * k;
            Curve Loop(s) = {100 + i + 10 * k, 200 + i + 1 + 10 * k, -(100 + i + 10 * (k + 1)),
                             -(200 + i + 10 * k)};
            Plane Surface(s) = {s};
            Transfinite Surface {s};
            If (wedges == 0)
                Recombine Surface {s};
            EndIf
            faces() += s;
        EndIf
    EndFor
EndFor
volumes() = {};
For q In {0:#faces() - 1}
    out() = Extrude {0, width, 0} { Surface{faces(q)}; Layers{across}; Recombine; };
    volumes() += out(1);
EndFor
e = 1e-6 * length;
left() = Surface In BoundingBox{-e, -width, -height, e, width, height};
right() = Surface In BoundingBox{length - e, -width, -height, length + e, width, height};
Physical Volume("beam") = {volumes()};
Physical Surface("left") = {left()};
Physical Surface("right") = {right()};

Mesh.ElementOrder = order;
Mesh.SecondOrderIncomplete = 1;
