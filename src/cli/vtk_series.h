/* A series of VTK files: NAME.pvd beside a folder NAME with one file for each frame. They are written into a
 * folder of another name and moved at the end: a full disk leaves an older series as it is. */
#ifndef KL_CLI_VTK_SERIES_H
#define KL_CLI_VTK_SERIES_H

#include "terminal/result_files.h"

typedef struct kl_vtk_series {
    kl_new_file pvd;
    char        folder[4096], part[4128]; /* beside it, until all files are written */
} kl_vtk_series;

/* Begins the list; `path` ends in .pvd. Both print the reason of a failure. */
bool kl_vtk_series_open(kl_vtk_series *s, const char *path);
bool kl_vtk_series_close(kl_vtk_series *s);
void kl_vtk_series_discard(kl_vtk_series *s);

/* Lists the file NAME.vtp at that time and gives the path to write it to; `part` distinguishes files of the
 * same time. */
void kl_vtk_series_add(kl_vtk_series *s, double time, int part, const char *name, char *path,
                       size_t size);

#endif
