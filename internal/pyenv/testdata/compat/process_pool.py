"""concurrent.futures: a pool of processes"""
# not in landlock: semaphores and shared memory lie in `/dev/shm`, which is the host's there and stays closed
import concurrent.futures
import multiprocessing


def double(n):
    return n * 2


if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        assert sorted(pool.map(double, [1, 2, 3])) == [2, 4, 6]
