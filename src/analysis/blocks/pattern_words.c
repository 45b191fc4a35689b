/*
 * Variables: words of memory and groups of them, which come and go with the memory.
 */
#include "pattern_impl.h"

#include "common/array.h"
#include "trace/event_meaning.h"

enum hd_err hd_patterns_learn(struct hd_patterns *p, const struct hd_event *events, size_t n)
{
	if (!p->learning)
		p->learning = hd_sharing_new(HD_SHARING_TORN);
	if (!p->learning)
		return HD_ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		struct hd_pattern_touch t;

		if (hd_op_is_access(events[i].op) && !hd_pattern_touches(p, &events[i], &t))
			continue;
		if (!hd_sharing_learn(p->learning, &events[i]))
			return HD_ERR_NOMEM;
	}
	return HD_OK;
}

static bool take_word(void *arg, uint64_t word)
{
	return hd_map_set(arg, word, 1);
}

/* What was learnt is used from now on; only the words that matter are kept of it. */
bool hd_patterns_use_learnt(struct hd_patterns *p)
{
	bool ok = hd_sharing_each(p->learning, take_word, &p->shared);

	hd_sharing_free(p->learning);
	p->learning = NULL;
	p->learnt = true;
	return ok;
}

bool hd_pattern_matters(const struct hd_patterns *p, uint64_t word)
{
	return !p->learnt || hd_map_get(&p->shared, word);
}

uint32_t hd_pattern_variable(struct hd_patterns *p, struct hd_map *map, uint64_t key, int32_t group)
{
	uint64_t at = hd_map_get(map, key);

	if (at)
		return (uint32_t)at;
	if (p->nvars >= UINT32_MAX / 2 || !HD_ROOM(p->vars, p->vars_room, p->nvars + 1) ||
	    !hd_map_set(map, key, p->nvars)) {
		p->failed = true;
		return 0;
	}
	p->vars[p->nvars] = (struct hd_variable){ .key = key, .group = group };
	return (uint32_t)p->nvars++;
}

enum hd_err hd_patterns_add_group(struct hd_patterns *p, const struct hd_group_range *range)
{
	uint64_t from = range->addr >> HD_PATTERN_WORD_SHIFT, to;
	uint32_t var;

	if (!range->len || range->len > UINT64_MAX - range->addr)
		return HD_OK;
	to = (range->addr + range->len - 1) >> HD_PATTERN_WORD_SHIFT;
	var = hd_pattern_variable(p, &p->group_var, range->group,
				  (int32_t)(range->group & INT32_MAX));
	if (!var)
		return HD_ERR_NOMEM;
	for (uint64_t w = from; w <= to; w++) {
		struct hd_pattern_member m = { range->addr, range->len, var,
					       (uint32_t)hd_map_get(&p->member_of, w) };

		if (p->nmembers >= UINT32_MAX ||
		    !HD_ROOM(p->members, p->members_room, p->nmembers + 1) ||
		    !hd_map_set(&p->member_of, w, p->nmembers))
			return HD_ERR_NOMEM;
		p->members[p->nmembers++] = m;
	}
	return HD_OK;
}

static void retire_word(struct hd_patterns *p, uint64_t word)
{
	uint64_t var = hd_map_get(&p->var_of, word), i = hd_map_get(&p->member_of, word);

	if (var)
		hd_pattern_retire(p, (uint32_t)var);
	/* What is freed leaves its groups; their other members start anew. */
	for (; i; i = p->members[i].next) {
		if (p->members[i].len)
			hd_pattern_retire(p, p->members[i].var);
		p->members[i].len = 0;
	}
}

/* Memory that is given away or handed out: what comes there next is another variable. */
void hd_pattern_retire_range(struct hd_patterns *p, uint64_t addr, uint64_t len)
{
	uint64_t from = addr >> HD_PATTERN_WORD_SHIFT, n;

	if (!len || len > UINT64_MAX - addr)
		return;
	n = ((addr + len - 1) >> HD_PATTERN_WORD_SHIFT) - from + 1;
	if (n <= p->nvars + p->nmembers) {
		for (uint64_t i = 0; i < n; i++)
			retire_word(p, from + i);
		return;
	}
	for (size_t i = 1; i < p->nvars; i++) {
		if (p->vars[i].group < 0 && p->vars[i].key - from < n)
			hd_pattern_retire(p, (uint32_t)i);
	}
	for (size_t i = 1; i < p->nmembers; i++) {
		struct hd_pattern_member *m = &p->members[i];

		if (m->len && hd_pattern_overlap(m->addr, m->len, addr, len)) {
			hd_pattern_retire(p, m->var);
			m->len = 0;
		}
	}
}
