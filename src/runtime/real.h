/*
 * The functions behind ours: HD_REAL(read)(fd, buf, n) calls libc's read.
 * Looked up once per place of use.
 */
#ifndef HD_RUNTIME_REAL_H
#define HD_RUNTIME_REAL_H

void *hd_rt_next(const char *name);

#define HD_REAL(fn)                                                                                \
	({                                                                                         \
		static __typeof__(&fn) real_;                                                      \
		if (__builtin_expect(!real_, 0))                                                   \
			real_ = (__typeof__(&fn))hd_rt_next(#fn);                                  \
		real_;                                                                             \
	})

#endif
