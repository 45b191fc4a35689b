"""Two threads of an interpreter that add up numbers under a lock."""
import threading

LOCK = threading.Lock()
TOTAL = [0]


def work():
    for i in range(3000):
        with LOCK:
            TOTAL[0] += i


THREADS = [threading.Thread(target=work) for _ in range(2)]
for thread in THREADS:
    thread.start()
for thread in THREADS:
    thread.join()
print(TOTAL[0])
