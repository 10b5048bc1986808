/* Triangles of a glTF 2.0 file for drawing: binary (.glb), or text (.gltf) with its numbers inside.
 *
 * All meshes of the scene, each where its node puts it. glTF has y up; klingel has z up: the part
 * is turned so that what stood upright there stands upright here (x stays, y becomes z, z becomes
 * -y). Materials, textures, skins and animations are not read. */
#ifndef KL_LANGUAGE_GLTF_H
#define KL_LANGUAGE_GLTF_H

#include "base/arena.h"
#include "base/diag.h"
#include "model/drawn.h"

kl_status kl_gltf_parse(const char *name, const char *bytes, size_t n, double scale,
                        kl_arena *arena, kl_place place, kl_diag *diag, kl_triangles *out);

#endif
