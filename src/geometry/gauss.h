/* Small tools of this room: Gauss-Legendre with 10 points, and the quintic through values, slopes
 * and second derivatives at two ends. */
#ifndef KL_GEOMETRY_GAUSS_H
#define KL_GEOMETRY_GAUSS_H

/* Integral of f from a to b; exact for polynomials up to degree 19. */
static inline double kl_gauss(double (*f)(const void *context, double x), const void *context,
                              double a, double b)
{
    static const double node[]   = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                    0.8650633666889845, 0.9739065285171717};
    static const double weight[] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159820,
                                    0.1494513491505806, 0.0666713443086881};
    double              mid = 0.5 * (a + b), half = 0.5 * (b - a), sum = 0.0;
    for (int i = 0; i < 5; i++)
        sum += weight[i] * (f(context, mid - half * node[i]) + f(context, mid + half * node[i]));
    return half * sum;
}

/* c with f(x) = sum c_k x^k, given (f, f', f'') at x = 0 and x = h. In arc.c. */
void kl_hermite_quintic(double h, const double f0[3], const double f1[3], double c[6]);

#endif
