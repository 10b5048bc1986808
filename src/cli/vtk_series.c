#include "cli/vtk_series.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool make_folder(const char *path)
{
    struct stat s;
    if (mkdir(path, 0777) == 0) return true;
    if (errno == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode)) return true;
    fprintf(stderr, "cannot create the folder %s: %s\n", path, strerror(errno));
    return false;
}

/* Names in an XML attribute: what would end it is replaced. */
static void put_name(FILE *f, const char *name)
{
    for (; *name; name++) {
        if (*name == '&') fputs("&amp;", f);
        else if (*name == '<') fputs("&lt;", f);
        else if (*name == '"') fputs("&quot;", f);
        else fputc(*name, f);
    }
}

bool kl_vtk_series_open(kl_vtk_series *s, const char *path)
{
    snprintf(s->folder, sizeof s->folder, "%.*s", (int)(strlen(path) - 4), path);
    if (!make_folder(s->folder) || !kl_output_open(&s->pvd, path)) return false;
    fprintf(s->pvd.stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                           "byte_order=\"LittleEndian\">\n<Collection>\n");
    return true;
}

void kl_vtk_series_add(kl_vtk_series *s, double time, int part, const char *name, char *path,
                       size_t size)
{
    const char *slash = strrchr(s->folder, '/');
    snprintf(path, size, "%s/%s.vtp", s->folder, name);
    fprintf(s->pvd.stream, "<DataSet timestep=\"%.12g\" part=\"%d\" file=\"", time, part);
    put_name(s->pvd.stream, slash ? slash + 1 : s->folder);
    fputc('/', s->pvd.stream);
    put_name(s->pvd.stream, name);
    fprintf(s->pvd.stream, ".vtp\"/>\n");
}

bool kl_vtk_series_close(kl_vtk_series *s)
{
    fprintf(s->pvd.stream, "</Collection>\n</VTKFile>\n");
    return kl_output_close(&s->pvd);
}

void kl_vtk_series_discard(kl_vtk_series *s) { kl_output_discard(&s->pvd); }
