/*
 * Hooks that do nothing, in a library of their own as heddle's are: what the compiler's calls alone
 * cost a program.
 */
#define EMPTY(name)                                                                                \
	void __tsan_##name(void);                                                                  \
	void __tsan_##name(void)                                                                   \
	{                                                                                          \
	}
#define EMPTY_SIZES(name) EMPTY(name##1) EMPTY(name##2) EMPTY(name##4) EMPTY(name##8) EMPTY(name##16)

EMPTY_SIZES(read)
EMPTY_SIZES(write)
EMPTY_SIZES(unaligned_read)
EMPTY_SIZES(unaligned_write)
EMPTY(read_range)
EMPTY(write_range)
EMPTY(func_entry)
EMPTY(func_exit)
EMPTY(init)
