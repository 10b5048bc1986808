#include "railway/pair_slopes.h"

void kl_pair_slopes(const kl_motion *m, const double w[12], double K[12][6], double C[12][6],
                    kl_slopes *out)
{
    kl_vec3 d = kl_sub(m[1].r, m[0].r);
    for (int j = 0; j < 3; j++) {
        double e[3]  = {0};
        e[j]         = 1.0;
        kl_vec3 axis = kl_load(e), arm = kl_cross(axis, d);
        kl_vec3 v1 = kl_cross(axis, m[1].v), w1 = kl_cross(axis, m[1].w);
        kl_vec3 v0 = kl_cross(axis, m[0].v), w0 = kl_cross(axis, m[0].w);
        double  a[3], dv[3], dw[3];
        kl_store(a, arm);
        /* marker 1 as the frame of marker 0 sees it: velocity v1 - v0 - w0 x d, rate w1 - w0 */
        kl_store(dv, kl_sub(kl_sub(v1, v0), kl_cross(w0, d)));
        kl_store(dw, kl_sub(w1, w0));
        for (int i = 0; i < 12; i++) {
            kl_vec3 turned = kl_cross(axis, kl_load(w + 3 * (i / 3)));
            double  t[3], k = -K[i][3 + j], cc = -C[i][3 + j];
            kl_store(t, turned);
            for (int q = 0; q < 3; q++) {
                k -= K[i][q] * a[q] + C[i][q] * dv[q] + C[i][3 + q] * dw[q];
                cc -= C[i][q] * a[q];
            }
            out->K[i * 12 + 3 + j] += k + t[i % 3];
            out->C[i * 12 + 3 + j] += cc;
            out->C[i * 12 + j] -= C[i][j];
            out->C[i * 12 + 6 + j] += C[i][j];
            out->C[i * 12 + 9 + j] += C[i][3 + j];
            out->K[i * 12 + j] -= K[i][j];
            out->K[i * 12 + 6 + j] += K[i][j];
            out->K[i * 12 + 9 + j] += K[i][3 + j];
        }
    }
}
