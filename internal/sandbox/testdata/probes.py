"""Attempts to get out of the sandbox.

Each probe tries one thing and returns what it got, or raises. The test decides
by effect: it looks at the files, sockets and processes that it made itself.
The same source runs outside of the sandbox as positive control, there with the
harmless probes only.
"""
import ctypes, errno, json, mmap, os, platform, signal, socket, struct, sys

FDS = []  # before anything is opened
for fd in range(3, 300):
    try:
        os.fstat(fd)
        FDS.append(fd)
    except OSError:
        pass

A = json.load(sys.stdin)
libc = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == "aarch64"
PROBES = {}

# number on x86_64, number on arm64
NR = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "unshare": (272, 97), "setns": (308, 268), "move_mount": (429, 429), "fsopen": (430, 430), "fspick": (433, 433),
    "open_tree": (428, 428), "mount_setattr": (442, 442), "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
    "kexec_load": (246, 104), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142),
    "swapon": (167, 224), "acct": (163, 89), "syslog": (103, 116), "quotactl": (179, 60), "settimeofday": (164, 170),
    "sethostname": (170, 161), "fanotify_init": (300, 262), "personality": (135, 92), "seccomp": (317, 277), "mq_open": (240, 180),
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "io_uring_setup": (425, 425), "clone3": (435, 435), "clone": (56, 220),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "statmount": (457, 457), "listmount": (458, 458), "process_madvise": (440, 440),
    "setsid": (112, 157), "setpgid": (109, 154), "inotify_init1": (294, 26), "tgkill": (234, 131), "file_setattr": (469, 469),
}


def call(name, *args):
    """A raw call: its number, by name, or an OSError."""
    nr = name if isinstance(name, int) else NR[name][ARM]
    fixed = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    ctypes.set_errno(0)
    r = libc.syscall(ctypes.c_long(nr), *fixed)
    if r < 0:
        e = ctypes.get_errno()
        raise OSError(e, os.strerror(e))
    return r


def probe(f):
    PROBES[f.__name__] = f
    return f


# ---- network

def banner(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(2)
        s.connect(address)
        return s.recv(100).decode()

@probe
def net_tcp4(): return banner(socket.AF_INET, ("127.0.0.1", A["tcp"]))
@probe
def net_tcp6(): return banner(socket.AF_INET6, ("::1", A["tcp6"]))
@probe
def net_udp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return s.sendto(b"udp", ("127.0.0.1", A["udp"]))
@probe
def net_listen():
    s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); return s.getsockname()
@probe
def net_raw(): return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).fileno()
@probe
def net_ping(): return socket.socket(socket.AF_INET, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 1).fileno()
@probe
def net_packet(): return socket.socket(socket.AF_PACKET, socket.SOCK_RAW).fileno()
@probe
def net_netlink(): return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).fileno()
@probe
def net_vsock(): return socket.socket(40, socket.SOCK_STREAM).fileno()
@probe
def net_alg(): return socket.socket(38, socket.SOCK_SEQPACKET).fileno()
@probe
def unix_path(): return banner(socket.AF_UNIX, A["unix"])
@probe
def unix_abstract(): return banner(socket.AF_UNIX, "\0" + A["abstract"])
@probe
def unix_pair_path():
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); return a.sendto(b"pair", A["unixgram"])
@probe
def unix_pair_abstract():
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); return a.sendto(b"pair", "\0" + A["abstractgram"])
@probe
def unix_pair_raw():
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW); return a.sendto(b"pair", A["unixgram"])
@probe
def unix_stream_reconnect():
    a, b = socket.socketpair(); a.connect(A["unix"]); return a.recv(100).decode()
@probe
def io_uring(): return call("io_uring_setup", 1, ctypes.create_string_buffer(120))

# ---- files

@probe
def read_secret(): return open(A["secret"]).read()
@probe
def stat_secret(): return os.stat(A["secret"]).st_size
@probe
def list_outside(): return os.listdir(A["outside"])
@probe
def read_shadow(): return open("/etc/shadow").read()[:5]
@probe
def read_home(): return os.listdir("/root") or os.listdir("/home")
@probe
def read_host_program(): return open("/bin/sh", "rb").read(4).hex()
@probe
def proc_root(): return open("/proc/self/root" + A["secret"]).read()
@probe
def proc_cwd(): return open("/proc/%d/cwd/../../../../../.." % A["victim"] + A["secret"]).read()
@probe
def dotdot(): return open("/tmp/" + "../" * 40 + A["secret"]).read()
@probe
def link_to_secret():
    at = A["rw"] + "/link"; os.symlink(A["secret"], at); return open(at).read()
@probe
def hard_link_secret():
    at = A["rw"] + "/hard"; os.link(A["secret"], at); return open(at).read()
@probe
def write_outside():
    done = []
    for d in [A["outside"], "/", "/etc", "/usr", "/var/tmp", "/run", "/home", "/root", "/dev", "/proc", "/sys"]:
        try:
            with open(d + "/escaped-" + A["mark"], "w") as f: f.write("x")
            done.append(d)
        except OSError: pass
    if not done: raise PermissionError("nowhere")
    return done
@probe
def change_outside():
    os.chmod(A["secret"], 0o666); os.utime(A["secret"], (1, 1)); return "called"
@probe
def remove_outside(): os.unlink(A["doomed"]); return "called"
@probe
def ro_write(): open(A["ro"] + "/file", "w").write("changed"); return "written"
@probe
def ro_append(): open(A["ro"] + "/file", "a").write("changed"); return "written"
@probe
def ro_truncate(): os.truncate(A["ro"] + "/file", 0); return "cut"
@probe
def ro_open_truncate(): os.close(os.open(A["ro"] + "/file", os.O_RDONLY | os.O_TRUNC)); return "cut"
@probe
def ro_create(): open(A["ro"] + "/new", "w").close(); return "made"
@probe
def ro_unlink(): os.unlink(A["ro"] + "/file"); return "gone"
@probe
def ro_rename(): os.rename(A["ro"] + "/file", A["rw"] + "/stolen"); return "moved"
@probe
def ro_chmod(): os.chmod(A["ro"] + "/file", 0o777); return "called"
@probe
def ro_fchmod():
    fd = os.open(A["ro"] + "/file", os.O_RDONLY); os.fchmod(fd, 0o777); return "called"
@probe
def ro_utime():
    fd = os.open(A["ro"] + "/file", os.O_RDONLY); os.utime(fd, (1, 1)); return "called"
@probe
def ro_setxattr(): os.setxattr(A["ro"] + "/file", "user.escaped", b"x"); return "set"
@probe
def ro_mmap():
    fd = os.open(A["ro"] + "/file", os.O_RDWR); m = mmap.mmap(fd, 4); m[0] = 88; return "mapped"
@probe
def ro_through_proc():
    fd = os.open(A["ro"] + "/file", os.O_RDONLY); open("/proc/self/fd/%d" % fd, "w").write("changed"); return "written"
@probe
def rw_socket():
    s = socket.socket(socket.AF_UNIX); s.bind(A["rw"] + "/sock"); return "bound"
@probe
def mknod(): os.mknod("/tmp/node", 0o20666, os.makedev(1, 1)); return "made"
@probe
def dev_mem(): return os.open("/dev/mem", os.O_RDONLY)
@probe
def dev_list():
    odd = set(os.listdir("/dev")) - {"null", "zero", "urandom", "random", "shm", "fd", "stdin", "stdout", "stderr"}
    if not odd: raise FileNotFoundError("nothing more")
    return sorted(odd)[:5]
@probe
def inotify(): 
    fd = call("inotify_init1", 0); r = libc.inotify_add_watch(fd, A["secret"].encode(), 0xfff)
    if r < 0: raise OSError(ctypes.get_errno(), "watch")
    return "watching"
@probe
def sysctl(): return open("/proc/sys/kernel/hostname").read()
@probe
def sysrq(): return os.open("/proc/sysrq-trigger", os.O_WRONLY)
@probe
def leaked_fds():
    if not FDS: raise OSError("only three")
    return FDS
@probe
def environment():
    odd = set(os.environ) - {"PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE"}
    if not odd: raise KeyError("only what was given")
    return sorted(odd)

# ---- processes

@probe
def kill_victim(): os.kill(A["victim"], signal.SIGKILL); return "sent"
@probe
def tgkill_victim(): return call("tgkill", A["victim"], A["victim"], 9)
@probe
def kill_all():
    signal.signal(signal.SIGTERM, signal.SIG_IGN); os.kill(-1, signal.SIGTERM); return "sent"
@probe
def kill_parent():
    if os.getppid() == 0: raise ProcessLookupError("no parent")
    os.kill(os.getppid(), signal.SIGKILL); return "sent"
@probe
def ptrace_victim(): return call("ptrace", 16, A["victim"], 0, 0)
@probe
def vm_read_victim():
    buf = ctypes.create_string_buffer(8); local = struct.pack("QQ", ctypes.addressof(buf), 8); remote = struct.pack("QQ", 0x400000, 8)
    return call("process_vm_readv", A["victim"], ctypes.c_char_p(local), 1, ctypes.c_char_p(remote), 1, 0)
@probe
def environ_victim(): return b"VICTIM_SECRET" in open("/proc/%d/environ" % A["victim"], "rb").read() or 1 / 0
@probe
def mem_victim(): return os.open("/proc/%d/mem" % A["victim"], os.O_RDWR)
@probe
def other_processes():
    n = [p for p in os.listdir("/proc") if p.isdigit()]
    if len(n) <= 1: raise ProcessLookupError("only itself")
    return len(n)
@probe
def prlimit_victim():
    import resource
    resource.prlimit(A["victim"], resource.RLIMIT_CORE, (0, 0)); return "set"
@probe
def renice_victim(): os.setpriority(os.PRIO_PROCESS, A["victim"], 19); return "set"
@probe
def affinity_victim(): os.sched_setaffinity(A["victim"], {0}); return "set"
@probe
def raise_limit():
    import resource
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC); resource.setrlimit(resource.RLIMIT_NPROC, (hard + 1, hard + 1)); return "raised"
@probe
def clear_deathsig():
    if libc.prctl(1, 0, 0, 0, 0) < 0: raise OSError(ctypes.get_errno(), "prctl")
    return "cleared"
@probe
def no_new_privs():
    if libc.prctl(39, 0, 0, 0, 0) == 1: raise OSError("set")
    return "not set"

def status(name):
    for line in open("/proc/self/status"):
        if line.startswith(name + ":"): return int(line.split()[1], 16)
@probe
def capabilities():
    # By the kernel's answer, not by /proc, which one driver hides.
    head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if libc.capget(head, data) < 0: raise OSError(ctypes.get_errno(), "capget")
    if not any(data): raise PermissionError("none")
    return list(data)
@probe
def ambient():
    got = [c for c in range(41) if libc.prctl(47, 1, c, 0, 0) == 1]
    if not got: raise PermissionError("none")
    return got
@probe
def bounding():
    got = [c for c in range(41) if libc.prctl(23, c, 0, 0, 0) == 1]
    if not got: raise PermissionError("none")
    return len(got)
@probe
def become_root():
    if os.getuid() == 0: raise PermissionError("already, without a right")
    os.setuid(0); return "root"
@probe
def become_other(): os.setuid(1); return "daemon"
@probe
def root_groups():
    if 0 not in os.getgroups(): raise PermissionError("no")
    return os.getgroups()
@probe
def tiocsti():
    import fcntl
    got = []
    for fd in (0, 1, 2):
        for cmd in (0x5412, 0x5412 | 1 << 32):
            ctypes.set_errno(0)
            r = libc.syscall(ctypes.c_long(29 if ARM else 16), ctypes.c_long(fd), ctypes.c_long(cmd), b"x")
            if ctypes.get_errno() != errno.EPERM: got.append((fd, hex(cmd), ctypes.get_errno()))
    if not got: raise PermissionError("every way")
    return got
@probe
def hostname():
    if A["hostname"] == socket.gethostname(): return socket.gethostname()
    raise OSError("another name")

# ---- raw calls that must answer EPERM or ENOSYS, and nothing else

def raw(name, *args):
    def f():
        try: r = call(name, *args)
        except OSError as e:
            if e.errno in (errno.EPERM, errno.ENOSYS): raise
            return "the kernel looked at it: " + str(e)
        return "done: %d" % r
    PROBES["raw_" + name] = f

Z = ctypes.c_char_p(b"/tmp")
for name, args in {
    "add_key": (b"user", b"k", b"v", 1, -3), "request_key": (b"user", b"k", b"", -3), "keyctl": (0, -3, 0), "bpf": (0, 0, 0), "perf_event_open": (0, 0, -1, -1, 0),
    "userfaultfd": (0,), "mount": (b"tmpfs", b"/tmp", b"tmpfs", 0, 0), "umount2": (b"/proc", 2), "pivot_root": (b"/tmp", b"/tmp"), "chroot": (b"/tmp",),
    "unshare": (0x10000000,), "setns": (0, 0), "move_mount": (-1, b"", -1, b"", 0), "fsopen": (b"tmpfs", 0), "fspick": (-100, b"/", 0),
    "open_tree": (-100, b"/", 1), "mount_setattr": (-100, b"/", 0, 0, 0), "open_by_handle_at": (-100, 0, 0), "name_to_handle_at": (-100, b"/", 0, 0, 0),
    "kexec_load": (0, 0, 0, 0), "init_module": (0, 0, b""), "finit_module": (-1, b"", 0), "delete_module": (b"none", 0), "reboot": (0, 0, 0, 0),
    "swapon": (b"/none", 0), "acct": (b"/none",), "syslog": (10, 0, 0), "quotactl": (0, 0, 0, 0), "settimeofday": (0, 0), "sethostname": (b"x", 1),
    "fanotify_init": (0, 0), "personality": (0x0040000,), "seccomp": (0, 0, 0), "mq_open": (b"/x", 0o102, 0o600, 0), "shmget": (0, 4096, 0o1600), "msgget": (0, 0o1600),
    "semget": (0, 1, 0o1600), "clone3": (0, 0), "clone": (0x10000000 | 17, 0, 0, 0, 0), "memfd_create": (b"x", 0), "memfd_secret": (0,),
    "kcmp": (1, 1, 0, 0, 0), "pidfd_getfd": (-1, 0, 0), "process_vm_writev": (1, 0, 0, 0, 0, 0), "process_madvise": (-1, 0, 0, 0, 0), "statmount": (0, 0, 0, 0), "listmount": (0, 0, 0, 0),
}.items():
    raw(name, *args)

@probe
def beyond_ceiling(): return call(600)
@probe
def x32():
    if ARM: raise OSError(errno.ENOSYS, "no such thing")
    return call(0x40000000 + 39)
@probe
def leave_group():
    pid = os.fork()
    if pid == 0:
        try: os.setsid(); os._exit(0)
        except OSError: os._exit(1)
    if os.waitpid(pid, 0)[1]: raise PermissionError("no")
    return "left"

out = {}
for name in A.get("only") or PROBES:
    try: out[name] = {"got": repr(PROBES[name]())}
    except BaseException as e: out[name] = {"refused": "%s: %s" % (type(e).__name__, e)}
sys.stdout.write("\n" + json.dumps(out) + "\n")
