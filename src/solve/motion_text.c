#include "solve/motion_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/groups.h"

enum { NAMED = 4 }; /* names in a list before it is cut */

void kl_line_add(kl_line *l, const char *format, ...)
{
    for (int pass = 0; pass < 2; pass++) {
        va_list arguments;
        va_start(arguments, format);
        int n = vsnprintf(l->text ? l->text + l->used : NULL, l->room - l->used, format, arguments);
        va_end(arguments);
        if (n < 0) return;
        if (l->used + (size_t)n < l->room) {
            l->used += (size_t)n;
            return;
        }
        size_t room = 2 * (l->used + (size_t)n) + 64;
        char  *more = kl_arena_take(l->arena, room);
        if (!more) {
            if (l->text) l->text[l->used] = '\0';
            return;
        }
        if (l->text) memcpy(more, l->text, l->used);
        l->text = more;
        l->room = room;
    }
}

double kl_motion_amount(const kl_model *m, const double *dx, int b)
{
    const kl_body *body = &m->body[b];
    double         most = 0.0;
    for (int k = 0; k < body->nv; k++)
        most = fmax(most, fabs(dx[body->v + k]) / m->unit[body->v + k]);
    return most;
}

void kl_line_axis(kl_line *l, kl_vec3 a)
{
    double      p[3];
    const char *names[] = {"x", "y", "z"};
    kl_store(p, kl_unit(a));
    int first = -1;
    for (int i = 0; i < 3; i++) {
        if (fabs(p[i]) > 1.0 - 1e-6) {
            kl_line_add(l, "%s", names[i]);
            return;
        }
        if (fabs(p[i]) < 5e-4) p[i] = 0.0;
        else if (first < 0) first = i;
    }
    double sign = first >= 0 && p[first] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) p[i] = p[i] == 0.0 ? 0.0 : sign * p[i];
    kl_line_add(l, "(%.3g, %.3g, %.3g)", p[0], p[1], p[2]);
}

void kl_line_motion(kl_line *l, const kl_model *m, const kl_work *w, const double *dx, int body)
{
    const kl_body *b     = &m->body[body];
    kl_group       moves = kl_body_group(b, KL_TRANSLATION), turns = kl_body_group(b, KL_ROTATION);
    kl_group       modes   = kl_body_group(b, KL_MODAL);
    kl_axes        at      = kl_body_axes(b, w->cache + b->cache);
    double         elastic = 0.0;
    for (int k = modes.v; k < modes.v + modes.nv; k++)
        elastic = fmax(elastic, fabs(dx[k]) / m->unit[k]);
    kl_vec3 v = {0}, turn = {0};
    if (moves.nv) v = kl_load(dx + moves.v);
    if (turns.nv) turn = kl_mul(&at.A, kl_load(dx + turns.v));
    double moved = kl_norm(v) / m->length, turned = kl_norm(turn);
    if (kl_body_group(b, KL_SCALARS).nv > 0) {
        kl_line_add(l, "moves along its path");
        return;
    }
    if (elastic > 3.0 * fmax(moved, turned)) {
        kl_line_add(l, "deforms");
        return;
    }
    if (turned > 1e-4 * moved) {
        kl_vec3 axis  = kl_scale(1.0 / turned, turn);
        double  along = fabs(kl_dot(v, axis)) / m->length;
        kl_line_add(l, "turns about ");
        kl_line_axis(l, axis);
        if (along > 1e-3 * turned) kl_line_add(l, " and moves along it");
    } else {
        kl_line_add(l, "moves along ");
        kl_line_axis(l, v);
    }
}

const char *kl_motion_text(kl_arena *arena, const kl_model *m, const kl_work *w, const double *dx,
                           int leader, double least)
{
    kl_line l    = {.arena = arena};
    double  most = 0.0;
    int     n = 0, written = 0;
    for (int b = 0; b < m->nbody; b++) most = fmax(most, kl_motion_amount(m, dx, b));
    for (int b = 0; b < m->nbody; b++)
        n += b != leader && kl_motion_amount(m, dx, b) > least * most;
    kl_line_add(&l, "%s ", m->body[leader].name);
    kl_line_motion(&l, m, w, dx, leader);

    int named = n <= NAMED ? n : NAMED - 1;
    for (int b = 0; b < m->nbody && written < named; b++) {
        if (b == leader || !(kl_motion_amount(m, dx, b) > least * most)) continue;
        const char *joint = written == 0 ? " with " : written == n - 1 ? " and " : ", ";
        kl_line_add(&l, "%s%s", joint, m->body[b].name);
        written++;
    }
    if (n > named) kl_line_add(&l, " and %d more", n - named);
    if (n > 0) kl_line_add(&l, " following");
    return l.text;
}

void kl_line_elements(kl_line *l, const kl_model *m, const int *element, int n)
{
    int named = n <= NAMED + 1 ? n : NAMED;
    for (int i = 0; i < named; i++)
        kl_line_add(l, "%s%s",
                    i == 0       ? ""
                    : i == n - 1 ? " and "
                                 : ", ",
                    m->element[element[i]].name);
    if (n > named) kl_line_add(l, " and %d more", n - named);
}
