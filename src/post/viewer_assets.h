/* The browser viewer as bytes: made from viewer/ when klingel is built, in the build folder.
 *
 * Both are empty in a build without the viewer (-DKL_VIEWER=OFF). */
#ifndef KL_POST_VIEWER_ASSETS_H
#define KL_POST_VIEWER_ASSETS_H

#include <stddef.h>

extern const unsigned char kl_viewer_script[], kl_viewer_style[];
extern const size_t        kl_viewer_script_size, kl_viewer_style_size;

#endif
