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

/* On an error @in is as it was. */
enum hd_err hd_instance_thin(struct hd_instance *in);

#endif
