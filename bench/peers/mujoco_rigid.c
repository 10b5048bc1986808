/* The problems of bench/rigid.c in MuJoCo, where its package is installed, timed in the same run: for each problem a ladder of
 * steps (and stiffnesses of the soft loops), of which the fastest that ends right to 1e-4 m is printed. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WINDOWS = 40, XML_BYTES = 1 << 17 };

typedef struct text {
    char  *at;
    size_t used;
} text;

#define PUT(t, ...) ((t)->used += (size_t)snprintf((t)->at + (t)->used, XML_BYTES - (t)->used, __VA_ARGS__))

static const char *const option =
    "<mujoco><compiler boundinertia='0' angle='radian'/><option gravity='0 -9.81 0' integrator='RK4' timestep='%g' solver='Newton'"
    " tolerance='1e-12' iterations='50'><flag contact='disable'/></option><worldbody>";

static void pendulum_xml(text *t, double step, double soft)
{
    (void)soft;
    PUT(t, option, step);
    PUT(t, "<body euler='0 0 -0.785398163397448'><joint type='hinge' axis='0 0 1'/>"
           "<inertial pos='.5 0 0' mass='1' diaginertia='1e-9 .0833333333333333 .0833333333333333'/>"
           "<body pos='1 0 0'><joint type='hinge' axis='0 0 1'/>"
           "<inertial pos='.5 0 0' mass='1' diaginertia='1e-9 .0833333333333333 .0833333333333333'/>"
           "</body></body></worldbody></mujoco>");
}

static void windows_xml(text *t, double step, double soft)
{
    PUT(t, option, step);
    for (int i = 0; i <= WINDOWS; i++) {
        PUT(t, "<body name='post%d' pos='%d 0 0'><joint type='hinge' axis='0 0 1'/>"
               "<inertial pos='0 .5 0' mass='1' diaginertia='.0833333333333333 1e-9 .0833333333333333'/>", i, i);
        if (i < WINDOWS)
            PUT(t, "<body name='beam%d' pos='0 1 0'><joint type='hinge' axis='0 0 1'/>"
                   "<inertial pos='.5 0 0' mass='1' diaginertia='1e-9 .0833333333333333 .0833333333333333'/></body>", i + 1);
        PUT(t, "</body>");
    }
    PUT(t, "</worldbody><equality>");
    for (int i = 1; i <= WINDOWS; i++)
        PUT(t, "<connect body1='beam%d' body2='post%d' anchor='1 0 0' solref='%g 1' solimp='.9999 .9999 .001'/>", i, i, soft);
    PUT(t, "</equality></mujoco>");
}

static void windows_start(mjData *d, int nv)
{
    for (int k = 0; k < nv; k++) d->qvel[k] = k % 2 ? 1.0 : -1.0; /* posts lean, beams stay level */
}

static double windows_error(const mjData *d)
{
    return hypot(-sin(d->qpos[0]) - 0.180512226684, cos(d->qpos[0]) - 0.983572740583);
}

static double pendulum_error(const mjData *d)
{
    double a = d->qpos[0] - atan(1.0), b = a + d->qpos[1];
    return hypot(cos(a) + cos(b) - 1.07282982, sin(a) + sin(b) + 1.64015534);
}

typedef struct problem {
    const char *name;
    void (*xml)(text *t, double step, double soft);
    void (*start)(mjData *d, int nv);
    double (*error)(const mjData *d);
    double steps[6], softs[4];
} problem;

static const problem problems[] = {
    {"double pendulum", pendulum_xml, NULL, pendulum_error, {2e-2, 1e-2, 5e-3, 2e-3}, {1.0}},
    {"N-four-bar(40)", windows_xml, windows_start, windows_error, {1e-2, 5e-3, 2e-3, 1e-3}, {2e-2, 1e-2, 5e-3, 2e-3}},
};

/* Seconds of processor time for ten seconds of motion; the error at the end. */
static double run(const problem *p, double step, double soft, double *error)
{
    text   t = {.at = malloc(XML_BYTES)};
    char   why[512];
    mjVFS *files = malloc(sizeof *files);
    p->xml(&t, step, soft);
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "m.xml", (int)t.used);
    memcpy(files->filedata[0], t.at, t.used);
    mjModel *m = mj_loadXML("m.xml", files, why, sizeof why);
    mj_deleteVFS(files);
    free(files);
    free(t.at);
    if (!m) {
        fprintf(stderr, "%s\n", why);
        exit(1);
    }
    mjData *d = mj_makeData(m);
    if (p->start) p->start(d, m->nv);
    clock_t t0 = clock();
    for (long k = lround(10.0 / step); k > 0; k--) mj_step(m, d);
    double seconds = (double)(clock() - t0) / CLOCKS_PER_SEC;
    *error         = p->error(d);
    mj_deleteData(d);
    mj_deleteModel(m);
    return seconds;
}

int main(void)
{
    printf("MuJoCo %s\n", mj_versionString());
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        const problem *p    = &problems[k];
        double         best = HUGE_VAL, step = 0.0, soft = 0.0, error = 0.0;
        for (int i = 0; i < 6 && p->steps[i] > 0.0; i++)
            for (int j = 0; j < 4 && p->softs[j] > 0.0; j++) {
                double e, s = run(p, p->steps[i], p->softs[j], &e);
                for (int again = 0; s < 0.05 && again < 19; again++) s = fmin(s, run(p, p->steps[i], p->softs[j], &e));
                if (e > 1e-4 || s >= best) continue;
                best = s, step = p->steps[i], soft = p->softs[j], error = e;
            }
        if (best < HUGE_VAL)
            printf("%-34s %8.1f ms, step %g s, loops' time constant %g s, error at the end %.1e m\n", p->name, 1e3 * best, step, soft, error);
        else printf("%-34s not right to 1e-4 m with any of the settings tried\n", p->name);
    }
    return 0;
}
