
import threading

# ---- limits: each of these is a run of its own, and goes on until it is stopped

def progress(p, n):
    """What the attempt holds now, in the words of the host's own check."""
    with open(p.rw + "/held.part", "w") as f: f.write(str(n))
    os.rename(p.rw + "/held.part", p.rw + "/held")
def live(p, seconds=0.5):
    """Leaves the host time to notice, as anything that wants to stay would."""
    time.sleep(seconds)
STEP = 16 << 20
def fill(n): return bytearray(os.urandom(1)) * n

def try_fork_bomb(p):
    for n in range(p.most):
        if os.fork() == 0: time.sleep(20); os._exit(0)
        progress(p, n + 1)
    live(p)
def try_thread_bomb(p):
    for n in range(p.most): threading.Thread(target=time.sleep, args=(20,), daemon=True).start(); progress(p, n + 1)
    live(p)
def try_fork_and_leave(p):
    # Parents end at once: no tree leads to the children.
    for n in range(p.most):
        if os.fork() == 0:
            try:
                if os.fork() == 0: time.sleep(20)
            except OSError: os._exit(1)
            os._exit(0)
        if os.wait()[1]: break
        progress(p, n + 1)
    live(p)
def try_clone_parent_bomb(p):
    for n in range(p.most):
        if call("clone", 0x8000 | 17, 0, 0, 0, 0) == 0: time.sleep(20); os._exit(0)
        progress(p, n + 1)
    live(p)
def try_memory_one(p):
    held = []
    for n in range(STEP, p.bytes, STEP): held.append(fill(STEP)); progress(p, n); time.sleep(0.02)
    live(p)
def each_child(p, do):
    """Children that each hold half of what one process may."""
    share, n = p.limit // 2, 0
    while n < p.bytes:
        r, w = os.pipe()
        if os.fork() == 0:
            held = do(share); os.write(w, b"x"); time.sleep(20); os._exit(0)
        os.close(w)
        if os.read(r, 1) != b"x": raise OSError("a child could not")
        os.close(r); n += share; progress(p, n); time.sleep(0.06)
    live(p)
def try_memory_children(p): each_child(p, fill)
def try_memory_clone_parent(p):
    share, n = p.limit // 2, 0
    while n < p.bytes:
        r, w = os.pipe()
        if call("clone", 0x8000 | 17, 0, 0, 0, 0) == 0: held = fill(share); os.write(w, b"x"); time.sleep(20); os._exit(0)
        os.close(w); os.read(r, 1); n += share; progress(p, n); time.sleep(0.06)
    live(p)
def shared(n):
    m = mmap.mmap(-1, n)
    for i in range(0, n, 4096): m[i] = 1
    return m
def try_memory_shared(p): each_child(p, shared)
def let_go(n):
    # Shared pages that a process lets go of stay, and are nobody's.
    m = mmap.mmap(-1, n)
    for i in range(0, n, 1 << 20):
        for k in range(i, min(i + (1 << 20), n), 4096): m[k] = 1
        m.madvise(mmap.MADV_DONTNEED, i, min(1 << 20, n - i))
    return m
def try_memory_let_go(p): each_child(p, let_go)
def sockets(n):
    held = []
    while n > 0:
        a, b = socket.socketpair(); a.setblocking(False); held += [a, b]; before = n
        try:
            while True: n -= a.send(b"x" * 65536)
        except BlockingIOError: pass
        if len(held) > 200: break
    return held
def try_memory_sockets(p):
    n = 0
    while n < p.bytes:
        r, w = os.pipe()
        if os.fork() == 0: held = sockets(p.limit // 4); os.write(w, b"x"); time.sleep(20); os._exit(0)
        os.close(w)
        if os.read(r, 1) != b"x": raise OSError("a child could not")
        os.close(r); n += p.limit // 4; progress(p, n)
    live(p)
def try_memory_memfd(p):
    for n in range(STEP, p.bytes, STEP): os.write(call("memfd_create", b"x", 0), fill(STEP)); progress(p, n); time.sleep(0.02)
    live(p)
def write_files(p, directory, size=1 << 20):
    n, block = 0, b"x" * size
    while n < p.bytes:
        with open("%s/%d" % (directory, n), "wb", buffering=0) as f: n += f.write(block)
        progress(p, n)
def try_fill_scratch(p): write_files(p, os.environ.get("TMPDIR", "/tmp"))
def try_fill_shm(p): write_files(p, "/dev/shm")
def try_big_file(p):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN); n, block = 0, b"x" * (1 << 20)
    with open(p.rw + "/big", "wb", buffering=0) as f:
        while n < p.bytes: n += f.write(block); progress(p, n)
def try_sparse_file(p):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    os.truncate(os.open(p.rw + "/big", os.O_CREAT | os.O_RDWR), p.bytes); progress(p, p.bytes)
def try_allocate_file(p):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    os.posix_fallocate(os.open(p.rw + "/big", os.O_CREAT | os.O_RDWR), 0, p.bytes); progress(p, p.bytes)
def inodes(p, directory):
    for n in range(p.most):
        os.close(os.open("%s/%d" % (directory, n), os.O_CREAT | os.O_WRONLY))
        if n % 500 == 0: progress(p, n)
    progress(p, p.most)
def try_fill_scratch_names(p): inodes(p, os.environ.get("TMPDIR", "/tmp"))
def try_fill_shm_names(p): inodes(p, "/dev/shm")
def try_flood_output(p):
    n = 0
    while n < p.bytes: n += os.write(1, b"x" * 65536)
def try_flood_errors(p):
    n = 0
    while n < p.bytes: n += os.write(2, b"x" * 65536)
def try_open_files(p):
    held = []
    for n in range(p.most): held.append(os.dup(0)); progress(p, n)
def try_processor_time(p):
    end = time.process_time() + 1.8
    while time.process_time() < end: progress(p, time.process_time())

# ---- life: what is there to end

def hold_on(p):
    for s in range(1, 65):
        try: signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError): pass
    libc.prctl(1, 0, 0, 0, 0)
    ready(p)
def forever(p):
    hold_on(p); end = time.monotonic() + p.seconds
    while time.monotonic() < end: time.sleep(0.05)
    os._exit(0)
def try_ignore_signals(p): forever(p)
def daemon(p, away, closes=True):
    if os.fork() == 0:
        try: away()
        except OSError: pass
        if os.fork() == 0:
            if closes: os.close(0); os.close(1); os.close(2)
            forever(p)
        os._exit(0)
    os.wait()
def try_daemon(p): daemon(p, os.setsid)
def try_daemon_group(p): daemon(p, lambda: os.setpgid(0, 0))
def try_daemon_streams(p): daemon(p, os.setsid, closes=False)
def try_daemon_clone_parent(p):
    if call("clone", 0x8000 | 17, 0, 0, 0, 0) == 0:
        try: os.setsid()
        except OSError: pass
        forever(p)
def try_daemon_then_hang(p): daemon(p, os.setsid); forever(p)
def try_stopped_child(p):
    if os.fork() == 0: hold_on(p); os.kill(os.getpid(), signal.SIGSTOP); forever(p)
def try_traced_child(p):
    # A child that its parent traces stops at signals; it must die all the same.
    if os.fork() == 0: call("ptrace", 0, 0, 0, 0); forever(p)
def try_vfork(p):
    # The parent of a vfork waits where no signal but one wakes it.
    if call("clone", 0x4000 | 17, 0, 0, 0, 0) == 0: forever(p)
def try_endless_forks(p):
    # Each one is gone before it can be killed by its number.
    hold_on(p); end = time.monotonic() + p.seconds
    while time.monotonic() < end:
        if os.fork(): os._exit(0)
