/*
 * Leave out of a run what no order of its threads changes: most accesses of most programs.
 *
 * Those are the accesses to locations that one thread alone has to do with, that nobody writes, or
 * that the first thread writes before there is any other. Whoever comes to such a read
 * sees what it saw, whatever the others did, so every goal over the rest has the same
 * answer as before.
 */
#ifndef HD_PREDICT_THIN_H
#define HD_PREDICT_THIN_H

#include "instance.h"

/* What the threads have to do with a location; start with HD_THIN_UNUSED. */
struct hd_thin_use {
	uint32_t user, writer; /* a thread, HD_THIN_NOBODY or HD_THIN_MANY */
	uint64_t last_write;   /* when: a number that grows */
	bool sync;	       /* it says what synchronisation demands: left alone */
};

#define HD_THIN_NOBODY UINT32_MAX
#define HD_THIN_MANY   (UINT32_MAX - 1)
#define HD_THIN_UNUSED ((struct hd_thin_use){ .user = HD_THIN_NOBODY, .writer = HD_THIN_NOBODY })

void hd_thin_note(struct hd_thin_use *u, uint32_t thread, bool writes, uint64_t at);
/* Could an order change what is read there? Until @alone there is only thread @first; 0: never. */
bool hd_thin_matters(const struct hd_thin_use *u, uint32_t first, uint64_t alone);

/* On an error @in is as it was. */
enum hd_err hd_instance_thin(struct hd_instance *in);

#endif
