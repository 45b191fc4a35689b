/*
 * What script.c tells about itself.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#define THREADS 4
#define OBJECTS 2

struct result {
	unsigned char sum[THREADS];   /* made of all that the thread has learned */
	unsigned char at[THREADS];    /* how far it came */
	unsigned char guarded[OBJECTS];
	unsigned char atomics[OBJECTS]; /* in the end */
	unsigned char finished[THREADS]; /* nothing is left in its line that others could tell */
};

#endif
