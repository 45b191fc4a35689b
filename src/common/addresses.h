/*
 * Can programs be started without address randomisation? Container engines forbid it by default.
 */
#ifndef HD_COMMON_ADDRESSES_H
#define HD_COMMON_ADDRESSES_H

#include <stdbool.h>
#include <sys/personality.h>

/* Asked by trying it; nothing is different afterwards. */
static inline bool hd_addresses_can_be_fixed(void)
{
	int now = personality(0xffffffff);

	if (now == -1)
		return false;
	if (now & ADDR_NO_RANDOMIZE)
		return true;
	if (personality((unsigned long)now | ADDR_NO_RANDOMIZE) == -1)
		return false;
	personality((unsigned long)now);
	return true;
}

#endif
