/*
 * memcpy and relatives: what they touch, they touch for the program.
 *
 * Hot: when accesses are not watched, one test and a jump to libc's function. Until the
 * constructor has looked that up, simple loops do (the loader may call us before).
 */
#include "libc_mem.h"

#include <string.h>
#include <strings.h>

#include "runtime/real.h"

/* Keeps the compiler from turning a loop into a call of the function it stands for. */
#define NO_IDIOM() __asm__ volatile("")

static void *plain_memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if (t < f) {
		for (size_t i = 0; i < n; i++) {
			t[i] = f[i];
			NO_IDIOM();
		}
	} else {
		while (n--) {
			t[n] = f[n];
			NO_IDIOM();
		}
	}
	return to;
}

static void *plain_mempcpy(void *restrict to, const void *restrict from, size_t n)
{
	return (char *)plain_memmove(to, from, n) + n;
}

static void *plain_memset(void *p, int byte, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		((char *)p)[i] = (char)byte;
		NO_IDIOM();
	}
	return p;
}

static int plain_memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < n; i++) {
		if (x[i] != y[i])
			return x[i] - y[i];
		NO_IDIOM();
	}
	return 0;
}

static void *plain_memchr(const void *p, int byte, size_t n)
{
	const unsigned char *x = p;

	for (size_t i = 0; i < n; i++) {
		if (x[i] == (unsigned char)byte)
			return (void *)(x + i);
		NO_IDIOM();
	}
	return NULL;
}

static struct {
	void *(*memcpy)(void *restrict, const void *restrict, size_t);
	void *(*memmove)(void *, const void *, size_t);
	void *(*mempcpy)(void *restrict, const void *restrict, size_t);
	void *(*memset)(void *, int, size_t);
	int (*memcmp)(const void *, const void *, size_t);
	void *(*memchr)(const void *, int, size_t);
} real = {
	(void *(*)(void *restrict, const void *restrict, size_t))plain_memmove,
	plain_memmove,
	plain_mempcpy,
	plain_memset,
	plain_memcmp,
	plain_memchr,
};

__attribute__((constructor(101))) static void hd_rt_mem_init(void)
{
	real.memcpy = HD_REAL(memcpy);
	real.memmove = HD_REAL(memmove);
	real.mempcpy = HD_REAL(mempcpy);
	real.memset = HD_REAL(memset);
	real.memcmp = HD_REAL(memcmp);
	real.memchr = (void *(*)(const void *, int, size_t))hd_rt_next("memchr");
}

void hd_rt_two_ranges(const void *from, size_t nfrom, const void *to, size_t nto, bool write)
{
	/* One scheduling point for both, since they are of one call: see range_point(). */
	hd_carrier_range(from, nfrom, false);
	hd_carrier_range(to, nto, write);
}

/* ---- copying ------------------------------------------------------------ */

HD_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_rt_two_ranges(from, n, to, n, true);
	hd_carrier_progress();
	return real.memcpy(to, from, n);
}

HD_EXPORT void *memmove(void *to, const void *from, size_t n)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_rt_two_ranges(from, n, to, n, true);
	hd_carrier_progress();
	return real.memmove(to, from, n);
}

HD_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_rt_two_ranges(from, n, to, n, true);
	hd_carrier_progress();
	return real.mempcpy(to, from, n);
}

HD_EXPORT void bcopy(const void *from, void *to, size_t n)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_rt_two_ranges(from, n, to, n, true);
	hd_carrier_progress();
	real.memmove(to, from, n);
}

HD_EXPORT void *memset(void *p, int byte, size_t n)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_carrier_range(p, n, true);
	hd_carrier_progress();
	return real.memset(p, byte, n);
}

HD_EXPORT void bzero(void *p, size_t n)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_carrier_range(p, n, true);
	hd_carrier_progress();
	real.memset(p, 0, n);
}

HD_EXPORT void explicit_bzero(void *p, size_t n)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_carrier_range(p, n, true);
	hd_carrier_progress();
	real.memset(p, 0, n);
	__asm__ volatile("" : : "r"(p) : "memory");
}

/* ---- looking ------------------------------------------------------------ */

/* How many bytes a comparison looks at: up to the first difference. */
static size_t compared(const void *a, const void *b, size_t n)
{
	const char *x = a, *y = b;

	for (size_t i = 0; i < n; i++) {
		if (x[i] != y[i])
			return i + 1;
	}
	return n;
}

HD_EXPORT int memcmp(const void *a, const void *b, size_t n)
{
	if (hd_carrier_watches_string(HD_CALLER)) {
		size_t seen = compared(a, b, n);

		hd_rt_two_ranges(a, seen, b, seen, false);
	}
	return real.memcmp(a, b, n);
}

HD_EXPORT int bcmp(const void *a, const void *b, size_t n)
{
	if (hd_carrier_watches_string(HD_CALLER)) {
		size_t seen = compared(a, b, n);

		hd_rt_two_ranges(a, seen, b, seen, false);
	}
	return real.memcmp(a, b, n);
}

HD_EXPORT void *memchr(const void *p, int byte, size_t n)
{
	if (hd_carrier_watches_string(HD_CALLER)) {
		const char *found = real.memchr(p, byte, n);

		hd_carrier_range(p, found ? (size_t)(found - (const char *)p) + 1 : n, false);
	}
	return real.memchr(p, byte, n);
}

/* ---- what compilers call instead ---------------------------------------- */

void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room);
void *__memset_chk(void *p, int byte, size_t n, size_t room);
void __explicit_bzero_chk(void *p, size_t n, size_t room);
void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memmove(void *to, const void *from, size_t n);
void *__tsan_memset(void *p, int byte, size_t n);

HD_EXPORT void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	if (hd_carrier_watches(HD_CALLER))
		hd_rt_two_ranges(from, n, to, n, true);
	hd_carrier_progress();
	return real.memcpy(to, from, n);
}

HD_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	if (hd_carrier_watches(HD_CALLER))
		hd_rt_two_ranges(from, n, to, n, true);
	hd_carrier_progress();
	return real.memmove(to, from, n);
}

HD_EXPORT void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	if (hd_carrier_watches(HD_CALLER))
		hd_rt_two_ranges(from, n, to, n, true);
	hd_carrier_progress();
	return real.mempcpy(to, from, n);
}

HD_EXPORT void *__memset_chk(void *p, int byte, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	if (hd_carrier_watches(HD_CALLER))
		hd_carrier_range(p, n, true);
	hd_carrier_progress();
	return real.memset(p, byte, n);
}

HD_EXPORT void __explicit_bzero_chk(void *p, size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
	if (hd_carrier_watches(HD_CALLER))
		hd_carrier_range(p, n, true);
	hd_carrier_progress();
	real.memset(p, 0, n);
}

HD_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_rt_two_ranges(from, n, to, n, true);
	hd_carrier_progress();
	return real.memcpy(to, from, n);
}

HD_EXPORT void *__tsan_memmove(void *to, const void *from, size_t n)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_rt_two_ranges(from, n, to, n, true);
	hd_carrier_progress();
	return real.memmove(to, from, n);
}

HD_EXPORT void *__tsan_memset(void *p, int byte, size_t n)
{
	if (hd_carrier_watches(HD_CALLER))
		hd_carrier_range(p, n, true);
	hd_carrier_progress();
	return real.memset(p, byte, n);
}
