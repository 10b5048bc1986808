/* A series of VTK files: NAME.pvd beside a folder NAME with a file a frame. */
#ifndef KL_CLI_VTK_SERIES_H
#define KL_CLI_VTK_SERIES_H

#include "terminal/result_files.h"

typedef struct kl_vtk_series {
    kl_new_file pvd;
    char        folder[4096];
} kl_vtk_series;

/* Makes the folder and begins the list; `path` ends in .pvd. Both print the reason of a failure. */
bool kl_vtk_series_open(kl_vtk_series *s, const char *path);
bool kl_vtk_series_close(kl_vtk_series *s);
void kl_vtk_series_discard(kl_vtk_series *s);

/* Lists the file folder/NAME.vtp at that time and gives its path; `part` distinguishes files of the
 * same time. */
void kl_vtk_series_add(kl_vtk_series *s, double time, int part, const char *name, char *path,
                       size_t size);

#endif
