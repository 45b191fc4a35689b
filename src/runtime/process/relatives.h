/*
 * Relatives: processes that the program forks, or starts as other programs. Each is followed with a
 * ring of its own, which `heddle run` collects; see launch/children.h for the other side.
 */
#ifndef HD_RUNTIME_RELATIVES_H
#define HD_RUNTIME_RELATIVES_H

#include <stdbool.h>
#include <stdint.h>

/* There is another process that shares descriptors, and maybe memory, with this one. */
extern bool hd_rt_has_relatives __attribute__((visibility("hidden")));

/* Is @addr in the runtime's own memory that relatives share? */
bool hd_rt_is_familys(uintptr_t addr);

/* Before a fork, in the parent: the ring of the child; -1: it is not followed. */
int hd_rt_child_ring(void);
/* Then, in the child, with all its other threads gone. */
void hd_rt_child_begin(int ring);
/* In the parent: what came of the fork, and a child was seen to have ended. */
void hd_rt_child_born(int ring, int pid);
void hd_rt_child_ended(int pid);
/* This process ends. */
void hd_rt_relative_ends(void);

/*
 * @envp with what a program that is started needs to be followed; to be given back after the start has failed.
 * @envp itself if it is not to be followed.
 */
char **hd_rt_follow_env(char *const *envp);
void hd_rt_follow_env_free(char **made, char *const *envp);
/* At the start of a program: the ring that was asked for, and the options in a file; false: none. */
bool hd_rt_follow_start(char **envp, int *ring, int *config);

/*
 * Nobody can run before @left nanoseconds have passed. Relatives that go on meanwhile take part in what
 * happens then, so the time passes for real; if all they do is to wait for others, it need not.
 */
void hd_rt_relatives_pace(uint64_t left);
/* Nobody here can run, whatever the time; and somebody can again. */
void hd_rt_relatives_idle(bool idle);

#endif
