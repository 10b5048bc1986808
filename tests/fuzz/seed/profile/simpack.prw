header.begin
header.end
spline.begin
units.len.f = 1000
mirror.y = 1
point.begin
-70 9
-60 28
-50 20
-40 5
-30 1
-20 0
0 0
20 -1
40 -2
60 -3
point.end
spline.end
