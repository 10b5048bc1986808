// A box from the origin to (length, width, height), of tetrahedra.
// dimension: 3
// sets: block (volume); left, right (x), front, back (y), bottom, top (z)
SetFactory("OpenCASCADE");
DefineConstant[ length = 0.5 ];          // m, x
DefineConstant[ width = 0.05 ];          // m, y
DefineConstant[ height = 0.02 ];         // m, z
DefineConstant[ size = 0.0125 ];         // m, of an element
DefineConstant[ order = 2 ];             // 1 or 2
DefineConstant[ incision = 0 ];          // share of the section that is cut from the top, 0 to 0.9
DefineConstant[ incision_at = 0.5 ];     // share of the length where it is cut
DefineConstant[ incision_width = 0.002 ]; // m, of the cut

Box(1) = {0, 0, 0, length, width, height};
body = 1;
If (incision > 0)
    Box(2) = {incision_at * length - incision_width / 2, -width, height * (1 - incision),
              incision_width, 3 * width, height};
    BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
    body = 3;
EndIf

e = 1e-6 * length;
left() = Surface In BoundingBox{-e, -e, -e, e, width + e, height + e};
right() = Surface In BoundingBox{length - e, -e, -e, length + e, width + e, height + e};
front() = Surface In BoundingBox{-e, -e, -e, length + e, e, height + e};
back() = Surface In BoundingBox{-e, width - e, -e, length + e, width + e, height + e};
bottom() = Surface In BoundingBox{-e, -e, -e, length + e, width + e, e};
top() = Surface In BoundingBox{-e, -e, height - e, length + e, width + e, height + e};
Physical Volume("block") = {body};
Physical Surface("left") = {left()};
Physical Surface("right") = {right()};
Physical Surface("front") = {front()};
Physical Surface("back") = {back()};
Physical Surface("bottom") = {bottom()};
Physical Surface("top") = {top()};

Mesh.CharacteristicLengthMin = size;
Mesh.CharacteristicLengthMax = size;
Mesh.ElementOrder = order;
Mesh.Optimize = 1;
