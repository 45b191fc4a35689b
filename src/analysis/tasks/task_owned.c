#include "task_owned.h"

#include <stdlib.h>

#include "common/array.h"

#define SPAN 1024u /* bytes that a word of bits stands for */

void hd_owned_free(struct hd_owned *o)
{
	free(o->stacks);
	hd_map_free(&o->blocks);
	*o = (struct hd_owned){ 0 };
}

bool hd_owned_range(struct hd_owned *o, uint64_t addr, uint64_t len, bool begins)
{
	size_t i = 0;

	while (i < o->nstacks && (o->stacks[i].addr != addr || o->stacks[i].len != len))
		i++;
	if (!begins) {
		if (i == o->nstacks)
			return true;
		if (--o->stacks[i].times == 0)
			o->stacks[i] = o->stacks[--o->nstacks];
		if (o->open && --o->open == 0)
			hd_map_free(&o->blocks); /* what is left is for everybody from now on */
		return true;
	}
	if (i == o->nstacks) {
		if (!HD_ROOM(o->stacks, o->stacks_room, o->nstacks + 1))
			return false;
		o->stacks[o->nstacks++] = (struct hd_owned_stack){ .addr = addr, .len = len };
	}
	o->stacks[i].times++;
	o->open++;
	return true;
}

/* The bits of the 16 bytes from @addr up to @end in the word that @addr is in. */
static uint64_t bits(uint64_t addr, uint64_t end)
{
	uint64_t base = addr & ~(uint64_t)(SPAN - 1);
	unsigned from = (unsigned)(addr - base) / 16;
	unsigned to = end - base >= SPAN ? 64 : (unsigned)(end - base + 15) / 16;

	return (to == 64 ? ~UINT64_C(0) : (UINT64_C(1) << to) - 1) & ~((UINT64_C(1) << from) - 1);
}

bool hd_owned_alloc(struct hd_owned *o, uint64_t addr, uint64_t len)
{
	uint64_t end = addr + len;

	if (!o->open)
		return true;
	while (addr < end) {
		uint64_t key = addr / SPAN;

		if (!hd_map_set(&o->blocks, key + 1,
				hd_map_get(&o->blocks, key + 1) | bits(addr, end)))
			return false;
		addr = (key + 1) * SPAN;
	}
	return true;
}

void hd_owned_free_block(struct hd_owned *o, uint64_t addr, uint64_t len)
{
	uint64_t end = addr + len;

	while (o->open && o->blocks.count && addr < end) {
		uint64_t key = addr / SPAN, old = hd_map_get(&o->blocks, key + 1);

		if (old)
			hd_map_set(&o->blocks, key + 1, old & ~bits(addr, end));
		addr = (key + 1) * SPAN;
	}
}

bool hd_owned_find(const struct hd_owned *o, uint64_t addr)
{
	for (size_t i = 0; i < o->nstacks; i++) {
		if (addr - o->stacks[i].addr < o->stacks[i].len)
			return true;
	}
	return o->blocks.count && hd_map_get(&o->blocks, addr / SPAN + 1) >> (addr % SPAN / 16) & 1;
}
