// A rectangular plate in the x-y plane, of shells: quadrangles or triangles.
// dimension: 2
// sets: plate (surface); left, right (x), front, back (y): edges
DefineConstant[ length = 1.0 ];    // m, x
DefineConstant[ width = 0.6 ];     // m, y
DefineConstant[ along = 20 ];      // elements along x
DefineConstant[ across = 12 ];     // elements along y
DefineConstant[ triangles = 0 ];   // 1: triangles instead of quadrangles
DefineConstant[ skew = 0 ];        // m by which the back edge is moved along x: a skew plate

Point(1) = {0, 0, 0};
Point(2) = {length, 0, 0};
Point(3) = {length + skew, width, 0};
Point(4) = {skew, width, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Transfinite Curve {1, 3} = along + 1;
Transfinite Curve {2, 4} = across + 1;
Transfinite Surface {1} Alternated;
If (triangles == 0)
    Recombine Surface {1};
EndIf
Physical Surface("plate") = {1};
Physical Curve("front") = {1};
Physical Curve("right") = {2};
Physical Curve("back") = {3};
Physical Curve("left") = {4};
Mesh.ElementOrder = 1;
