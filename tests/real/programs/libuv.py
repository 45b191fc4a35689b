import os

from harness import run
from tool import Tool

TESTS = ("thread_create", "thread_local_storage", "thread_stack_size", "thread_mutex",
         "thread_mutex_recursive", "thread_rwlock", "thread_rwlock_trylock", "condvar_1", "condvar_2",
         "condvar_3", "condvar_4", "condvar_5", "semaphore_1", "semaphore_2", "semaphore_3", "barrier_1",
         "barrier_2", "barrier_3", "barrier_serial_thread", "threadpool_queue_work_simple",
         "threadpool_cancel_work", "async", "timer", "timer_again", "timer_run_once")


class Libuv(Tool):
    """The library's own tests of threads, of its pool of threads and of timers, each in the process
    itself (the runner's second argument)."""

    package, binary = "libuv1", "build/uv_run_tests_a"
    packages = ("cmake",)
    search_arguments = ("condvar_3", "condvar_3")

    def build(self, tree, cc, cxx, env):
        words = cc.split()
        run(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_C_COMPILER={words[0]}",
             *(f"-DCMAKE_C_COMPILER_ARG1={w}" for w in words[1:]), "-DCMAKE_C_FLAGS=-O1 -g"],
            cwd=tree, env={k: v for k, v in env.items() if k != "CC"})
        run(["cmake", "--build", "build", "-j2", "--target", "uv_run_tests_a"], cwd=tree, env=env)

    def use(self, command, cwd):
        for test in TESTS:
            run([*command, test, test], cwd=cwd, ok=(0, 1) if len(command) > 1 else (0,),
                env=dict(os.environ, UV_RUN_AS_ROOT="1"))
        return b""

    def search(self, command, cwd):
        return run([*command, *self.search_arguments], cwd=cwd, ok=(0, 1, 2, 4),
                   env=dict(os.environ, UV_RUN_AS_ROOT="1"))
