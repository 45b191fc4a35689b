/* Read a variable, and nothing else: no compiler leaves it out or moves it. */
#ifndef USE_H
#define USE_H

#define USE(x) __asm__ volatile("" : : "r"(x))

#endif
