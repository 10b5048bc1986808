// A round bar along x, from x = 0 to its length, of tetrahedra.
// dimension: 3
// sets: rod (volume); left, right, mantle (surfaces)
SetFactory("OpenCASCADE");
DefineConstant[ length = 0.3048 ];       // m
DefineConstant[ radius = 0.0031715 ];    // m
DefineConstant[ size = 0.0025 ];         // m, of an element; a bit below the radius
DefineConstant[ order = 2 ];             // 1 or 2
DefineConstant[ incision = 0 ];          // share of the section's area that is cut, 0 to 0.9
DefineConstant[ incision_at = 0.5 ];     // share of the length where it is cut
DefineConstant[ incision_width = 0.001 ]; // m, of the cut

Cylinder(1) = {0, 0, 0, length, 0, 0, radius};
If (incision > 0)
    // a chord at depth d cuts off the share (a - sin a cos a) / Pi, with cos a = 1 - d / radius
    a = Pi / 2;
    For i In {1:60}
        a = a - (a - Sin(a) * Cos(a) - Pi * incision) / (2 * Sin(a) ^ 2);
    EndFor
    depth = radius * (1 - Cos(a));
    Box(2) = {incision_at * length - incision_width / 2, -2 * radius, radius - depth,
              incision_width, 4 * radius, 2 * radius};
    BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
    body = 3;
Else
    body = 1;
EndIf

e = 1e-6 * length;
r = radius + e;
left() = Surface In BoundingBox{-e, -r, -r, e, r, r};
right() = Surface In BoundingBox{length - e, -r, -r, length + e, r, r};
all() = Boundary{ Volume{body}; };
mantle() = all();
mantle() -= left();
mantle() -= right();
Physical Volume("rod") = {body};
Physical Surface("left") = {left()};
Physical Surface("right") = {right()};
Physical Surface("mantle") = {mantle()};

Mesh.CharacteristicLengthMin = size;
Mesh.CharacteristicLengthMax = size;
Mesh.ElementOrder = order;
Mesh.SecondOrderLinear = 0;
Mesh.Optimize = 1;
