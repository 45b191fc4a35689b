/*
 * What the library for programs that are not checked has in place of the checker.
 */
#include <dlfcn.h>

#include "runtime/real.h"

void *hd_rt_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}
