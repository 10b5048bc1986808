// A welded bogie frame of hollow boxes, of tetrahedra.
// x along the track, y to the left, z up; the origin in the middle of the frame. Two side frames
// carry a pad below them over each axle (primary springs) and one or two on top (secondary springs);
// a transom between every two axles joins them, the first with a pad for the pivot on top. Pads for
// traction motors lie on the vertical faces of the transoms: motor 1 in front of the first transom,
// motor 2 in front of the last one (with 2 axles: behind it), motor 3 behind the last one.
// The incision is a vertical cut from the top through the weld between a transom and a side frame.
// dimension: 3
// sets: frame (volume); primary-1-left, primary-1-right, ... (axle 1 in front), secondary-left,
// sets: secondary-right (two on each side: secondary-1-left in front, ...), pivot, motor-1, ...: the faces of the pads
SetFactory("OpenCASCADE");
DefineConstant[ axles = 2 ];              // 2 or 3
DefineConstant[ wheelbase = 2.5 ];        // m, between neighbouring axles
DefineConstant[ overhang = 0.45 ];        // m, of the side frames beyond the outer axles
DefineConstant[ track = 2.0 ];            // m, between the axes of the side frames
DefineConstant[ width = 0.2 ];            // m, of a side frame
DefineConstant[ height = 0.26 ];          // m, of a side frame
DefineConstant[ transom_width = 0.32 ];   // m, along x
DefineConstant[ transom_height = 0.2 ];   // m
DefineConstant[ wall = 0.014 ];           // m, thickness of the walls
DefineConstant[ transom_wall = 0 ];       // m, thickness of the walls of transoms; 0: as `wall`
DefineConstant[ pad = 0.16 ];             // m, side of a square pad
DefineConstant[ pad_height = 0.03 ];      // m
DefineConstant[ seats = 1 ];              // secondary pads on each side frame, 1 or 2
DefineConstant[ seat_distance = 1.0 ];    // m, between two secondary pads on one side
DefineConstant[ motors = 0 ];             // 1: pads for the traction motors
DefineConstant[ motor_pad = 0.16 ];       // m, height of a motor pad
DefineConstant[ motor_width = 0.16 ];     // m, width of a motor pad
DefineConstant[ size = 0.06 ];            // m, of an element
DefineConstant[ weld_size = 0 ];          // m, of an element at the corners of a transom's weld; 0: as `size`
DefineConstant[ weld_place = 1 ];         // which weld is meshed finely, numbered like incision_place
DefineConstant[ weld_radius = 0 ];        // m, of the fillet about a transom at weld_place; its edges and the end of its hole are rounded too; 0: sharp
DefineConstant[ order = 2 ];              // 1 or 2
DefineConstant[ incision = 0 ];           // share of the transom's section area that is cut, 0 to 0.9
DefineConstant[ incision_place = 1 ];     // 1: first transom, right; 2: first, left; 3: second, right; 4: second, left
DefineConstant[ incision_width = 0.01 ];  // m, of the cut

t = wall;
tt = transom_wall;
If (tt <= 0)
    tt = wall;
EndIf
span = (axles - 1) * wheelbase;
length = span + 2 * overhang;
inner = track / 2 - width / 2;
solids() = {};
holes() = {};
wx = span / 2 - (weld_place > 2 ? 1.5 : 0.5) * wheelbase;
wy = (weld_place == 2 || weld_place == 4) ? inner : -inner;
e = 1e-5 * length;

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
    Box(v) = {x - transom_width / 2 + tt, -inner, -transom_height / 2 + tt,
              transom_width - 2 * tt, 2 * inner, transom_height - 2 * tt};
    If (weld_radius > 0 && Fabs(x - wx) < e)
        // the edges of the hole at its end, and the four that run to it
        a = transom_width / 2 - tt + e;
        b = transom_height / 2 - tt + e;
        ends() = Curve In BoundingBox{x - a, wy - e, -b, x + a, wy + e, b};
        For k In {-1:1:2}
            For j In {-1:1:2}
                ends() += Curve In BoundingBox{x + k * (a - e) - e, -inner - e, j * (b - e) - e, x + k * (a - e) + e, inner + e, j * (b - e) + e};
            EndFor
        EndFor
        v() = Fillet{v}{ends()}{weld_radius};
    EndIf
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
For i In {1:seats}
    x = (seats + 1 - 2 * i) / 2 * seat_distance;
    For s In {-1:1:2}
        v = newv;
        Box(v) = {x - pad / 2, s * track / 2 - pad / 2, height / 2, pad, pad, pad_height};
        solids() += v;
    EndFor
EndFor
px = span / 2 - wheelbase / 2;
v = newv;
Box(v) = {px - pad / 2, -pad / 2, transom_height / 2, pad, pad, pad_height};
solids() += v;


// motor pads: where they lie and which way they face
motor_x() = {};
motor_way() = {};
If (motors > 0)
    motor_x() += {px + transom_width / 2};
    motor_way() += {1};
    If (axles > 2)
        motor_x() += {-px + transom_width / 2};
        motor_way() += {1};
    EndIf
    motor_x() += {-px - transom_width / 2};
    motor_way() += {-1};
    If (axles == 2)
        motor_x(1) = px - transom_width / 2;
    EndIf
EndIf
For i In {0:#motor_x() - 1}
    v = newv;
    Box(v) = {motor_x(i), -motor_width / 2, -motor_pad / 2, motor_way(i) * pad_height, motor_width, motor_pad};
    solids() += v;
EndFor

If (incision > 0)
    // depth from the top at which the hollow section has lost the share: flange, webs, flange
    area = transom_width * transom_height - (transom_width - 2 * tt) * (transom_height - 2 * tt);
    cut = incision * area;
    If (cut <= transom_width * tt)
        depth = cut / transom_width;
    ElseIf (cut <= transom_width * tt + 2 * tt * (transom_height - 2 * tt))
        depth = tt + (cut - transom_width * tt) / (2 * tt);
    Else
        depth = transom_height - (area - cut) / transom_width;
    EndIf
    cx = px - (incision_place > 2 ? wheelbase : 0);
    cy = (incision_place == 2 || incision_place == 4) ? inner - incision_width : -inner;
    v = newv;
    Box(v) = {cx - transom_width, cy, transom_height / 2 - depth,
              2 * transom_width, incision_width, 2 * depth};
    holes() += v;
EndIf

others() = solids();
others() -= solids(0);
joined() = BooleanUnion{ Volume{solids(0)}; Delete; }{ Volume{others()}; Delete; };
If (weld_radius > 0)
    // first the edges of the transom, then the line on which it meets the side frame
    a = transom_width / 2;
    b = transom_height / 2;
    edges() = {};
    For i In {-1:1:2}
        For j In {-1:1:2}
            edges() += Curve In BoundingBox{wx + i * a - e, -inner - e, j * b - e, wx + i * a + e, inner + e, j * b + e};
        EndFor
    EndFor
    rounded() = Fillet{joined()}{edges()}{weld_radius};
    edges() = Curve In BoundingBox{wx - a - e, wy - e, -b - e, wx + a + e, wy + e, b + e};
    joined() = Fillet{rounded()}{edges()}{weld_radius};
EndIf
body() = BooleanDifference{ Volume{joined()}; Delete; }{ Volume{holes()}; Delete; };
Physical Volume("frame") = {body()};

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
For i In {1:seats}
    x = (seats + 1 - 2 * i) / 2 * seat_distance;
    face() = Surface In BoundingBox{x - h, track / 2 - h, z - e, x + h, track / 2 + h, z + e};
    other() = Surface In BoundingBox{x - h, -track / 2 - h, z - e, x + h, -track / 2 + h, z + e};
    If (seats > 1)
        Physical Surface(Sprintf("secondary-%g-left", i)) = {face()};
        Physical Surface(Sprintf("secondary-%g-right", i)) = {other()};
    Else
        Physical Surface("secondary-left") = {face()};
        Physical Surface("secondary-right") = {other()};
    EndIf
EndFor
For i In {0:#motor_x() - 1}
    x = motor_x(i) + motor_way(i) * pad_height;
    face() = Surface In BoundingBox{x - e, -motor_width / 2 - e, -motor_pad / 2 - e, x + e, motor_width / 2 + e, motor_pad / 2 + e};
    Physical Surface(Sprintf("motor-%g", i + 1)) = {face()};
EndFor
z = transom_height / 2 + pad_height;
face() = Surface In BoundingBox{px - h, -h, z - e, px + h, h, z + e};
Physical Surface("pivot") = {face()};

If (weld_size > 0)
    // balls about the four corners of the transom at its weld
    balls() = {};
    For i In {-1:1:2}
        For j In {-1:1:2}
            b = 1 + #balls();
            Field[b] = Ball;
            Field[b].XCenter = wx + i * transom_width / 2;
            Field[b].YCenter = wy;
            Field[b].ZCenter = j * transom_height / 2;
            Field[b].Radius = 2.5 * tt;
            Field[b].Thickness = 4 * tt;
            Field[b].VIn = weld_size;
            Field[b].VOut = size;
            balls() += b;
        EndFor
    EndFor
    Field[5] = Min;
    Field[5].FieldsList = {balls()};
    Background Field = 5;
EndIf
Mesh.CharacteristicLengthMin = weld_size > 0 ? 0.5 * weld_size : 0.5 * size;
Mesh.CharacteristicLengthMax = size;
Mesh.ElementOrder = order;
Mesh.SecondOrderLinear = 1;
Mesh.Optimize = 1;
