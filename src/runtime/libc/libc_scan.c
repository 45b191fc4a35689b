/*
 * Scanning strings: they are read to their end, as libc looks for it; what is stored, the format says.
 *
 * There are two of each, "sscanf" and "__isoc99_sscanf", and the headers map the one name to the other; so ours have
 * names of their own, and the symbols are given by hand.
 */
#include <stdio.h>
#include <wchar.h>

#include "libc_formats.h"
#include "libc_mem.h"
#include "runtime/real.h"

static size_t wide_bytes(const wchar_t *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return (n + 1) * sizeof(*s);
}

#define SCANS(kind, prefix, v, plain, type, bytes, wide, old)                                      \
	HD_EXPORT int hd_rt_##v##_##kind(const type *restrict s, const type *restrict fmt,         \
					 va_list args) __asm__(prefix #v);                         \
	HD_EXPORT int hd_rt_##plain##_##kind(const type *restrict s, const type *restrict fmt,     \
					     ...) __asm__(prefix #plain);                          \
                                                                                                   \
	static int scan_##plain##_##kind(uintptr_t caller, const type *s, const type *fmt,         \
					 va_list args)                                             \
	{                                                                                          \
		static int (*real)(const type *, const type *, va_list);                           \
		bool watched = hd_carrier_watches_string(caller);                                  \
		va_list copy;                                                                      \
		int n;                                                                             \
                                                                                                   \
		if (!real)                                                                         \
			real = (__typeof__(real))hd_rt_next(prefix #v);                            \
		if (watched) {                                                                     \
			hd_carrier_range(s, bytes(s), false);                                      \
			hd_carrier_settle();                                                       \
		}                                                                                  \
		va_copy(copy, args);                                                               \
		n = real(s, fmt, copy);                                                            \
		va_end(copy);                                                                      \
		hd_carrier_progress();                                                             \
		if (watched && hd_carrier_watches(caller))                                         \
			hd_rt_scan_stored(fmt, wide, old, n, args);                                \
		return n;                                                                          \
	}                                                                                          \
	int hd_rt_##v##_##kind(const type *restrict s, const type *restrict fmt, va_list args)     \
	{                                                                                          \
		return scan_##plain##_##kind(HD_CALLER, s, fmt, args);                             \
	}                                                                                          \
	int hd_rt_##plain##_##kind(const type *restrict s, const type *restrict fmt, ...)          \
	{                                                                                          \
		va_list args;                                                                      \
		int n;                                                                             \
                                                                                                   \
		va_start(args, fmt);                                                               \
		n = scan_##plain##_##kind(HD_CALLER, s, fmt, args);                                \
		va_end(args);                                                                      \
		return n;                                                                          \
	}

#define whole(s) hd_rt_bytes_of(s, SIZE_MAX)

SCANS(gnu, "", vsscanf, sscanf, char, whole, false, true)
SCANS(iso, "__isoc99_", vsscanf, sscanf, char, whole, false, false)
SCANS(gnu, "", vswscanf, swscanf, wchar_t, wide_bytes, true, true)
SCANS(iso, "__isoc99_", vswscanf, swscanf, wchar_t, wide_bytes, true, false)
