#include "block_path.h"

bool hd_paths_init(struct hd_paths *p)
{
	uint32_t self;

	if (!hd_slab_init(&p->pool, sizeof(struct hd_path_step)))
		return false;
	self = hd_slab_new(&p->pool);
	*hd_path_step(p, self) = (struct hd_path_step){ .refs = 1 };
	return self == HD_PATH_SELF;
}

void hd_paths_free(struct hd_paths *p)
{
	hd_slab_free(&p->pool);
}

uint32_t hd_path_keep(struct hd_paths *p, uint32_t path)
{
	if (path > HD_PATH_SELF)
		hd_path_step(p, path)->refs++;
	return path;
}

void hd_path_drop(struct hd_paths *p, uint32_t path)
{
	while (path > HD_PATH_SELF) {
		struct hd_path_step *s = hd_path_step(p, path);
		uint32_t before = s->before;

		if (--s->refs)
			return;
		hd_slab_drop(&p->pool, path);
		path = before;
	}
}

static const struct hd_path_step *first_of(const struct hd_paths *p, uint32_t path)
{
	const struct hd_path_step *s = hd_path_step(p, path);

	while (s->before > HD_PATH_SELF)
		s = hd_path_step(p, s->before);
	return s;
}

const struct hd_path_step *hd_path_first(const struct hd_paths *p, uint32_t path)
{
	return first_of(p, path);
}

static uint32_t new_step(struct hd_paths *p, uint32_t before, const struct hd_seen *from,
			 const struct hd_seen *to)
{
	uint32_t i = hd_slab_new(&p->pool);

	*hd_path_step(p, i) = (struct hd_path_step){
		.refs = 1, .before = HD_PATH_SELF, .length = 1, .from = *from, .to = *to
	};
	if (before > HD_PATH_SELF && i) {
		hd_path_step(p, i)->before = hd_path_keep(p, before);
		hd_path_step(p, i)->length = (uint16_t)(hd_path_step(p, before)->length + 1);
	}
	/* Out of memory is noticed by the owner of the paths; until then nothing is none. */
	return i ? i : HD_PATH_SELF;
}

uint32_t hd_path_add(struct hd_paths *p, uint32_t path, const struct hd_seen *from,
		     const struct hd_seen *to)
{
	if (path > HD_PATH_SELF && hd_path_step(p, path)->length >= HD_PATH_MAX) {
		uint32_t i = new_step(p, HD_PATH_SELF, &first_of(p, path)->from, to);

		hd_path_step(p, i)->cut = i > HD_PATH_SELF;
		return i;
	}
	return new_step(p, path, from, to);
}

uint32_t hd_path_join(struct hd_paths *p, uint32_t path, uint32_t rest)
{
	uint32_t head, joined;

	if (rest <= HD_PATH_SELF)
		return hd_path_keep(p, path);
	head = hd_path_join(p, path, hd_path_step(p, rest)->before);
	joined = hd_path_add(p, head, &hd_path_step(p, rest)->from, &hd_path_step(p, rest)->to);
	if (joined > HD_PATH_SELF && hd_path_step(p, rest)->cut)
		hd_path_step(p, joined)->cut = true;
	hd_path_drop(p, head);
	return joined;
}
