// An H frame of hollow boxes, of tetrahedra: two long members along x, one transom between them.
// dimension: 3
// sets: frame (volume); ends (the four end faces of the long members)
SetFactory("OpenCASCADE");
DefineConstant[ length = 3.6 ];         // m, of the long members, x
DefineConstant[ track = 2.0 ];          // m, between the axes of the long members, y
DefineConstant[ width = 0.2 ];          // m, of a long member
DefineConstant[ height = 0.24 ];        // m, of a long member
DefineConstant[ transom_width = 0.3 ];  // m, along x
DefineConstant[ transom_height = 0.2 ]; // m
DefineConstant[ wall = 0.015 ];         // m, thickness of all walls
DefineConstant[ size = 0.06 ];          // m, of an element
DefineConstant[ order = 2 ];            // 1 or 2
DefineConstant[ incision = 0 ];         // share of the transom's section area that is cut, 0 to 0.9
DefineConstant[ incision_width = 0.01 ]; // m, of the cut, at the right end of the transom

inner = track / 2 - width / 2;
t = wall;
solids() = {};
holes() = {};
For s In {-1:1:2}
    v = newv;
    Box(v) = {-length / 2, s * track / 2 - width / 2, -height / 2, length, width, height};
    solids() += v;
    v = newv;
    Box(v) = {-length / 2 + t, s * track / 2 - width / 2 + t, -height / 2 + t,
              length - 2 * t, width - 2 * t, height - 2 * t};
    holes() += v;
EndFor
v = newv;
Box(v) = {-transom_width / 2, -inner, -transom_height / 2, transom_width, 2 * inner, transom_height};
solids() += v;
v = newv;
Box(v) = {-transom_width / 2 + t, -inner, -transom_height / 2 + t,
          transom_width - 2 * t, 2 * inner, transom_height - 2 * t};
holes() += v;
If (incision > 0)
    // depth from the top at which the hollow section has lost the share: flange, webs, flange
    area = transom_width * transom_height - (transom_width - 2 * t) * (transom_height - 2 * t);
    cut = incision * area;
    If (cut <= transom_width * t)
        depth = cut / transom_width;
    ElseIf (cut <= transom_width * t + 2 * t * (transom_height - 2 * t))
        depth = t + (cut - transom_width * t) / (2 * t);
    Else
        depth = transom_height - (area - cut) / transom_width;
    EndIf
    v = newv;
    Box(v) = {-transom_width, -inner, transom_height / 2 - depth,
              2 * transom_width, incision_width, 2 * depth};
    holes() += v;
EndIf
joined() = BooleanUnion{ Volume{solids(0)}; Delete; }{ Volume{solids(1), solids(2)}; Delete; };
body() = BooleanDifference{ Volume{joined()}; Delete; }{ Volume{holes()}; Delete; };

e = 1e-6 * length;
ends() = Surface In BoundingBox{-length / 2 - e, -track, -height, -length / 2 + e, track, height};
ends() += Surface In BoundingBox{length / 2 - e, -track, -height, length / 2 + e, track, height};
Physical Volume("frame") = {body()};
Physical Surface("ends") = {ends()};

Mesh.CharacteristicLengthMin = size;
Mesh.CharacteristicLengthMax = size;
Mesh.ElementOrder = order;
Mesh.SecondOrderLinear = 1;
Mesh.Optimize = 1;
