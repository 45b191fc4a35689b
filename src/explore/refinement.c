#include "refinement.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static size_t position(const struct hd_places *p, uint64_t place)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->list[mid] < place)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool hd_places_add(struct hd_places *p, uint64_t place, bool *new)
{
	size_t at = position(p, place);

	if (!place || (at < p->n && p->list[at] == place))
		return true;
	if (!HD_ROOM(p->list, p->room, p->n + 1))
		return false;
	memmove(p->list + at + 1, p->list + at, (p->n - at) * sizeof(*p->list));
	p->list[at] = place;
	p->n++;
	*new = true;
	return true;
}

bool hd_refinement_learn(struct hd_refinement *r, const struct hd_xfault *f, bool race)
{
	struct hd_places *to = race ? &r->sites : &r->regions;

	return hd_places_add(to, f->places[0], &r->changed) &&
	       hd_places_add(to, f->places[1], &r->changed);
}

char *hd_places_text(const struct hd_places *p, size_t max, bool *too_many)
{
	char *text = NULL;
	size_t len = 0;
	uint64_t last = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	for (size_t i = 0; i < p->n; i++) {
		fprintf(out, "%s%" PRIx64, i ? "," : "", p->list[i] - last);
		last = p->list[i];
	}
	if (fclose(out) == 0 && (len <= max || !too_many))
		return text;
	if (len > max && too_many)
		*too_many = true;
	free(text);
	return NULL;
}

void hd_refinement_free(struct hd_refinement *r)
{
	free(r->sites.list);
	free(r->regions.list);
	*r = (struct hd_refinement){ 0 };
}
