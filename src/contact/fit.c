#include "contact/fit.h"

#include <math.h>

int kl_fit_slots(const kl_fit *f)
{
    switch (f->kind) {
    case KL_FIT_PIN: return (f->length > 0.0 ? 2 : 1) + (isnan(f->axial) ? 0 : 2);
    case KL_FIT_SLEEVE: return 2;
    case KL_FIT_BLOCK: return 16;
    default: return 1;
    }
}

/* A gap measured along `inward` (global, unit), the normal of the outer wall, at point e of the inner
 * part; `depth` is how far the surface of the inner part lies outward from e. */
static void add(kl_spots *out, int key, double gap, kl_vec3 inward, kl_vec3 e, double depth)
{
    kl_vec3 p2 = kl_axpy(-depth, inward, e);
    kl_spot s  = {.gap = gap, .n = inward, .p2 = p2, .p1 = kl_axpy(-gap, inward, p2), .key = key};
    kl_spots_add(out, &s);
}

/* Round wall: d is the part of the displacement that counts, global. */
static void add_round(const kl_fit *f, kl_spots *out, int key, kl_vec3 d, kl_vec3 e, kl_vec3 any)
{
    double  size   = kl_norm(d);
    kl_vec3 inward = size > 1e-14 ? kl_scale(-1.0 / size, d) : kl_neg(any);
    add(out, key, f->radial - size, inward, e, f->radius - f->radial);
}

static kl_vec3 across(kl_vec3 z, kl_vec3 d) { return kl_axpy(-kl_dot(z, d), z, d); }

static void find_pin(const kl_fit *f, const kl_pose *A, const kl_pose *B, kl_spots *out)
{
    kl_vec3 z = kl_axis(&A->A, 2), x = kl_axis(&A->A, 0), along = kl_axis(&B->A, 2);
    int     ends = f->length > 0.0 || f->kind == KL_FIT_SLEEVE ? 2 : 1;
    for (int k = 0; k < ends; k++) {
        double  s = ends == 1 ? 0.0 : (k ? 0.5 : -0.5) * f->length;
        kl_vec3 e = kl_axpy(s, along, B->r);
        add_round(f, out, k, across(z, kl_sub(e, A->r)), e, x);
    }
    if (f->kind != KL_FIT_PIN || isnan(f->axial)) return;
    double shift = kl_dot(z, kl_sub(B->r, A->r));
    add(out, ends, f->axial - shift, kl_neg(z), B->r, 0.0);
    add(out, ends + 1, f->axial + shift, z, B->r, 0.0);
}

static void find_block(const kl_fit *f, const kl_pose *A, const kl_pose *B, kl_spots *out)
{
    for (int k = 0; k < 8; k++) {
        double  s[3]   = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5};
        double  l[3]   = {s[0] * f->size[0], s[1] * f->size[1], s[2] * f->length};
        kl_vec3 corner = kl_add(B->r, kl_mul(&B->A, kl_load(l)));
        for (int i = 0; i < 2; i++) { /* the wall on the side where the corner is */
            kl_vec3 out_of = kl_scale(s[i] > 0.0 ? 1.0 : -1.0, kl_axis(&A->A, i));
            double  to     = kl_dot(out_of, kl_sub(corner, A->r));
            add(out, 2 * k + i, 0.5 * f->size[i] + f->radial - to, kl_neg(out_of), corner, 0.0);
        }
    }
}

void kl_fit_find(const kl_fit *f, const kl_pose *A, const kl_pose *B, kl_spots *out)
{
    out->n = 0;
    if (f->kind == KL_FIT_BLOCK) find_block(f, A, B, out);
    else if (f->kind == KL_FIT_BALL)
        add_round(f, out, 0, kl_sub(B->r, A->r), B->r, kl_axis(&A->A, 0));
    else find_pin(f, A, B, out);
}
