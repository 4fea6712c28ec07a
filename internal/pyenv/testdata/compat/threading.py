"""threading: twenty threads, events, a timer, locals"""
import threading

ready, seen, local = threading.Event(), [], threading.local()


def work(n):
    local.n = n
    ready.wait(20)
    seen.append(local.n)


threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
for thread in threads:
    thread.start()
threading.Timer(0.01, ready.set).start()
for thread in threads:
    thread.join(20)
assert sorted(seen) == list(range(20))
