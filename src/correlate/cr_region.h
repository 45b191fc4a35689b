/*
 * --algorithm paper, the inference half: computational units and correlated sets by the region hypothesis,
 * as an alternative to the labels of cr_label.h. A label then is a number that stands for the unit and the set of a value;
 * where values meet, units and sets are merged. What carries labels (registers, decisions, memory) is the same.
 */
#ifndef CR_REGION_H
#define CR_REGION_H

#include "cr.h"

/* A value is made of both. */
cr_label cr_region_unite(cr_label a, cr_label b);

/* Accesses, all of them: see cr_access.h. */
VG_REGPARM(2) UWord cr_region_read(UWord a, UWord at);
VG_REGPARM(3) void cr_region_write(UWord a, UWord at, UWord label);
VG_REGPARM(2) UWord cr_region_atomic(UWord a, UWord at);
void cr_region_range(Addr a, SizeT len, Bool write, Addr pc);

/* The memory has a new life. */
void cr_region_forget(Addr granule);

/* Each word that several threads have used, with its set; threads are a set of bits. */
void cr_region_each(void (*take)(Addr word, UInt set, ULong threads, Bool written));

/* Segments that are of use. */
void cr_region_segments(void (*mark)(UInt segment));

#endif
