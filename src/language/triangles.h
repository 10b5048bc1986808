/* Surfaces for drawing, from files: STL (text and binary), OBJ and glTF (gltf.h). */
#ifndef KL_LANGUAGE_TRIANGLES_H
#define KL_LANGUAGE_TRIANGLES_H

#include "base/arena.h"
#include "base/diag.h"
#include "model/drawn.h"

/* Reads triangles, each coordinate times `scale`; equal vertices become one. Polygons of OBJ are
 * cut into triangles. Everything belongs to the arena. */
kl_status kl_triangles_read(const char *path, double scale, kl_arena *arena, kl_place place,
                            kl_diag *diag, kl_triangles *out);

/* The same from bytes in memory; `name` decides the format by its ending. */
kl_status kl_triangles_parse(const char *name, const char *bytes, size_t n, double scale,
                             kl_arena *arena, kl_place place, kl_diag *diag, kl_triangles *out);

#endif
