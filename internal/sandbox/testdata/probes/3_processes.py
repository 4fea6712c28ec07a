
# ---- other processes

def victims(p, name): return "/proc/%d/%s" % (p.victim["pid"], name)
def try_other_list(p): return Seen("the victim among the processes") if str(p.victim["pid"]) in os.listdir("/proc") else nothing("not there")
def try_other_environment(p): return read(victims(p, "environ"))
def try_other_arguments(p): return read(victims(p, "cmdline"))
def try_other_directory(p): return read(victims(p, "cwd/secret"))
def try_other_root(p): return read(victims(p, "root" + p.out + "/secret"))
def try_other_descriptor(p): return read(victims(p, "fd/%d" % p.victim["fd"]))
def try_other_maps(p): return Seen("a map of its memory") if b"stack" in read(victims(p, "maps")) or read(victims(p, "maps")) else nothing("none")
def try_other_memory(p):
    fd = os.open(victims(p, "mem"), os.O_RDONLY); return os.pread(fd, 64, p.victim["address"])
def try_other_memory_write(p):
    fd = os.open(victims(p, "mem"), os.O_RDWR); return os.pwrite(fd, b"changed", p.victim["address"])
def iov(address, n): return struct.pack("=QQ", address, n)
def try_vm_read(p):
    buf = ctypes.create_string_buffer(64)
    call("process_vm_readv", p.victim["pid"], iov(ctypes.addressof(buf), 64), 1, iov(p.victim["address"], 64), 1, 0)
    return buf.raw
def try_vm_write(p):
    buf = ctypes.create_string_buffer(b"changed")
    call("process_vm_writev", p.victim["pid"], iov(ctypes.addressof(buf), 7), 1, iov(p.victim["address"], 7), 1, 0)
def try_ptrace(p):
    call("ptrace", 16, p.victim["pid"], 0, 0); os.waitpid(p.victim["pid"], 0x40000000)
    words = b""
    for i in range(0, 32, 8):
        w = ctypes.c_long(); call("ptrace", 1, p.victim["pid"], p.victim["address"] + i, ctypes.byref(w)); words += struct.pack("=q", w.value)
    call("ptrace", 17, p.victim["pid"], 0, 0); return words
def try_ptrace_seize(p): call("ptrace", 0x4206, p.victim["pid"], 0, 0); return Seen("the victim is traced")
def try_ptrace_options(p):
    # Tracing a child of its own is harmless, but none of a tool's business.
    if os.fork() == 0: call("ptrace", 0, 0, 0, 0); os._exit(3)
    return Seen("traced") if os.wait()[1] >> 8 == 3 else nothing("refused")
def try_pidfd_getfd(p): return os.pread(call("pidfd_getfd", call("pidfd_open", p.victim["pid"], 0), p.victim["fd"], 0), 100, 0)
def try_kcmp(p): return Seen(call("kcmp", os.getpid(), p.victim["pid"], 1, 0, 0))
def try_process_madvise(p): return Seen(call("process_madvise", call("pidfd_open", p.victim["pid"], 0), iov(p.victim["address"] & ~4095, 4096), 1, 20, 0))
def try_process_mrelease(p): call("process_mrelease", -1, 0)
def try_move_pages(p): return Seen(call("move_pages", p.victim["pid"], 1, struct.pack("=Q", p.victim["address"] & ~4095), 0, ctypes.create_string_buffer(4), 0))
def try_see_process(p): return Seen("its group is %d" % os.getpgid(p.victim["pid"]))
def try_see_process_by_kill(p):
    # "No such process" and "not permitted" differ.
    try: os.kill(p.victim["pid"], 0)
    except ProcessLookupError: raise
    except PermissionError: pass
    return Seen("it is there")
def try_see_process_by_descriptor(p):
    fd = call("pidfd_open", p.victim["pid"], 0); return Seen("a descriptor of the victim") if fd >= 0 else nothing("none")

def try_kill(p): os.kill(p.victim["pid"], signal.SIGKILL)
def try_stop(p): os.kill(p.victim["pid"], signal.SIGSTOP)
def try_tkill(p): call("tkill", p.victim["pid"], 9)
def try_tgkill(p): call("tgkill", p.victim["pid"], p.victim["pid"], 9)
def try_queue_signal(p): call("rt_sigqueueinfo", p.victim["pid"], 9, struct.pack("=iii", 9, 0, -1) + bytes(128))
def try_pidfd_signal(p): call("pidfd_send_signal", call("pidfd_open", p.victim["pid"], 0), 9, 0, 0)
def try_kill_group(p): os.killpg(p.victim["group"], signal.SIGKILL)
def try_kill_everyone(p): signal.signal(signal.SIGTERM, signal.SIG_IGN); os.kill(-1, signal.SIGTERM); time.sleep(0.2)
def to_parent(n):
    pid = PARENT or nothing("no parent"); os.kill(pid, n)
def try_signal_parent(p): to_parent(signal.SIGUSR1)
def owner_signal(fcntl_own, p):
    r, w = socket.socketpair()
    fcntl.fcntl(r, 10, p.signal)        # F_SETSIG
    if fcntl_own: fcntl.fcntl(r, fcntl.F_SETOWN, p.victim["pid"])
    else: call("ioctl", r.fileno(), 0x8901, struct.pack("=i", p.victim["pid"]))  # FIOSETOWN
    fcntl.fcntl(r, fcntl.F_SETFL, 0o20000)  # O_ASYNC
    w.send(b"x"); time.sleep(0.1)
def try_signal_by_owner(p): owner_signal(True, p)
def try_signal_by_ioctl(p): owner_signal(False, p)
def try_signal_by_owner_ex(p):
    r, w = os.pipe(); fcntl.fcntl(r, 10, p.signal)
    fcntl.fcntl(r, 15, struct.pack("=ii", 1, p.victim["pid"])); fcntl.fcntl(r, fcntl.F_SETFL, 0o20000)
    os.write(w, b"x"); time.sleep(0.1)
def try_signal_by_lease(p):
    path = p.rw + "/leased"; open(path, "w").close(); fd = os.open(path, os.O_RDONLY)
    fcntl.fcntl(fd, 10, p.signal); fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK); fcntl.fcntl(fd, fcntl.F_SETOWN, p.victim["pid"])
    if os.fork() == 0: os.open(path, os.O_WRONLY | os.O_NONBLOCK); os._exit(0)
    time.sleep(0.1)
def try_death_signal(p):
    libc.prctl(1, 7, 0, 0, 0); got = ctypes.c_int(); libc.prctl(2, ctypes.byref(got), 0, 0, 0)
    return Seen("its own choice of a signal") if got.value == 7 else nothing("not set")
def try_subreaper(p):
    libc.prctl(36, 1, 0, 0, 0); got = ctypes.c_int(); libc.prctl(37, ctypes.byref(got), 0, 0, 0)
    return Seen("orphans come to it") if got.value else nothing("not set")
def try_clone_parent(p):
    # A child that is its parent's sibling: who counts downwards misses it.
    pid = call("clone", 0x8000 | 17, 0, 0, 0, 0)
    if pid == 0: time.sleep(1); os._exit(0)
    try: os.waitpid(pid, os.WNOHANG)
    except ChildProcessError: return Seen("a child of its parent")

def try_other_limit(p): resource.prlimit(p.victim["pid"], resource.RLIMIT_CORE, (0, 0))
def try_other_priority(p): os.setpriority(os.PRIO_PROCESS, p.victim["pid"], 19)
def try_other_group_priority(p): os.setpriority(os.PRIO_PGRP, p.victim["group"], 19)
def try_other_user_priority(p): os.setpriority(os.PRIO_USER, os.getuid(), 7)
def try_other_io_priority(p): call("ioprio_set", 1, p.victim["pid"], 3 << 13)
def try_other_processor(p): os.sched_setaffinity(p.victim["pid"], {0})
def try_other_scheduler(p): os.sched_setscheduler(p.victim["pid"], os.SCHED_BATCH, os.sched_param(0))
def try_other_oom(p): open(victims(p, "oom_score_adj"), "w").write("500")
def try_other_namespace(p): call("setns", os.open(victims(p, "ns/uts"), os.O_RDONLY), 0); return Seen("its namespace")
def try_other_namespace_pidfd(p): call("setns", call("pidfd_open", p.victim["pid"], 0), 0x04000000); return Seen("its namespace")

# ---- what the host gave by mistake

def try_environment(p): return dict(os.environ)
def try_parent_environment(p): return read("/proc/%d/environ" % PARENT)
def try_leaked_directory(p):
    for fd in FDS:
        try: return read("/proc/self/fd/%d/%s/secret" % (fd, p.probe))
        except OSError: pass
        try: return os.read(os.open(p.probe + "/secret", os.O_RDONLY, dir_fd=fd), 100)
        except OSError as e: last = e
    if not FDS: nothing("only three descriptors")
    raise last
def try_leaked_file(p):
    got = b""
    for fd in FDS:
        try: got += os.pread(fd, 100, 0)
        except OSError: pass
    return got
def try_leaked_pipe(p):
    for fd in FDS:
        try: os.write(fd, p.token.encode())
        except OSError: pass
def try_leaked_socket(p):
    for fd in FDS:
        try: socket.socket(fileno=os.dup(fd)).send(p.token.encode())
        except OSError: pass
def try_own_streams(p):
    # Nothing but pipes and plain files may be behind the three streams.
    kinds = [stat.S_IFMT(os.fstat(fd).st_mode) for fd in (0, 1, 2)]
    odd = [fd for fd, k in enumerate(kinds) if k not in (stat.S_IFIFO, stat.S_IFREG) and os.fstat(fd).st_rdev != os.makedev(1, 3)]
    return Seen(odd) if odd else nothing("pipes")

# ---- the terminal

def terminals():
    for name in ("/dev/tty", "/proc/self/fd/0", "/proc/self/fd/2", W["pts"]):
        try: yield os.open(name, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError: pass
    yield from (0, 1, 2)
def on_terminals(cmd, words):
    last = None
    for fd in terminals():
        for c in (cmd, cmd | 1 << 32):
            try:
                for w in words: call("ioctl", fd, c, w)
                return
            except OSError as e: last = e
    raise last
def try_type_into_terminal(p): on_terminals(0x5412, [bytes([b]) for b in p.token.encode() + b"\n"])
def try_paste_into_terminal(p): on_terminals(0x541c, [b"\x03" + bytes(20)])
def try_write_to_terminal(p):
    for fd in terminals():
        if fd > 2: os.write(fd, p.token.encode() + b"\n"); return
    nothing("no terminal")
def try_take_terminal(p):
    if os.fork() == 0:
        os.setsid(); fd = os.open(W["pts"], os.O_RDWR | os.O_NOCTTY); call("ioctl", fd, 0x540e, 1); os._exit(7)
    return Seen("the host's terminal") if os.wait()[1] >> 8 == 7 else nothing("not taken")
def try_new_terminal(p): return Seen(os.readlink("/proc/self/fd/%d" % os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)) or "a pair")
