#include "block_names.h"

#include <pthread.h>
#include <semaphore.h>

#include "explain.h"
#include "source_lines.h"

#define USES_MAX 8 /* places in the code that are asked about a block */

bool hd_block_part(const struct hd_run *run, const struct hd_origin *o, const uint64_t *pcs,
		   size_t n, uint64_t addr, uint64_t size, char *buf, size_t len)
{
	uint64_t used[USES_MAX + 1];
	const char *lines[USES_MAX + 1];
	char texts[USES_MAX + 1][256];
	struct hd_block_use use = { .block = o->alloc.value,
				    .offset = addr - o->alloc.addr,
				    .size = size,
				    .pcs = used,
				    .lines = lines };

	if (!run->symbols || !hd_is_heap_block(o) || use.offset >= use.block)
		return false;
	for (size_t i = 0; i < n && use.n < USES_MAX; i++) {
		struct hd_frame frame;
		char *text = texts[use.n];

		if (!pcs[i] || !hd_run_frame(run, pcs[i], &frame))
			continue;
		lines[use.n] = hd_source_line(&frame, text, sizeof(texts[0])) ? text : NULL;
		used[use.n++] = pcs[i];
	}
	/* Its line names what is allocated, not what is accessed. */
	lines[use.n] = NULL;
	used[use.n++] = o->alloc.pc;
	return hd_symbols_block(run->symbols, &use, buf, len);
}

bool hd_finding_part(const struct hd_run *run, const struct hd_finding *f, uint64_t addr,
		     uint64_t size, char *buf, size_t len)
{
	uint64_t pcs[USES_MAX];
	size_t n = 0;

	for (size_t i = 0; i < f->naccesses && n < USES_MAX; i++)
		pcs[n++] = f->accesses[i].event.pc;
	return hd_block_part(run, &f->location.origin, pcs, n, addr, size, buf, len);
}

bool hd_finding_label(const struct hd_run *run, const struct hd_finding *f, uint64_t addr,
		      uint64_t size, char *buf, size_t len)
{
	return hd_finding_name(run, f, addr, size, buf, len) ||
	       hd_finding_part(run, f, addr, size, buf, len);
}

bool hd_object_part(const struct hd_run *run, uint64_t addr, char *buf, size_t len)
{
	/* One that a struct begins with is told from the struct by its size, which nobody knows. */
	static const uint64_t sizes[] = { 0, sizeof(pthread_mutex_t), sizeof(pthread_cond_t),
					  sizeof(pthread_rwlock_t), sizeof(sem_t) };
	const struct hd_place *p = hd_run_place(run, addr);
	uint64_t pcs[USES_MAX];
	size_t n = 0;

	if (!p)
		return false;
	pcs[n++] = p->origin.init.pc;
	for (size_t i = 0; i < p->ntakers && n < USES_MAX; i++)
		pcs[n++] = p->takers[i].pc;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (hd_block_part(run, &p->origin, pcs, n, addr, sizes[i], buf, len))
			return true;
	}
	return false;
}

static bool location_label(const struct hd_run *run, const struct hd_event *ev, char *buf,
			   size_t len)
{
	const struct hd_place *p = hd_run_place(run, ev->addr);

	return hd_location_name(run, ev->addr, ev->size, buf, len) ||
	       (p && hd_block_part(run, &p->origin, &ev->pc, 1, ev->addr, ev->size, buf, len));
}

bool hd_event_label(const struct hd_run *run, const struct hd_event *ev, char *buf, size_t len)
{
	const struct hd_op_info *info = &hd_op_info[ev->op < HD_OP_LIMIT ? ev->op : 0];

	if (info->addr == HD_U_LOC)
		return location_label(run, ev, buf, len);
	return info->addr == HD_U_OBJ &&
	       (hd_object_name(run, ev->addr, buf, len) || hd_object_part(run, ev->addr, buf, len));
}
