// A welded bogie frame of hollow boxes, of tetrahedra.
// x along the track, y to the left, z up; the origin in the middle of the frame. Two side frames
// carry a pad below them over each axle (primary springs) and one on top in the middle (secondary
// springs); a transom between every two axles joins them, the first with a pad for the pivot on top.
// The incision is a vertical cut from the top through the weld between the first transom and the
// right side frame.
// dimension: 3
// sets: frame (volume); primary-1-left, primary-1-right, ... (axle 1 in front), secondary-left,
// sets: secondary-right, pivot: the faces of the pads
SetFactory("OpenCASCADE");
DefineConstant[ axles = 2 ];              // 2 or 3
DefineConstant[ wheelbase = 2.5 ];        // m, between neighbouring axles
DefineConstant[ overhang = 0.45 ];        // m, of the side frames beyond the outer axles
DefineConstant[ track = 2.0 ];            // m, between the axes of the side frames
DefineConstant[ width = 0.2 ];            // m, of a side frame
DefineConstant[ height = 0.26 ];          // m, of a side frame
DefineConstant[ transom_width = 0.32 ];   // m, along x
DefineConstant[ transom_height = 0.2 ];   // m
DefineConstant[ wall = 0.014 ];           // m, thickness of all walls
DefineConstant[ pad = 0.16 ];             // m, side of a square pad
DefineConstant[ pad_height = 0.03 ];      // m
DefineConstant[ size = 0.06 ];            // m, of an element
DefineConstant[ order = 2 ];              // 1 or 2
DefineConstant[ incision = 0 ];           // share of the transom's section area that is cut, 0 to 0.9
DefineConstant[ incision_width = 0.01 ];  // m, of the cut

t = wall;
span = (axles - 1) * wheelbase;
length = span + 2 * overhang;
inner = track / 2 - width / 2;
solids() = {};
holes() = {};

// side frames: boxes with closed ends
For s In {-1:1:2}
    v = newv;
    Box(v) = {-length / 2, s * track / 2 - width / 2, -height / 2, length, width, height};
    solids() += v;
    v = newv;
    Box(v) = {-length / 2 + t, s * track / 2 - width / 2 + t, -height / 2 + t,
              length - 2 * t, width - 2 * t, height - 2 * t};
    holes() += v;
EndFor

// transoms: one in the middle of each pair of axles
For i In {1:axles - 1}
    x = span / 2 - (i - 0.5) * wheelbase;
    v = newv;
    Box(v) = {x - transom_width / 2, -inner, -transom_height / 2,
              transom_width, 2 * inner, transom_height};
    solids() += v;
    v = newv;
    Box(v) = {x - transom_width / 2 + t, -inner, -transom_height / 2 + t,
              transom_width - 2 * t, 2 * inner, transom_height - 2 * t};
    holes() += v;
EndFor

// pads: primary below, secondary on top, pivot on top of the first transom
For i In {1:axles}
    x = span / 2 - (i - 1) * wheelbase;
    For s In {-1:1:2}
        v = newv;
        Box(v) = {x - pad / 2, s * track / 2 - pad / 2, -height / 2 - pad_height, pad, pad, pad_height};
        solids() += v;
    EndFor
EndFor
For s In {-1:1:2}
    v = newv;
    Box(v) = {-pad / 2, s * track / 2 - pad / 2, height / 2, pad, pad, pad_height};
    solids() += v;
EndFor
px = span / 2 - wheelbase / 2;
v = newv;
Box(v) = {px - pad / 2, -pad / 2, transom_height / 2, pad, pad, pad_height};
solids() += v;

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
    Box(v) = {px - transom_width, -inner, transom_height / 2 - depth,
              2 * transom_width, incision_width, 2 * depth};
    holes() += v;
EndIf

others() = solids();
others() -= solids(0);
joined() = BooleanUnion{ Volume{solids(0)}; Delete; }{ Volume{others()}; Delete; };
body() = BooleanDifference{ Volume{joined()}; Delete; }{ Volume{holes()}; Delete; };
Physical Volume("frame") = {body()};

e = 1e-5 * length;
h = pad / 2 + e;
For i In {1:axles}
    x = span / 2 - (i - 1) * wheelbase;
    z = -height / 2 - pad_height;
    face() = Surface In BoundingBox{x - h, track / 2 - h, z - e, x + h, track / 2 + h, z + e};
    Physical Surface(Sprintf("primary-%g-left", i)) = {face()};
    face() = Surface In BoundingBox{x - h, -track / 2 - h, z - e, x + h, -track / 2 + h, z + e};
    Physical Surface(Sprintf("primary-%g-right", i)) = {face()};
EndFor
z = height / 2 + pad_height;
face() = Surface In BoundingBox{-h, track / 2 - h, z - e, h, track / 2 + h, z + e};
Physical Surface("secondary-left") = {face()};
face() = Surface In BoundingBox{-h, -track / 2 - h, z - e, h, -track / 2 + h, z + e};
Physical Surface("secondary-right") = {face()};
z = transom_height / 2 + pad_height;
face() = Surface In BoundingBox{px - h, -h, z - e, px + h, h, z + e};
Physical Surface("pivot") = {face()};

Mesh.CharacteristicLengthMin = 0.5 * size;
Mesh.CharacteristicLengthMax = size;
Mesh.ElementOrder = order;
Mesh.SecondOrderLinear = 1;
Mesh.Optimize = 1;
