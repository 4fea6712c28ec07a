"""multiprocessing: queues, locks and pools"""
# not in landlock: semaphores and shared memory lie in `/dev/shm`, which is the host's there and stays closed
import multiprocessing


def square(n):
    return n * n


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]
    queue = context.Queue()
    queue.put("x")
    assert queue.get(timeout=20) == "x"
