/*
 * The library's lock, waiting under it, and misuse.
 */
#include "par.h"

#include <stdio.h>

#include "common/hash.h"
#include "futex_lock.h"
#include "runtime/sys.h"
#include "worker.h"

struct hd_par_checker hd_par_checker;

/* ---- the lock ------------------------------------------------------------------- */

static struct hd_futex_lock lock;
static __thread unsigned depth __attribute__((tls_model("initial-exec")));

static void take(void)
{
	hd_futex_lock(&lock, 200);
}

static void give(void)
{
	hd_futex_unlock(&lock);
}

void hd_par_lock(void)
{
	if (!depth++)
		take();
}

void hd_par_unlock(void)
{
	if (!--depth)
		give();
}

unsigned hd_par_unlock_all(void)
{
	unsigned times = depth;

	depth = 0;
	if (times)
		give();
	return times;
}

void hd_par_lock_again(unsigned times)
{
	if (times)
		take();
	depth = times;
}

/* ---- waiting ---------------------------------------------------------------------- */

#define BUCKETS 256u
static struct hd_par_strand *waiting[BUCKETS];

static struct hd_par_strand **bucket_of(uintptr_t addr)
{
	return &waiting[hd_hash_bits(addr, 8)];
}

static bool let_lock_go(void *arg)
{
	give();
	return true;
}

void hd_par_block(enum hd_thread_state why, uintptr_t addr)
{
	struct hd_par_strand *me = hd_par_current(), **bucket = bucket_of(addr);
	unsigned times = depth;

	if (!me) { /* a thread that is no worker looks again */
		times = hd_par_unlock_all();
		hd_par_pause();
		hd_par_lock_again(times);
		return;
	}
	me->wait_why = why;
	me->wait_addr = addr;
	me->next = *bucket;
	*bucket = me;
	depth = 0;
	hd_par_suspend(let_lock_go, NULL);
	hd_par_lock_again(times);
}

/* Oldest first: the list has the newest in front. */
void hd_par_wake_all(uintptr_t addr)
{
	struct hd_par_strand **link = bucket_of(addr), *woken = NULL;

	while (*link) {
		struct hd_par_strand *f = *link;

		if (f->wait_addr != addr) {
			link = &f->next;
			continue;
		}
		*link = f->next;
		f->next = woken;
		woken = f;
	}
	while (woken) {
		struct hd_par_strand *next = woken->next;

		hd_par_resume(woken);
		woken = next;
	}
}

bool hd_par_has_waiters(uintptr_t addr)
{
	for (struct hd_par_strand *f = *bucket_of(addr); f; f = f->next) {
		if (f->wait_addr == addr)
			return true;
	}
	return false;
}

static struct hd_par_strand *noted;

void hd_par_note_waiting(struct hd_par_strand *f, bool waits)
{
	struct hd_par_strand **p = &noted;

	if (waits) {
		f->next_noted = noted;
		noted = f;
		return;
	}
	while (*p != f)
		p = &(*p)->next_noted;
	*p = f->next_noted;
}

void hd_par_each_waiting(void (*fn)(struct hd_par_strand *f, void *arg), void *arg)
{
	for (struct hd_par_strand *f = noted; f; f = f->next_noted)
		fn(f, arg);
	for (unsigned i = 0; i < BUCKETS; i++) {
		for (struct hd_par_strand *f = waiting[i]; f; f = f->next)
			fn(f, arg);
	}
}

/* ---- misuse ------------------------------------------------------------------------ */

static void tell(uintptr_t addr, uintptr_t pc, uint32_t ctx, bool here, const char *text)
{
	char line[400];
	int n;

	if (hd_par_checker.misuse) {
		hd_par_checker.misuse(addr, pc, ctx, here, text);
		return;
	}
	n = hd_rt_print(line, sizeof(line), "heddle: misuse at %p: %s\n", (void *)pc, text);
	hd_sys(SYS_write, 2, line, n < (int)sizeof(line) ? n : (int)sizeof(line) - 1);
}

void hd_par_misuse(uintptr_t addr, const char *fmt, ...)
{
	struct hd_par_strand *f = hd_par_current();
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tell(addr, f ? f->pc : HD_CALLER, 0, true, text);
}

void hd_par_misuse_at(uintptr_t pc, uint32_t ctx, const char *text)
{
	tell(0, pc, ctx, false, text);
}

void hd_par_no_task(uintptr_t caller, const char *call)
{
	char text[100];

	hd_rt_print(text, sizeof(text), "%s outside of hj_launch", call);
	tell(0, caller, 0, true, text);
}

void hd_permit_tell(const struct hd_permit_conflict *c)
{
	if (hd_par_checker.permission)
		hd_par_checker.permission(c);
}
