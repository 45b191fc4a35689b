#include "explore_sites.h"

#include "common/hash.h"
#include "runtime/memory/arena.h"

struct hd_rt_sites hd_rt_switch_sites, hd_rt_calm_regions;

static uintptr_t *slot_of(uintptr_t *table, uint32_t size, uintptr_t pc)
{
	uint32_t i = hd_hash_place(pc, size - 1);

	while (table[i] && table[i] != pc)
		i = (i + 1) & (size - 1);
	return &table[i];
}

void hd_rt_sites_add(struct hd_rt_sites *s, uintptr_t pc)
{
	if (hd_rt_sites_has(s, pc))
		return;
	if (2 * s->n >= s->cap) {
		uint32_t bigger = s->cap ? 2 * s->cap : 64;
		uintptr_t *table = hd_rt_alloc(bigger * sizeof(*table));

		for (uint32_t i = 0; i < s->cap; i++) {
			if (s->slots[i])
				*slot_of(table, bigger, s->slots[i]) = s->slots[i];
		}
		if (s->cap)
			hd_rt_free(s->slots, s->cap * sizeof(*s->slots));
		s->slots = table;
		s->cap = bigger;
	}
	*slot_of(s->slots, s->cap, pc) = pc;
	s->n++;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool hd_rt_sites_read(struct hd_rt_sites *s, const char *list)
{
	uintptr_t pc = 0;

	while (*list) {
		uintptr_t step = 0;

		if (digit_of(*list) < 0)
			return false;
		for (; digit_of(*list) >= 0; list++)
			step = step << 4 | (uintptr_t)digit_of(*list);
		pc += step;
		if (!step)
			return false;
		hd_rt_sites_add(s, pc);
		if (*list && *list++ != ',')
			return false;
	}
	return true;
}

bool hd_rt_sites_has(const struct hd_rt_sites *s, uintptr_t pc)
{
	return s->n && *slot_of(s->slots, s->cap, pc) != 0;
}

void hd_rt_sites_start(void)
{
	if (hd_rt_switch_sites.n)
		hd_rt.mode |= HD_M_SITES;
}
