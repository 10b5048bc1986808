#include "solve/sundials.h"

#include <math.h>

static double largest(N_Vector x, N_Vector weight)
{
    const double *a = N_VGetArrayPointer(x), *w = N_VGetArrayPointer(weight);
    long          n     = (long)N_VGetLength(x);
    double        worst = 0.0;
    for (long i = 0; i < n; i++) {
        double v = fabs(a[i] * w[i]);
        if (v > worst) worst = v;
        if (!(v <= 1e30)) return 1e30; /* not a number must not hide behind a comparison */
    }
    return worst;
}

N_Vector kl_sundials_vector(int n, SUNContext context)
{
    N_Vector v = N_VNew_Serial(n, context);
    if (!v) return NULL;
    v->ops->nvwrmsnorm = largest; /* clones take it over */
    (void)N_VEnableFusedOps_Serial(v, SUNTRUE);
    N_VConst(0.0, v);
    return v;
}

void kl_sundials_silence(int code, const char *module, const char *function, char *message,
                         void *unused)
{
    (void)code, (void)module, (void)function, (void)message, (void)unused;
}

static SUNMatrix_ID         matrix_id(SUNMatrix a) { return (void)a, SUNMATRIX_CUSTOM; }
static int                  matrix_zero(SUNMatrix a) { return (void)a, 0; }
static SUNLinearSolver_Type solver_type(SUNLinearSolver s)
{
    return (void)s, SUNLINEARSOLVER_DIRECT;
}
static SUNLinearSolver_ID solver_id(SUNLinearSolver s) { return (void)s, SUNLINEARSOLVER_CUSTOM; }
static int solver_setup(SUNLinearSolver s, SUNMatrix a) { return (void)s, (void)a, 0; }

static int solver_solve(SUNLinearSolver s, SUNMatrix a, N_Vector x, N_Vector b, realtype tolerance)
{
    kl_sundials_linear *l = s->content;
    (void)a, (void)tolerance;
    return l->solve(l->self, N_VGetArrayPointer(x), N_VGetArrayPointer(b));
}

int kl_sundials_linear_create(kl_sundials_linear *l, kl_sundials_solve solve, void *self,
                              SUNContext context)
{
    *l = (kl_sundials_linear){.solve = solve, .self = self};
    if (!(l->matrix = SUNMatNewEmpty(context))) return -1;
    if (!(l->solver = SUNLinSolNewEmpty(context))) return -1;
    l->matrix->ops->getid   = matrix_id;
    l->matrix->ops->zero    = matrix_zero;
    l->solver->ops->gettype = solver_type;
    l->solver->ops->getid   = solver_id;
    l->solver->ops->setup   = solver_setup;
    l->solver->ops->solve   = solver_solve;
    l->solver->content      = l;
    return 0;
}

void kl_sundials_linear_destroy(kl_sundials_linear *l)
{
    if (l->solver) SUNLinSolFreeEmpty(l->solver);
    if (l->matrix) SUNMatFreeEmpty(l->matrix);
    *l = (kl_sundials_linear){0};
}
