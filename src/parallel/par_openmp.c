/*
 * OpenMP programs do not run on worker threads: whichever of its functions is called first says so. They
 * are here because a program with one that is nowhere would not even start.
 */
#include "par_tell.h"
#include "runtime/rt.h"

void hd_par_no_openmp(void);

void hd_par_no_openmp(void)
{
	hd_par_tell_openmp();
}

#define HD_OPENMP_NAME(name)                                                                       \
	void name(void);                                                                           \
	HD_EXPORT void name(void) __attribute__((alias("hd_par_no_openmp")));
#include "openmp_names.def"
