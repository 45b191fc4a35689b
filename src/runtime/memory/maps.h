/* What is mapped where in this process, as the kernel tells it. */
#ifndef HD_RUNTIME_MAPS_H
#define HD_RUNTIME_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct hd_mapping {
	uintptr_t start, end;
	bool readable, writable, shared;
	bool file; /* of a file system, also memory that is shared */
	uint64_t offset, device, inode;
	const char *name; /* not ended by NUL; up to name_end */
	const char *name_end;
};

/*
 * Call @each for all mappings, in the order of addresses, until it returns false. False: they cannot be
 * read. There is one buffer: who asks must not ask again before it is done.
 */
bool hd_rt_each_mapping(bool (*each)(const struct hd_mapping *m, void *arg), void *arg);

#endif
