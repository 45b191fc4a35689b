/*
 * Calls of omp_test_lock whose result nobody looks at: what follows them happens whether the lock
 * was to be had or not.
 */
#ifndef HD_CC_OMP_TESTS_H
#define HD_CC_OMP_TESTS_H

#include <stddef.h>

/* Goes in front of such a call's name; the runtime has functions of these names. */
#define HD_OMP_UNHEEDED "hd_unheeded_"

/* Behind the last character of code before @p: blanks and whole lines with # are none. */
const char *hd_omp_code_before(const char *text, const char *p);

/*
 * The name of the next such call from @p to @stop in the text from @text to @end; NULL: there is none. One that
 * is no statement of its own for certain is not told of.
 */
const char *hd_omp_unheeded_test(const char *text, const char *p, const char *stop,
				 const char *end);

#endif
