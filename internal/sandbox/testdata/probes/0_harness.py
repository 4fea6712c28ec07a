"""Attempts to get out of the sandbox. All files of this directory are one program,
but for the attempts on limits and life, which begin often and need little.

Each attempt is a function of p, its own part of the world. It returns what it
read, Seen(...) for something that it verified itself and that exists nowhere
but inside, or raises. What it says decides nothing: the test looks for the
effect. An attempt must be harmless to the machine even where nothing stops it.
"""
import ctypes, errno, json, mmap, os, resource, select, signal, socket, struct, sys, time

FDS = []  # before anything is opened
for fd in range(3, 300):
    try:
        os.fstat(fd)
        FDS.append(fd)
    except OSError:
        pass

A = json.load(sys.stdin)
W = A["world"]
PARENT = os.getppid()
libc = ctypes.CDLL(None, use_errno=True)
ARM = os.uname().machine == "aarch64"


class Seen(str):
    """What an attempt verified to be so."""


class Place:
    """Where one attempt finds its targets."""
    def __init__(self, fields): self.__dict__.update(fields)


# number on x86_64, number on arm64; None where it does not exist
NR = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438), "kcmp": (312, 272),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "unshare": (272, 97), "setns": (308, 268), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "open_tree": (428, 428), "mount_setattr": (442, 442), "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
    "kexec_load": (246, 104), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "syslog": (103, 116), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266), "vhangup": (153, 58),
    "sethostname": (170, 161), "setdomainname": (171, 162), "fanotify_init": (300, 262), "fanotify_mark": (301, 263), "personality": (135, 92), "seccomp": (317, 277),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "mq_timedreceive": (243, 183),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "msgget": (68, 186), "msgrcv": (70, 188), "msgctl": (71, 187), "semget": (64, 190), "semctl": (66, 191),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "clone3": (435, 435), "clone": (56, 220),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "statmount": (457, 457), "listmount": (458, 458), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "inotify_init1": (294, 26), "inotify_add_watch": (254, 27), "tgkill": (234, 131), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "file_setattr": (469, 469),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "ioctl": (16, 29), "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None),
    "ioprio_set": (251, 30), "sched_setattr": (314, 274), "lsm_set_self_attr": (460, 460), "move_pages": (279, 239), "mbind": (237, 235),
    "set_mempolicy": (238, 237), "execveat": (322, 281), "getpid": (39, 172), "listns": (470, 470), "open_tree_attr": (467, 467), "openat2": (437, 437),
    "lookup_dcookie": (212, 18), "uselib": (134, None), "kexec_file_load": (320, 294),
}


def call(name, *args):
    """A raw call: its number, by name, or an OSError."""
    nr = name if isinstance(name, int) else NR[name][ARM]
    if nr is None: raise OSError(errno.ENOSYS, "not on this architecture")
    fixed = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    ctypes.set_errno(0)
    libc.syscall.restype = ctypes.c_long
    r = libc.syscall(ctypes.c_long(nr), *fixed)
    if r == -1:
        e = ctypes.get_errno()
        raise OSError(e, os.strerror(e))
    return r


def checked(r):
    if r == -1:
        e = ctypes.get_errno()
        raise OSError(e, os.strerror(e))
    return r


def nothing(why): raise LookupError(why)


def until(condition, seconds=2.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition(): return True
        time.sleep(0.01)
    return False


def ready(p):
    """Tells the host, through the granted directory, to do its part."""
    open(p.rw + "/ready", "w").close()


def attempt(place):
    """One attempt in this process: what becomes of it, as the host reads it."""
    name = place["probe"]
    try:
        # Open while anything of it lives, which is how the host knows.
        if "life" in place: os.set_inheritable(os.open(place["life"], os.O_WRONLY), True)
        got = globals()["try_" + name](Place(place))
        return {"probe": name, "inside" if isinstance(got, Seen) else "got": str(got)}
    except OSError as e: return {"probe": name, "errno": e.errno or 0, "error": str(e)}
    except BaseException as e: return {"probe": name, "error": "%s: %s" % (type(e).__name__, e)}


def say(reply):
    b = ("\n@@" + json.dumps(reply) + "\n").encode()
    while b: b = b[os.write(1, b):]


def forked(place):
    """One attempt in a child, so that none is in the way of the next."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        b = json.dumps(attempt(place)).encode()
        while b: b = b[os.write(w, b):]
        os._exit(0)
    os.close(w)
    b, end = b"", time.monotonic() + 6
    while True:
        if not select.select([r], [], [], max(0, end - time.monotonic()))[0]: break
        part = os.read(r, 65536)
        b += part
        if not part: break
    os.close(r)
    try: os.kill(pid, signal.SIGKILL)
    except OSError: pass
    died = os.waitpid(pid, 0)[1]
    try: return json.loads(b)
    except ValueError: return {"probe": place["probe"], "error": "ended with status %d" % died}
