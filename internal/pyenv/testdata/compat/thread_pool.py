"""concurrent.futures: a pool of threads"""
import concurrent.futures

with concurrent.futures.ThreadPoolExecutor(8) as pool:
    assert sum(pool.map(len, ["a", "bb", "ccc"] * 20)) == 120
