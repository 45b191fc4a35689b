/*
 * Exceptions of C++ programs. The library is C: what catches and throws is in the program, if that is C++
 * (heddle/hj_exceptions.h).
 */
#include "task.h"

#define IN_PROGRAM __attribute__((weak, visibility("default")))

extern struct hj_thrown_ *hj_catch_(void (*call)(void *), void *arg) IN_PROGRAM;
extern void hj_throw_(struct hj_thrown_ *list) IN_PROGRAM;
extern bool hj_unwinding_(void) IN_PROGRAM;

void hd_throw_later(struct hd_finish *fin, struct hj_thrown_ *list)
{
	struct hj_thrown_ *last = list;

	if (!list)
		return;
	while (last->next)
		last = last->next;
	last->next = __atomic_load_n(&fin->thrown, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&fin->thrown, &last->next, list, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

bool hd_call_catching(void (*call)(void *), void *arg, struct hd_finish *fin)
{
	struct hj_thrown_ *thrown = NULL;

	if (hj_catch_ && hj_throw_)
		thrown = hj_catch_(call, arg);
	else
		call(arg);
	hd_throw_later(fin, thrown);
	return thrown != NULL;
}

void hd_throw(struct hj_thrown_ *list)
{
	if (list)
		hj_throw_(list);
}

bool hd_is_unwinding(void)
{
	return hj_unwinding_ && hj_unwinding_();
}
