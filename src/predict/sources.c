#include "sources.h"

/* The last write of the read's own thread before it. */
static uint32_t own_write(const struct hd_scene *s, uint32_t read)
{
	uint32_t x = s->object[read], found = HD_NO_NODE;

	for (uint32_t k = s->writes_from[x]; k < s->writes_from[x + 1]; k++)
		if (s->thread[s->writes[k]] == s->thread[read] && s->writes[k] < read)
			found = s->writes[k]; /* they come as observed */
	return found;
}

static bool writes_value(const struct hd_scene *s, const struct hd_lane *lane, uint32_t entry,
			 uint64_t value)
{
	return hd_operation(s->p, lane->thread, s->p->writes.at[entry])->value == value;
}

/* What thread @lane->thread may have written outside the window. */
static bool outside(const struct hd_scene *s, uint32_t read, const struct hd_lane *lane, bool own,
		    hd_source_fn *fn, void *arg)
{
	const struct hd_lanes *l = &s->p->writes;
	uint64_t value = s->op[read]->value;
	uint32_t t = s->thread_of[lane->thread], before, end;

	if (t == HD_NOWHERE)
		return !hd_lane_writes(s->p, lane, value, 0, HD_NOWHERE) ||
		       fn(arg, (struct hd_source){ .kind = HD_SOURCE_BESIDE });
	before = hd_lane_from(l, lane, s->base[t]);
	end = s->base[t] + s->from[t + 1] - s->from[t];
	if (before > lane->first && writes_value(s, lane, before - 1, value)) {
		if (!(own && t == s->thread[read]) &&
		    !fn(arg, (struct hd_source){ .kind = HD_SOURCE_LAST, .thread = t }))
			return false;
	} else if (t != s->thread[read] && hd_lane_writes(s->p, lane, value, 0, s->base[t])) {
		if (!fn(arg, (struct hd_source){ .kind = HD_SOURCE_OLDER, .thread = t }))
			return false;
	}
	if (t == s->thread[read] || !s->goes_on[t] ||
	    !hd_lane_writes(s->p, lane, value, end, HD_NOWHERE))
		return true;
	return fn(arg, (struct hd_source){ .kind = HD_SOURCE_BEHIND, .node = s->from[t + 1] - 1 });
}

static bool has_start(const struct hd_scene *s, uint32_t read, bool own)
{
	const struct hd_instance *in = s->p->in;
	uint32_t x = s->location[s->object[read]];
	const struct hd_lanes *l = &s->p->writes;

	if (own)
		return false;
	if (!s->open || !s->first)
		return s->value[s->object[read]] == s->op[read]->value;
	if ((in->init ? in->init[x] : 0) != s->op[read]->value)
		return false;
	for (uint32_t k = l->lane_of[x]; k < l->lane_of[x + 1]; k++)
		if (s->thread_of[l->lanes[k].thread] == s->thread[read])
			return l->at[l->lanes[k].first] >= s->base[s->thread[read]];
	return true;
}

bool hd_sources_each(const struct hd_scene *s, uint32_t read, hd_source_fn *fn, void *arg)
{
	uint32_t x = s->object[read], own = own_write(s, read), g = s->location[x];
	const struct hd_lanes *l = &s->p->writes;

	if (has_start(s, read, own != HD_NO_NODE) &&
	    !fn(arg, (struct hd_source){ .kind = HD_SOURCE_START }))
		return false;
	for (uint32_t k = s->writes_from[x]; k < s->writes_from[x + 1]; k++) {
		uint32_t w = s->writes[k];

		if (s->op[w]->value != s->op[read]->value ||
		    (s->thread[w] == s->thread[read] && w != own))
			continue;
		if (!fn(arg, (struct hd_source){ .kind = HD_SOURCE_WRITE, .node = w }))
			return false;
	}
	for (uint32_t k = l->lane_of[g]; s->open && k < l->lane_of[g + 1]; k++)
		if (!outside(s, read, &l->lanes[k], own != HD_NO_NODE, fn, arg))
			return false;
	return true;
}
