
# ---- rights

def capabilities():
    head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    checked(libc.capget(head, data)); return data[0] | data[3] << 32
def try_capabilities(p): return Seen(hex(capabilities())) if capabilities() else nothing("none")
def try_permitted(p):
    head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(); checked(libc.capget(head, data))
    return Seen(hex(data[1])) if data[1] | data[4] else nothing("none")
def try_raise_capability(p):
    head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[1 << 21] * 3 + [0] * 3)
    checked(libc.capset(head, data)); return Seen(hex(capabilities()))
def try_bounding(p):
    got = [c for c in range(41) if libc.prctl(23, c, 0, 0, 0) == 1]
    return Seen("%d capabilities" % len(got)) if got else nothing("none")
def try_ambient(p):
    head, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(); checked(libc.capget(head, data))
    data[2], data[5] = data[1], data[4]; libc.capset(head, data)  # to be ambient, one must be inheritable
    for c in range(41): libc.prctl(47, 2, c, 0, 0)
    got = [c for c in range(41) if libc.prctl(47, 1, c, 0, 0) == 1]
    return Seen(got) if got else nothing("none")
def try_securebits(p): checked(libc.prctl(28, 1 << 4, 0, 0, 0)); return Seen(libc.prctl(27, 0, 0, 0, 0))
def try_new_privileges(p): return nothing("forbidden") if libc.prctl(39, 0, 0, 0, 0) == 1 else Seen("not forbidden")
def try_no_filter(p): return nothing("armed") if libc.prctl(21, 0, 0, 0, 0) == 2 or read_status("Seccomp") == "2" else Seen("no filter")
def read_status(name):
    try:
        for line in open("/proc/self/status"):
            if line.startswith(name + ":"): return line.split()[1]
    except OSError: return "2"  # one driver hides it; the other attempts tell
def try_change_user(p):
    for uid in (0, 1, 65534):
        if uid == os.geteuid(): continue
        try: os.setresuid(uid, uid, uid); return Seen("user %d" % os.geteuid())
        except OSError as e: last = e
    raise last
def try_change_group(p): os.setresgid(1, 1, 1); return Seen("group %d" % os.getegid())
def try_add_groups(p): os.setgroups([0, 1]); return Seen(os.getgroups())
def become_ordinary():
    if os.geteuid() == 0:
        try: os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)
        except OSError: pass
def run_python(path, source): return subprocess.run([path, "-I", "-S", "-c", source], capture_output=True, text=True).stdout.strip()
def try_setuid_program(p):
    become_ordinary(); before = os.geteuid()
    got = run_python(p.ro + "/setuid", "import os; print(os.geteuid())")
    return Seen("user " + got) if got and int(got) != before else nothing("user %s as before" % got)
def try_setgid_program(p):
    become_ordinary(); before = os.getegid()
    got = run_python(p.ro + "/setgid", "import os; print(os.getegid())")
    return Seen("group " + got) if got and int(got) != before else nothing("group %s as before" % got)
def try_capable_program(p):
    become_ordinary()
    got = run_python(p.ro + "/capable", "print([l.split()[1] for l in open('/proc/self/status') if l.startswith('CapEff')][0])")
    return Seen(got) if got and int(got, 16) else nothing("no capability")
def try_raise_limits(p):
    got = {}
    for name, most in W["limits"].items():
        n = getattr(resource, "RLIMIT_" + name)
        soft, hard = resource.getrlimit(n)
        for want in ((-1, -1), (hard, hard)):
            try: resource.setrlimit(n, want)
            except (OSError, ValueError): pass
        soft = resource.getrlimit(n)[0]
        if soft == -1 or soft > most: got[name] = soft
    return Seen(got) if got else nothing("all as they were")
def try_raise_priority(p): os.setpriority(os.PRIO_PROCESS, 0, -5); return Seen(os.getpriority(os.PRIO_PROCESS, 0))
def try_real_time(p): os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)); return Seen(os.sched_getscheduler(0))
def try_deadline(p): call("sched_setattr", 0, struct.pack("=IIQiIQQQ", 48, 6, 0, 0, 0, 10**6, 10**9, 10**9), 0); return Seen(os.sched_getscheduler(0))
def try_io_real_time(p): call("ioprio_set", 1, 0, 1 << 13); return Seen("real-time input and output")
def try_lock_memory(p):
    m = mmap.mmap(-1, 1 << 20); checked(libc.mlock(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(m))), ctypes.c_size_t(1 << 20))); return Seen("a locked megabyte")

# ---- namespaces, mounts, roots

CLONE = {"user": 0x10000000, "mount": 0x20000, "net": 0x40000000, "pid": 0x20000000, "ipc": 0x8000000, "uts": 0x4000000, "cgroup": 0x2000000}
def try_new_user_namespace(p): call("unshare", CLONE["user"]); return Seen(hex(capabilities()))
def try_new_namespaces(p):
    got = []
    for name, flag in CLONE.items():
        try: call("unshare", flag); got.append(name)
        except OSError as e: last = e
    if not got: raise last
    return Seen(got)
def try_clone_user(p):
    pid = call("clone", CLONE["user"] | 17, 0, 0, 0, 0)
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0); return Seen("a child in a new user namespace")
def try_clone3_user(p):
    pid = call("clone3", struct.pack("=8Q", CLONE["user"], 0, 0, 0, 17, 0, 0, 0), 64)
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0); return Seen("a child in a new user namespace")
def try_own_namespace_again(p): call("setns", os.open("/proc/self/ns/uts", os.O_RDONLY), 0); return Seen("a namespace entered")
def try_mount_tmpfs(p):
    os.mkdir(p.rw + "/m"); before = os.statvfs(p.rw + "/m").f_fsid
    call("mount", b"tmpfs", (p.rw + "/m").encode(), b"tmpfs", 0, 0)
    return Seen("a file system of its own") if os.statvfs(p.rw + "/m").f_fsid != before else nothing("the same")
def try_mount_bind(p): os.mkdir(p.rw + "/m"); call("mount", p.out.encode(), (p.rw + "/m").encode(), 0, 0x1000, 0); return read(p.rw + "/m/secret")
def try_mount_proc(p): os.mkdir(p.rw + "/m"); call("mount", b"proc", (p.rw + "/m").encode(), b"proc", 0, 0); return Seen(read(p.rw + "/m/meminfo")[:20])
def try_mount_overlay(p):
    for d in ("m", "u", "w"): os.mkdir(p.rw + "/" + d)
    call("mount", b"overlay", (p.rw + "/m").encode(), b"overlay", 0, ("lowerdir=%s,upperdir=%s/u,workdir=%s/w" % (p.out, p.rw, p.rw)).encode()); return read(p.rw + "/m/secret")
def try_umount(p): call("umount2", (p.out + "/door").encode(), 2); return read(p.out + "/door/hidden")
def try_umount_own(p): call("umount2", b"/dev/shm", 2); return Seen("taken off")
def try_move_mount(p):
    os.mkdir(p.rw + "/m"); tree = call("open_tree", -100, p.out.encode(), 1)
    call("move_mount", tree, b"", -100, (p.rw + "/m").encode(), 4); return read(p.rw + "/m/secret")
def try_open_tree(p): return os.read(os.open("secret", os.O_RDONLY, dir_fd=call("open_tree", -100, p.out.encode(), 1)), 100)
def try_open_tree_attr(p): return os.read(os.open("secret", os.O_RDONLY, dir_fd=call("open_tree_attr", -100, p.out.encode(), 1, 0, 0)), 100)
def try_fsopen(p):
    fs = call("fsopen", b"tmpfs", 0); call("fsconfig", fs, 6, 0, 0, 0); fd = call("fsmount", fs, 0, 0)
    os.mkdir("mine", dir_fd=fd); return Seen("a file system of its own")
def try_fspick(p): return Seen(call("fspick", -100, p.out.encode() + b"/door", 0))
def try_chroot(p): call("chroot", p.out.encode()); return read("/secret")
def try_chroot_breakout(p):
    # Up and out, from below a new root that is not the working directory.
    fd = os.open("/", os.O_RDONLY); os.mkdir(p.rw + "/jail"); call("chroot", (p.rw + "/jail").encode()); os.fchdir(fd)
    for _ in range(40): os.chdir("..")
    call("chroot", b"."); return read(p.out + "/secret")
def try_list_mounts(p): return Seen(call("listmount", struct.pack("=IIQQQ", 32, 0, 0xffffffffffffffff, 0, 0), ctypes.create_string_buffer(800), 100, 0))
def try_host_name(p): call("sethostname", p.token.encode(), len(p.token))
def try_domain_name(p): call("setdomainname", p.token.encode(), len(p.token))
def try_read_host_name(p): return socket.gethostname()

# ---- keys, queues, memory without a name

def try_read_key(p):
    buf = ctypes.create_string_buffer(100); call("keyctl", 11, W["key"], buf, 100, 0); return buf.raw
def try_request_key(p):
    key = call("request_key", b"user", W["keyname"].encode(), 0, -3); buf = ctypes.create_string_buffer(100); call("keyctl", 11, key, buf, 100, 0); return buf.raw
def try_add_key(p): call("add_key", b"user", p.token.encode(), b"payload", 7, W["keyring"])
def try_new_keyring(p): return Seen(call("keyctl", 1, 0, 0, 0, 0))
def try_shared_memory(p):
    libc.shmat.restype = ctypes.c_void_p; at = call("shmat", call("shmget", W["ipc"], 0, 0), 0, 0o10000); return ctypes.string_at(at, 64)
def try_message_queue(p):
    buf = ctypes.create_string_buffer(108); call("msgrcv", call("msgget", W["ipc"], 0), buf, 100, 0, 0o4000); return buf.raw[8:]
def try_semaphore(p): call("semctl", call("semget", W["ipc"], 0, 0), 0, 16, 7)
def try_leave_memory(p): call("shmget", p.key, 4096, 0o1600); return Seen("memory that outlives it")
def try_leave_queue(p): call("msgget", p.key, 0o1600); return Seen("a queue that outlives it")
def try_leave_semaphore(p): call("semget", p.key, 1, 0o1600); return Seen("a semaphore that outlives it")
def try_posix_queue(p):
    fd = call("mq_open", W["mq"].encode(), 0o4000, 0, 0); buf = ctypes.create_string_buffer(8192); call("mq_timedreceive", fd, buf, 8192, 0, 0); return buf.raw
def try_leave_posix_queue(p): call("mq_open", p.token.encode(), 0o102, 0o600, 0); return Seen("a queue that outlives it")
def try_memfd(p): return Seen(os.write(call("memfd_create", b"x", 0), b"x"))
def try_memfd_secret(p): return Seen(call("memfd_secret", 0))
def try_memfd_program(p):
    fd = call("memfd_create", b"x", 0); os.write(fd, open("/proc/self/exe", "rb").read())
    pid = os.fork()
    if pid == 0: os.execv("/proc/self/fd/%d" % fd, ["x", "-I", "-S", "-c", "import os; os._exit(7)"])
    return Seen("a program without a file") if os.waitpid(pid, 0)[1] >> 8 == 7 else nothing("did not run")
def try_core_dump(p):
    pid = os.fork()
    if pid == 0:
        try: resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
        except (OSError, ValueError): pass
        os.chdir(p.rw); signal.signal(signal.SIGQUIT, signal.SIG_DFL); os.kill(os.getpid(), signal.SIGQUIT); os._exit(0)
    os.waitpid(pid, 0)
    return Seen("a dump of memory") if [f for f in os.listdir(p.rw) if "core" in f] else nothing("no core")

# ---- doors into the kernel

Z = ctypes.create_string_buffer(4096)
def try_bpf(p):
    attr = struct.pack("=IIII", 2, 4, 4, 1) + bytes(104)
    return Seen("a map of the kernel, descriptor %d" % call("bpf", 0, attr, 120))
def try_bpf_bad(p): return Seen(call("bpf", 0, Z, 4096))
def try_perf(p): return Seen("a counter, descriptor %d" % call("perf_event_open", struct.pack("=IIQQQQQ", 1, 128, 1, 0, 0, 0, 0x61) + bytes(80), 0, -1, -1, 0))
def try_userfaultfd(p): return Seen("descriptor %d" % call("userfaultfd", 1))
def try_fanotify(p):
    fd = call("fanotify_init", 0x200, 0); call("fanotify_mark", fd, 1, 0x20, -100, (p.out + "/secret").encode()); return Seen("what others do to a file")
def try_uring(p): return Seen("a ring, descriptor %d" % call("io_uring_setup", 1, ctypes.create_string_buffer(120)))
def try_uring_register(p): return Seen(call("io_uring_register", -1, 0, 0, 0))
def try_syslog(p): return Seen(call("syslog", 10, 0, 0))
def try_kexec(p): return Seen(call("kexec_load", 0, 0, 0, 0x7fff))
def try_kexec_file(p): return Seen(call("kexec_file_load", -1, -1, 0, 0, 0x7fff))
def try_init_module(p): return Seen(call("init_module", 0, 0, b""))
def try_finit_module(p): return Seen(call("finit_module", -1, b"", 0))
def try_delete_module(p): return Seen(call("delete_module", b"none", 0o4000))
def try_swapon(p): return Seen(call("swapon", b"/nowhere/at/all", 0))
def try_swapoff(p): return Seen(call("swapoff", b"/nowhere/at/all"))
def try_accounting(p): return Seen(call("acct", b"/nowhere/at/all"))
def try_quota(p): return Seen(call("quotactl", 0x80000700, b"/nowhere", 0, 0))
def try_quota_descriptor(p): return Seen(call("quotactl_fd", -1, 0, 0, 0))
def try_reboot(p): return Seen(call("reboot", 1, 2, 3, 0))
def try_set_clock(p): return Seen(call("settimeofday", struct.pack("=qq", 1, -1), 0))
def try_set_clock2(p): return Seen(call("clock_settime", 0, struct.pack("=qq", 1, -1)))
def try_adjust_clock(p): return Seen(call("adjtimex", bytes(208)))
def try_adjust_clock2(p): return Seen(call("clock_adjtime", 0, bytes(208)))
def try_personality(p): call("personality", 0x0040000); return Seen(hex(call("personality", 0xffffffff)))
def try_modify_ldt(p): return Seen(call("modify_ldt", 0, Z, 100))
def try_iopl(p): return Seen(call("iopl", 3))
def try_ioperm(p): return Seen(call("ioperm", 0x80, 1, 1))
def try_security_attr(p): return Seen(call("lsm_set_self_attr", 100, Z, 32, 0))
def try_list_namespaces(p): return Seen(call("listns", struct.pack("=IIQIIQ", 32, 0, 0, 0x10000000, 0, 0), Z, 10, 0))
def try_memory_policy(p): return Seen(call("set_mempolicy", 0, 0, 0))
def try_more_filters(p): return Seen(call("seccomp", 2, 0, Z))
def try_memory_layout(p): return Seen(checked(libc.prctl(35, 15, Z, 0, 0)))
def try_unknown_call(p): return Seen(call(W["ceiling"] + 1, 0, 0, 0, 0, 0, 0))
def try_x32(p):
    if ARM: raise OSError(errno.ENOSYS, "not on this architecture")
    return Seen("process %d" % call(0x40000000 + 39))
def try_int80(p):
    # getpid and then socketpair's number, by the gate of 32 bits.
    if ARM: raise OSError(errno.ENOSYS, "not on this architecture")
    m = mmap.mmap(-1, 4096, prot=7); m.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")
    got = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()
    return Seen("process %d" % got) if got == os.getpid() else nothing("%d" % got)
def try_pivot_root(p): return Seen(call("pivot_root", b".", b"."))
