// A ladder of lines for beam elements, in the x-y plane: two long members and cross members.
// dimension: 1
// sets: long, cross (curves); corners (points)
DefineConstant[ length = 3.6 ];    // m, x
DefineConstant[ width = 2.0 ];     // m, y
DefineConstant[ members = 2 ];     // cross members, at least 2: one at each end
DefineConstant[ size = 0.1 ];      // m, of an element

n = members - 1;
long() = {};
cross() = {};
For i In {0:n}
    Point(1 + 2 * i) = {-length / 2 + i * length / n, -width / 2, 0};
    Point(2 + 2 * i) = {-length / 2 + i * length / n, width / 2, 0};
    Line(100 + i) = {1 + 2 * i, 2 + 2 * i};
    Transfinite Curve {100 + i} = Ceil(width / size) + 1;
    cross() += 100 + i;
    If (i > 0)
        Line(200 + i) = {2 * i - 1, 2 * i + 1};
        Line(300 + i) = {2 * i, 2 * i + 2};
        Transfinite Curve {200 + i, 300 + i} = Ceil(length / n / size) + 1;
        long() += {200 + i, 300 + i};
    EndIf
EndFor
Physical Curve("long") = {long()};
Physical Curve("cross") = {cross()};
Physical Point("corners") = {1, 2, 1 + 2 * n, 2 + 2 * n};
Mesh.ElementOrder = 1;
