#include "object_type.h"

static const char *name_of(unsigned type)
{
	switch (type) {
	case HD_OBJECT_MUTEX:
		return "a mutex";
	case HD_OBJECT_RWLOCK:
		return "a read-write lock";
	case HD_OBJECT_SEM:
		return "a semaphore";
	case HD_OBJECT_BARRIER:
		return "a barrier";
	case HD_OBJECT_COND:
		return "a condition variable";
	default: /* bytes that were something else before */
		return NULL;
	}
}

void hd_rt_wrong_type(void *object, enum hd_object_type as, const char *call)
{
	uint16_t *type = hd_rt_object_type(object);
	const char *is = name_of(*type);

	if (is)
		hd_rt_misuse((uintptr_t)object, "%s as %s of what is %s", call, name_of(as), is);
	else if (as != HD_OBJECT_COND)
		*type = (uint16_t)as;
}
