#include "cli/vtk_series.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_folder(const char *path)
{
    struct stat s;
    if (mkdir(path, 0777) == 0) return true;
    if (errno == EEXIST && stat(path, &s) == 0 && S_ISDIR(s.st_mode)) return true;
    fprintf(stderr, "cannot create the folder %s: %s\n", path, kl_file_reason(errno));
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
    snprintf(s->part, sizeof s->part, "%s.%ld.part", s->folder, (long)getpid());
    if (!make_folder(s->part)) return false;
    if (!kl_output_open(&s->pvd, path)) {
        rmdir(s->part);
        return false;
    }
    fprintf(s->pvd.stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                           "byte_order=\"LittleEndian\">\n<Collection>\n");
    return true;
}

void kl_vtk_series_add(kl_vtk_series *s, double time, int part, const char *name, char *path,
                       size_t size)
{
    const char *slash = strrchr(s->folder, '/');
    snprintf(path, size, "%s/%s.vtp", s->part, name);
    fprintf(s->pvd.stream, "<DataSet timestep=\"%.12g\" part=\"%d\" file=\"", time, part);
    put_name(s->pvd.stream, slash ? slash + 1 : s->folder);
    fputc('/', s->pvd.stream);
    put_name(s->pvd.stream, name);
    fprintf(s->pvd.stream, ".vtp\"/>\n");
}

/* Each file of the temporary folder goes to `to`, or is removed if that is NULL; then the folder itself. */
static bool empty_part(const kl_vtk_series *s, const char *to)
{
    char           from[4400], path[4400];
    bool           good   = true;
    DIR           *folder = opendir(s->part);
    struct dirent *e;
    while (folder && good && (e = readdir(folder))) {
        if (e->d_name[0] == '.') continue;
        snprintf(from, sizeof from, "%s/%s", s->part, e->d_name);
        snprintf(path, sizeof path, "%s/%s", to ? to : "", e->d_name);
        good = to ? rename(from, path) == 0 : unlink(from) == 0;
    }
    if (!good) fprintf(stderr, "%s could not be moved: %s\n", from, kl_file_reason(errno));
    if (folder) closedir(folder);
    if (good) rmdir(s->part);
    return good;
}

bool kl_vtk_series_close(kl_vtk_series *s)
{
    fprintf(s->pvd.stream, "</Collection>\n</VTKFile>\n");
    if (make_folder(s->folder) && fflush(s->pvd.stream) == 0 && empty_part(s, s->folder))
        return kl_output_close(&s->pvd);
    kl_vtk_series_discard(s);
    return false;
}

void kl_vtk_series_discard(kl_vtk_series *s)
{
    (void)empty_part(s, NULL);
    kl_output_discard(&s->pvd);
    fprintf(stderr, "%s was not written; files of an older series are unchanged\n", s->pvd.path);
}
