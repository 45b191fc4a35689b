/*
 * What a step did to a thin location, by number.
 */
#include "task_thin.h"

static void do_more(struct hd_thin_did *d, uint32_t site, bool write)
{
	if ((d->flags & (HD_THIN_READ | HD_THIN_WROTE)) && !(d->flags & HD_THIN_PAIR)) {
		d->pair[0] = d->last;
		d->pair[1] = site;
		d->flags |= HD_THIN_PAIR;
	}
	if (write && (d->flags & (HD_THIN_LAST_READ | HD_THIN_STALE)) == HD_THIN_LAST_READ) {
		d->stale[0] = d->last;
		d->stale[1] = site;
		d->flags |= HD_THIN_STALE;
	}
	if (write && (d->flags & (HD_THIN_WROTE | HD_THIN_WRITES)) == HD_THIN_WROTE) {
		d->writes[0] = d->wrote;
		d->writes[1] = site;
		d->flags |= HD_THIN_WRITES;
	}
	if (write) {
		d->wrote = site;
		d->flags = (d->flags | HD_THIN_WROTE) & ~(uint32_t)HD_THIN_LAST_READ;
	} else {
		d->read = d->flags & HD_THIN_READ ? d->read : site;
		d->flags |= HD_THIN_READ | HD_THIN_LAST_READ;
	}
	d->last = site;
}

/* HD_THIN_DONE_*, after all this. */
static uint32_t done_with(uint32_t flags)
{
	const uint32_t reads = HD_THIN_READ | HD_THIN_PAIR;
	const uint32_t writes = HD_THIN_WROTE | HD_THIN_PAIR | HD_THIN_WRITES;
	uint32_t last = flags & (HD_THIN_LAST_READ | HD_THIN_STALE);

	return ((flags & reads) == reads && last ? HD_THIN_DONE_READ : 0) |
	       ((flags & writes) == writes && last != HD_THIN_LAST_READ ? HD_THIN_DONE_WRITE : 0);
}

uint32_t hd_thin_after(struct hd_thin *t, uint32_t doing, uint32_t site, bool write)
{
	struct hd_thin_did did = t->dids[doing >> HD_THIN_DID_AT];
	uint32_t number;

	do_more(&did, site, write);
	number = hd_intern_put(&t->known, &did, sizeof(did));
	if (!number || number >= HD_THIN_DIDS)
		return 0;
	t->dids[number] = did;
	return number << HD_THIN_DID_AT | (did.flags & HD_THIN_KINDS) << HD_THIN_KIND_AT |
	       done_with(did.flags);
}
