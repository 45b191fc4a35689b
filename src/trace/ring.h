/*
 * The memory that the tested program shares with the collector.
 *
 * The runtime writes raw events into one of RING_BUFFERS buffers; the collector,
 * another process, encodes and stores full ones. So the program pays one 32-byte
 * store per event, compression runs on another core, and what was recorded
 * survives whatever happens to the program: the cursor itself is shared, so even
 * after `kill -9` the collector reads up to the last whole event.
 *
 * Single producer (execution is serial), single consumer.
 */
#ifndef HD_TRACE_RING_H
#define HD_TRACE_RING_H

#include <stdint.h>

#include "common/pulse.h"

#define HD_RING_MAGIC	0x31474e4952444448ull /* "HDDRING1" */
#define HD_RING_BUFFERS 4u
#define HD_RING_EVENTS	(1u << 16) /* raw events in a buffer: 2 MiB */

/*
 * A raw event. Which thread it belongs to follows from the HD_RAW_SWITCH before it.
 */
struct hd_raw {
	uint64_t addr;
	uint64_t value;
	uint64_t pc_size; /* pc: low 48 bits; size: high 16 */
	uint32_t ctx;
	uint16_t arg;
	uint8_t op;    /* enum hd_op or enum hd_raw_op */
	uint8_t spare; /* 1: a WRITE whose value is not known yet; else zero */
};

#define HD_RAW_PC_BITS 48
#define HD_RAW_PC(r)   ((r)->pc_size & ((UINT64_C(1) << HD_RAW_PC_BITS) - 1))
#define HD_RAW_SIZE(r) ((uint32_t)((r)->pc_size >> HD_RAW_PC_BITS))

/*
 * Events that must not come from a stray store of the program, for they say that it is wrong, or that a plan
 * has reached its goal: each has a record with the seal before it.
 */
#define HD_RING_SEALED(op) ((op) == HD_OP_FINDING || (op) == HD_OP_GOAL || (op) == HD_OP_STOPPED)

/* Raw records that are not events; codes above every enum hd_op. */
enum hd_raw_op {
	HD_RAW_SWITCH = 200, /* the following events are thread `value`'s */
	HD_RAW_VALUE2,	     /* `value` is value2 of the event before it */
	HD_RAW_STRING,	     /* string number `value`, `addr` bytes, in the following
	                        (addr + 31) / 32 slots */
	HD_RAW_CONTEXT,	     /* context `ctx` is a call from `value` in context `addr` */
	HD_RAW_DROP,	     /* `value` occurrences of what string `addr` names were not recorded */
	HD_RAW_BUILD_ID,     /* string `value` is the build id (hex) of the module at `addr` */
	HD_RAW_SEAL, /* `value` is the ring's seal: the event that follows is no stray store */
	HD_RAW_LOOP, /* a loop of accesses: below */
	HD_RAW_PAD,  /* this and `value` slots after it have nothing */
};

/*
 * A loop whose accesses lie side by side: `value` rounds of `arg` accesses each, in `addr` slots behind
 * this one. `spare` is 1 while the values of its writes are not known yet.
 *
 * First a record for each access: that of its first round, but that `value` is how far it moves from
 * round to round: 0, or its size up or down. Then for each the bytes of its memory, or of the one
 * place, from the lowest address on, up to a multiple of eight; and eight more, for who reads in eights.
 */
#define HD_LOOP_PARTS 16u

/* The bytes of one of its accesses. */
static inline uint64_t hd_loop_bytes(const struct hd_raw *part, uint64_t rounds)
{
	return ((part->value ? rounds : 1) * HD_RAW_SIZE(part) + 7) & ~UINT64_C(7);
}

/* The slots behind the first. */
static inline uint64_t hd_loop_slots(const struct hd_raw *parts, unsigned n, uint64_t rounds)
{
	uint64_t bytes = 8;

	for (unsigned i = 0; i < n; i++)
		bytes += hd_loop_bytes(&parts[i], rounds);
	return n + (bytes + sizeof(struct hd_raw) - 1) / sizeof(struct hd_raw);
}

/* Why a program does not run with --parallel. */
#define HD_REFUSED_OPENMP                                                                          \
	"the program uses OpenMP, which does not run on worker threads: run it "                   \
	"without --parallel"

enum { HD_RING_CLEAN = 1, HD_RING_FINDINGS }; /* how a collector is done */

/*
 * First page of the mapping; the buffers follow at HD_RING_HEADER.
 *
 * The producer owns cursor; it raises `produced` (release) when buffer
 * produced % HD_RING_BUFFERS is full and goes on in the next one as soon as
 * produced - consumed < HD_RING_BUFFERS. The collector raises `consumed`
 * (release). Both are futex words.
 */
struct hd_ring {
	uint64_t magic;
	uint32_t version;
	uint32_t attached; /* the runtime has mapped the ring: 1; it has finished its part: 2 */
	uint32_t produced; /* full buffers handed over so far */
	uint32_t consumed; /* buffers encoded so far */
	uint32_t collector_waits, producer_waits;
	uint32_t stop; /* collector -> runtime: recording is over (disk full, ...) */
	uint32_t
		done; /* collector -> runtime: everything handed over is stored, and told: HD_RING_* */
	int32_t target_pid, collector_pid;
	uint64_t seal;	  /* a number that nobody guesses, from the collector */
	uint64_t cursor;  /* index of the next raw event in the current buffer */
	uint32_t damaged; /* the runtime has found this header overwritten, and records no more */
	uint32_t refused; /* the program has ended because of HD_REFUSED_OPENMP */
	uint64_t
		start_time; /* seconds since 1970 that the program was shown as its start; 0: it never looked */
	struct hd_pulse pulse;
};

/*
 * A process that a followed one forked, or a program that it started, asks whoever collects for it: a
 * message with the descriptor of its ring. The answer has one of a file with options, if they are wanted.
 */
#define HD_RING_LABEL 64 /* "2.1": the first child of the second child; cut off if longer */
struct hd_ring_request {
	uint32_t version;
	uint32_t wants_options;
	char label[HD_RING_LABEL];
};
struct hd_ring_answer {
	uint32_t accepted;
};

#define HD_RING_VERSION 4u
#define HD_RING_HEADER	4096u
#define HD_RING_BYTES                                                                              \
	(HD_RING_HEADER + (uint64_t)HD_RING_BUFFERS * HD_RING_EVENTS * sizeof(struct hd_raw))

#endif
