
# ---- files

def read(path):
    with open(path, "rb") as f: return f.read(4096)

def try_read_secret(p): return read(p.out + "/secret")
def try_stat_secret(p): return os.stat(p.out + "/dated").st_mtime_ns
def try_list_outside(p): return os.listdir(p.out + "/list")
def try_readlink_outside(p): return os.readlink(p.out + "/link")
def try_xattr_outside(p): return os.getxattr(p.out + "/secret", "user.word")
def try_statfs_outside(p): return Seen(os.statvfs(p.out).f_files)
def try_watch_outside(p):
    fd = call("inotify_init1", 0o4000)
    call("inotify_add_watch", fd, (p.out + "/secret").encode(), 0xfff)
    ready(p)
    return Seen("what others do to a file") if select.select([fd], [], [], 2)[0] else nothing("no event")
def try_read_shadow(p): return read("/etc/shadow")
def try_read_home(p): return read(W["home"] + "/.ssh/id_ed25519")
def try_run_host_program(p): return subprocess.run(["/bin/cat", p.out + "/secret"], capture_output=True).stdout
def try_see_host_program(p): return Seen(os.stat("/bin/cat").st_size)
def try_through_root_link(p): return read("/proc/self/root" + p.out + "/secret")
def try_through_init_root(p): return read("/proc/1/root" + p.out + "/secret")
def try_through_cwd_link(p): return read("/proc/%d/cwd/secret" % p.victim["pid"])
def try_dotdot(p): return read("/tmp/" + "../" * 40 + p.out + "/secret")
def try_dotdot_from_grant(p): return read(p.rw + "/../../out/" + p.probe + "/secret")
def try_dotdot_descriptor(p):
    fd = os.open(p.rw, os.O_RDONLY)
    for _ in range(20): fd = os.open("..", os.O_RDONLY, dir_fd=fd)
    return os.read(os.open(p.out[1:] + "/secret", os.O_RDONLY, dir_fd=fd), 100)
def try_openat2(p):
    how = struct.pack("=QQQ", 0, 0, 0)
    fd = os.open(p.rw, os.O_RDONLY)
    return os.read(call("openat2", fd, ("../../out/%s/secret" % p.probe).encode(), how, 24), 100)
def try_link_in_grant(p): os.symlink(p.out + "/secret", p.rw + "/link"); return read(p.rw + "/link")
def try_hard_link_into_grant(p): os.link(p.out + "/secret", p.rw + "/hard"); return read(p.rw + "/hard")
def try_rename_into_grant(p): os.rename(p.out + "/secret", p.rw + "/moved"); return read(p.rw + "/moved")
def try_exchange_with_grant(p):
    open(p.rw + "/mine", "w").close()
    checked(libc.renameat2(-100, (p.rw + "/mine").encode(), -100, (p.out + "/secret").encode(), 2))
    return read(p.rw + "/mine")
def try_handle(p):
    # A file by its number, without its path.
    handle, where = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0) + bytes(128), 136), ctypes.c_int()
    call("name_to_handle_at", -100, p.out.encode() + b"/secret", handle, ctypes.byref(where), 0)
    return os.read(call("open_by_handle_at", os.open(p.rw, os.O_RDONLY), handle, 0), 100)
def try_handle_name(p):
    handle, where = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0) + bytes(128), 136), ctypes.c_int()
    call("name_to_handle_at", -100, b"/", handle, ctypes.byref(where), 0)
    return Seen("a handle of /")
def name_again(fd, path):
    """Gives what a descriptor stands for a name."""
    checked(libc.linkat(-100, b"/proc/self/fd/%d" % fd, -100, path.encode(), 0x400))
def try_empty_path(p):
    # What an O_PATH descriptor of a grant leads to.
    name_again(os.open(p.ro + "/file", 0o10000000), p.rw + "/same")
    return os.write(os.open(p.rw + "/same", os.O_WRONLY), b"changed")
def try_mount_paths(p): return read("/proc/self/mountinfo")
def try_host_mounts(p): return Seen("mounts of the host") if b"/sys/" in read("/proc/1/mountinfo") else nothing("none")

def try_write_outside(p): open(p.out + "/doomed", "w").write("changed")
def try_append_outside(p): open(p.out + "/doomed", "a").write("changed")
def try_create_outside(p): open(p.out + "/new", "w").close()
def try_remove_outside(p): os.unlink(p.out + "/doomed")
def try_truncate_outside(p): os.truncate(p.out + "/doomed", 0)
def try_mkdir_outside(p): os.mkdir(p.out + "/dir")
def try_rmdir_outside(p): os.rmdir(p.out + "/list/empty")
def try_symlink_outside(p): os.symlink("/", p.out + "/new")
def try_mkfifo_outside(p): os.mkfifo(p.out + "/new")
def try_chmod_outside(p): os.chmod(p.out + "/doomed", 0o640)
def try_chmod2_outside(p): call(452, -100, (p.out + "/doomed").encode(), 0o640, 0)
def try_utime_outside(p): os.utime(p.out + "/doomed", (1, 1))
def try_chown_outside(p): os.chown(p.out + "/doomed", 1, 1)
def try_setxattr_outside(p): os.setxattr(p.out + "/doomed", "user.new", b"x")
def try_removexattr_outside(p): os.removexattr(p.out + "/secret", "user.word")
def try_file_setattr(p): call("file_setattr", -100, (p.out + "/doomed").encode(), struct.pack("=QIIII", 0x80, 0, 0, 0, 0), 24, 0)
def try_common_places(p):
    for d in ["/", "/etc", "/usr", "/usr/lib", "/var", "/var/tmp", "/run", "/home", "/root", "/opt", "/srv", "/mnt", "/dev", "/dev/shm", "/tmp", "/proc", "/sys", p.base]:
        try: os.close(os.open(d + "/" + p.token, os.O_CREAT | os.O_WRONLY, 0o600))
        except OSError: pass

def try_grant_write(p): open(p.ro + "/file", "w").write("changed")
def try_grant_append(p): open(p.ro + "/file", "a").write("changed")
def try_grant_open_truncate(p): os.close(os.open(p.ro + "/file", os.O_RDONLY | os.O_TRUNC))
def try_grant_truncate(p): os.truncate(p.ro + "/file", 0)
def try_grant_create(p): open(p.ro + "/new", "w").close()
def try_grant_remove(p): os.unlink(p.ro + "/file")
def try_grant_rename(p): os.rename(p.ro + "/file", p.ro + "/other")
def try_grant_take(p): os.rename(p.ro + "/file", p.rw + "/stolen")
def try_grant_chmod(p): os.chmod(p.ro + "/file", 0o777)
def try_grant_fchmod(p): os.fchmod(os.open(p.ro + "/file", os.O_RDONLY), 0o777)
def try_grant_utime(p): os.utime(p.ro + "/file", (1, 1))
def try_grant_futime(p): os.utime(os.open(p.ro + "/file", os.O_RDONLY), (1, 1))
def try_grant_setxattr(p): os.setxattr(p.ro + "/file", "user.new", b"x")
def try_grant_flags(p):
    # The attribute nodump, through a descriptor that only reads; by the two numbers of the call.
    fd = os.open(p.ro + "/file", os.O_RDONLY)
    for cmd in (0x40086602, 0x40086602 | 1 << 32):
        try: call("ioctl", fd, cmd, struct.pack("=q", 0x40))
        except OSError as e: last = e
        else: return
    raise last
def try_grant_mmap(p): mmap.mmap(os.open(p.ro + "/file", os.O_RDWR), 4)[0] = 88
def try_grant_mprotect(p):
    fd = os.open(p.ro + "/file", os.O_RDONLY); libc.mmap.restype = ctypes.c_void_p
    at = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, fd, ctypes.c_long(0))
    checked(libc.mprotect(ctypes.c_void_p(at), ctypes.c_size_t(4096), 3))
    ctypes.memset(at, 88, 4)
def try_grant_self_mem(p):
    # Writing through /proc/self/mem overrules the protection of a mapping.
    fd = os.open(p.ro + "/file", os.O_RDONLY); libc.mmap.restype = ctypes.c_void_p
    at = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, fd, ctypes.c_long(0))
    os.pwrite(os.open("/proc/self/mem", os.O_RDWR), b"XXXX", at)
def try_grant_reopen(p):
    fd = os.open(p.ro + "/file", os.O_RDONLY); open("/proc/self/fd/%d" % fd, "w").write("changed")
def try_grant_hard_link(p): os.link(p.ro + "/file", p.rw + "/hard"); open(p.rw + "/hard", "w").write("changed")
def try_grant_remount(p):
    path = (p.ro + "/door").encode()
    try: call("mount", 0, path, 0, 0x1000 | 0x20, 0)
    finally: open(p.ro + "/door/file", "w").write("changed")
def try_grant_mount_setattr(p):
    path = (p.ro + "/door").encode()
    try: call("mount_setattr", -100, path, 0, struct.pack("=QQQQ", 0, 1, 0, 0), 32)
    finally: open(p.ro + "/door/file", "w").write("changed")
def try_overwrite_program(p):
    # The way of CVE-2019-5736: a program that runs is reopened for writing
    # through its own link, once it runs no longer.
    subprocess.run([p.ro + "/python", "-I", "-S", "-c", "import os,sys; os.execv(sys.argv[1], [sys.argv[1], '-I', '-S', '-c', 'import os; os.write(os.open(\"/proc/self/fd/%d\" % int(os.sys.argv[1]), os.O_WRONLY), b\"changed\")', str(os.dup2(os.open('/proc/self/exe', 0o10000000), 77))])", sys.executable], stderr=subprocess.PIPE)
def try_overwrite_tracer(p):
    # The same to what started us: this program's own binary, or the host's.
    for pid in (1, PARENT, os.getppid()):
        try: fd = os.open("/proc/%d/exe" % pid, 0o10000000)
        except OSError: continue
        if b"patch-git" in read("/proc/self/fd/%d" % fd)[:0] or os.fstat(fd).st_ino == W["self"]: return Seen("a descriptor of the sandbox's own program")
    nothing("only the interpreter")

def try_grant_out_of_place(p): os.rename(p.base + "/rw", p.base + "/rw-away")
def try_directory_out_of_grant(p): os.mkdir(p.rw + "/d"); os.rename(p.rw + "/d", p.out + "/d")
def try_link_out_of_grant(p): open(p.rw + "/f", "w").close(); os.link(p.rw + "/f", p.out + "/new")
def try_nameless_file(p):
    fd = os.open(p.rw, os.O_TMPFILE | os.O_RDWR, 0o600)
    name_again(fd, p.out + "/new")
def try_nameless_file_empty_path(p):
    fd = os.open(p.rw, os.O_TMPFILE | os.O_RDWR, 0o600)
    checked(libc.linkat(fd, b"", -100, (p.out + "/new").encode(), 0x1000))
def try_moving_directory(p):
    # A place inside that the host's side of the tree is moved from below.
    os.makedirs(p.rw + "/a/b/c"); os.chdir(p.rw + "/a/b/c")
    os.rename(p.rw + "/a/b/c", p.rw + "/c")
    return read("../../out/" + p.probe + "/secret")
def try_swapped_source(p):
    # The host starts other runs with a mount of this path, meanwhile.
    os.mkdir(p.rw + "/real"); open(p.rw + "/real/secret", "w").write("plain")
    os.symlink(p.out, p.rw + "/trap"); os.rename(p.rw + "/real", p.rw + "/name"); ready(p)
    end = time.monotonic() + 2
    while time.monotonic() < end and not os.path.exists(p.rw + "/done"):
        libc.renameat2(-100, (p.rw + "/name").encode(), -100, (p.rw + "/trap").encode(), 2)

def try_setuid_file(p): open(p.rw + "/f", "w").close(); os.chmod(p.rw + "/f", 0o4755)
def try_setuid_fchmod(p): os.fchmod(os.open(p.rw + "/f", os.O_CREAT | os.O_RDWR), 0o4755)
def try_setuid_chmod2(p): open(p.rw + "/f", "w").close(); call(452, -100, (p.rw + "/f").encode(), 0o4755, 0)
def try_setgid_file(p): open(p.rw + "/f", "w").close(); os.chmod(p.rw + "/f", 0o2755)
def try_setuid_create(p): os.umask(0); os.open(p.rw + "/f", os.O_CREAT | os.O_RDWR, 0o4755)
def try_setuid_openat2(p): os.umask(0); call("openat2", -100, (p.rw + "/f").encode(), struct.pack("=QQQ", os.O_CREAT | os.O_RDWR, 0o4755, 0), 24)
def try_setuid_nameless(p):
    os.umask(0); fd = os.open(p.rw, os.O_TMPFILE | os.O_RDWR, 0o4755)
    name_again(fd, p.rw + "/f")
def try_setuid_mknod(p): os.umask(0); os.mknod(p.rw + "/f", 0o104755)
def try_device_in_grant(p): os.mknod(p.rw + "/null", 0o20666, os.makedev(1, 3))
def try_block_in_grant(p): os.mknod(p.rw + "/disk", 0o60666, os.makedev(7, 0))
def try_whiteout_in_grant(p): os.mknod(p.rw + "/white", 0o20666, 0)
def try_capability_on_file(p):
    open(p.rw + "/f", "w").close(); os.setxattr(p.rw + "/f", "security.capability", struct.pack("=IIIII", 0x02000001, 0x2000, 0, 0, 0))
def try_device_in_tmp(p):
    at = os.environ.get("TMPDIR", "/tmp") + "/" + p.token
    os.mknod(at, 0o20666, os.makedev(1, 3)); os.open(at, os.O_WRONLY); return Seen("a device of its own")
def try_devices(p):
    names = "mem kmem port kmsg tty0 console fuse kvm net/tun loop-control loop0 vda sda nvme0n1 userfaultfd btrfs-control hwrng vsock vhost-net snapshot cpu/0/msr input/event0 dri/card0 mapper/control uinput cuse autofs"
    got = []
    for n in names.split():
        try: os.close(os.open("/dev/" + n, os.O_RDONLY | os.O_NONBLOCK)); got.append(n)
        except OSError: pass
    return Seen(" ".join(got)) if got else nothing("no device")
def try_device_names(p):
    odd = set(os.listdir("/dev")) - {"null", "zero", "urandom", "random", "shm", "fd", "stdin", "stdout", "stderr"}
    return Seen(sorted(odd)[:5]) if odd else nothing("nothing more")

def opened(*paths):
    """Opened for writing, and nothing written."""
    got = []
    for f in paths:
        try: os.close(os.open(f, os.O_WRONLY)); got.append(f)
        except OSError as e: last = e
    if not got: raise last
    return Seen("open for writing: " + " ".join(got))
def try_core_pattern(p): return opened("/proc/sys/kernel/core_pattern")
def try_sysrq(p): return opened("/proc/sysrq-trigger")
def try_helpers(p): return opened("/sys/kernel/uevent_helper", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hotplug", "/proc/sys/kernel/poweroff_cmd")
def try_binfmt(p): return opened("/proc/sys/fs/binfmt_misc/register")
def try_cgroups(p):
    got = []
    for d, _, files in os.walk("/sys/fs/cgroup"):
        for f in files:
            if f in ("release_agent", "cgroup.procs", "notify_on_release", "devices.allow"): got.append(d + "/" + f)
        if len(got) > 100: break
    return opened(*got or ["/sys/fs/cgroup/cgroup.procs"])
def try_sysctl_write(p):
    path = "/proc/sys/net/ipv4/ip_default_ttl"
    open(path, "w").write(str(W["ttl"])); return "written"
def try_sysctl_read(p): return Seen(read("/proc/sys/kernel/osrelease"))
def try_sys(p): return Seen(os.listdir("/sys/kernel"))
def try_machine(p): return Seen(read("/proc/meminfo")[:20])
def try_kallsyms(p): return Seen(read("/proc/kallsyms")[:20])
