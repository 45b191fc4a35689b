/*
 * What printf and scanf touch by their formats: the strings of %s, what %n and scanf's conversions store.
 *
 * Printing: look at the call, let others run if it touches anything, tell what it reads, call libc, tell what it stored.
 * hd_rt_before_print() is the first three.
 */
#ifndef HD_RUNTIME_LIBC_FORMATS_H
#define HD_RUNTIME_LIBC_FORMATS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HD_FORMAT_ARGS	      48 /* what is behind these is not told */
#define HD_FORMAT_CONVERSIONS 48

enum hd_conversion_kind { HD_CONV_STRING, HD_CONV_WIDE_STRING, HD_CONV_STORE, HD_CONV_CHARS };

struct hd_conversion {
	enum hd_conversion_kind kind;
	uint8_t arg;	      /* its number among the arguments, from 0 */
	int8_t precision_arg; /* the one that says how much at most; -1: none */
	bool counts;	      /* scanf: counted in what it returns */
	bool certain;	      /* scanf: a %n that comes directly behind the conversion before it */
	uint32_t size;	      /* HD_CONV_STORE, HD_CONV_CHARS: bytes */
	int64_t precision;    /* elements at most; -1: up to the end */
};

struct hd_format {
	unsigned n;
	struct hd_conversion conversions[HD_FORMAT_CONVERSIONS];
	unsigned nargs;
	uintptr_t args[HD_FORMAT_ARGS];
};

/* What a call of printf with @args will touch. @wide: @fmt is of wide characters. */
void hd_rt_print_look(struct hd_format *f, const void *fmt, bool wide, va_list args);
/* Tell of what it reads, and afterwards of what it stored. */
void hd_rt_print_reads(const struct hd_format *f);
void hd_rt_print_stored(const struct hd_format *f);
/*
 * The same with a scheduling point. It comes in any case if @point, else if anything is touched that others could
 * change. False: nobody watches, and @f is empty.
 */
bool hd_rt_before_print(struct hd_format *f, const void *fmt, bool wide, va_list args,
			uintptr_t caller, bool point);

/* What a call of scanf with @args has stored that returned @stored. @old: "%as" allocates. */
void hd_rt_scan_stored(const void *fmt, bool wide, bool old, int stored, va_list args);

#endif
