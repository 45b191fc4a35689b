/*
 * HClib's variables that tasks update one at a time, on heddle's tasks.
 */
#ifndef HCLIB_ATOMIC_H
#define HCLIB_ATOMIC_H

#include "hclib.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*atomic_init_func)(void *atomic_ele, void *user_data);
typedef void (*atomic_update_func)(void *atomic_ele, void *user_data);
typedef void (*atomic_gather_func)(void *a, void *b, void *user_data);

/* There is one value, not one for each worker: nothing is left to gather. */
typedef struct _hclib_atomic_t {
	char *vals;
	size_t nthreads;
	size_t val_size;
	size_t padded_val_size;
} hclib_atomic_t;

hclib_atomic_t *hclib_atomic_create(const size_t ele_size_in_bytes, atomic_init_func init,
				    void *user_data);
void hclib_atomic_init(hclib_atomic_t *atomic, const size_t ele_size_in_bytes,
		       atomic_init_func init, void *user_data);
void hclib_atomic_update(hclib_atomic_t *atomic, atomic_update_func f, void *user_data);
void *hclib_atomic_gather(hclib_atomic_t *atomic, atomic_gather_func f, void *user_data);

#ifdef __cplusplus
}
#endif

#endif
