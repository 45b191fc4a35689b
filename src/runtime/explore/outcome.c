/*
 * What an execution comes to: the order of what threads print, and variables at its end.
 */
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>

#include "common/hash.h"
#include "explore.h"
#include "explore_memory.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"
#include "runtime/sys.h"

#define sh hd_rt_xsh

static uint64_t written; /* a digest of who has printed, and what it had done by then */

void hd_rt_output_point(int fd)
{
	uint64_t was = written;

	if (likely(!hd_rt.opt.output_points) || (fd != STDOUT_FILENO && fd != STDERR_FILENO))
		return;
	hd_rt_point();
	was = written;
	written = hd_hash_all(was + hd_rt.cur->explore.state_past + hd_hash_number(hd_rt.cur->id));
	hd_rt_explore_change((uintptr_t)&written, was, written);
}

void hd_rt_output_flush(void)
{
	if (!hd_rt.exploring || !hd_rt.opt.output_points)
		return;
	hd_rt.busy++;
	HD_REAL(fflush)(NULL);
	hd_rt.busy--;
}

/* Where the first page of the program's file is. */
static int note_base(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t low = UINTPTR_MAX;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD && ph->p_vaddr < low)
			low = ph->p_vaddr & ~(uintptr_t)4095;
	}
	*(uintptr_t *)arg = info->dlpi_addr + low;
	return 1; /* the program comes first */
}

static uint64_t number(const char **p)
{
	uint64_t v = 0;

	for (; **p >= '0' && **p <= '9'; ++*p)
		v = 10 * v + (uint64_t)(**p - '0');
	return v;
}

void hd_rt_explore_observe(void)
{
	const char *p = hd_rt.opt.observe;
	uintptr_t base = 0;

	sh->nobserved = 0;
	if (!p)
		return;
	hd_rt.busy++;
	dl_iterate_phdr(note_base, &base);
	hd_rt.busy--;
	while (*p) {
		uint64_t offset = number(&p), size;

		p += *p == ':';
		size = number(&p);
		if (size > HD_X_OBSERVED - sh->nobserved || (*p && *p != ','))
			return;
		p += *p == ',';
		hd_rt_copy(sh->observed + sh->nobserved, (const void *)(base + offset), size);
		sh->nobserved += (uint32_t)size;
	}
}
