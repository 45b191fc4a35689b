/*
 * Instructions that an explorer treats in a way of their own, named in options as lists in
 * hexadecimal, in increasing order, each as the distance from the one before it: "401136,1c,8".
 *
 * switch-sites: others may run before their accesses, besides what --switch-at says; those that
 * raced in an earlier round. calm-regions: permission regions that are opened there are not
 * worth a decision.
 */
#ifndef HD_RUNTIME_EXPLORE_SITES_H
#define HD_RUNTIME_EXPLORE_SITES_H

#include "runtime/rt.h"

struct hd_rt_sites {
	uintptr_t *slots; /* hash table; 0: unused */
	uint32_t n, cap;
};

extern struct hd_rt_sites hd_rt_switch_sites, hd_rt_calm_regions;

void hd_rt_sites_add(struct hd_rt_sites *s, uintptr_t pc);
/* False: it is no such list. */
bool hd_rt_sites_read(struct hd_rt_sites *s, const char *list);
bool hd_rt_sites_has(const struct hd_rt_sites *s, uintptr_t pc);
/* The runtime is in charge: from now on the sites are scheduling points. */
void hd_rt_sites_start(void);

static inline bool hd_rt_is_site(uintptr_t pc)
{
	return unlikely(hd_rt.mode & HD_M_SITES) && hd_rt_sites_has(&hd_rt_switch_sites, pc);
}

#endif
