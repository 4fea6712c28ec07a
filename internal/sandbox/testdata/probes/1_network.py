
import fcntl, stat, subprocess
# ---- the network

def told(s, p):
    """Says the attempt's word on a connected socket and returns the answer."""
    s.settimeout(2)
    s.sendall(p.token.encode())
    return s.recv(100).decode()

def connected(family, kind, address, p, protocol=0):
    with socket.socket(family, kind, protocol) as s:
        s.settimeout(2)
        s.connect(address)
        return told(s, p)

def tcp(address, p): return connected(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, (address, W["tcp"]), p)
def udp(address, p):
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    return s.sendto(p.token.encode(), (address, W["udp"]))

def try_tcp_loopback(p): return tcp("127.0.0.1", p)
def try_tcp_loopback6(p): return tcp("::1", p)
def try_tcp_internet(p): return tcp(W["internet"], p)
def try_tcp_internet6(p): return tcp(W["internet6"], p)
def try_tcp_local_network(p): return tcp(W["lan"], p)
def try_tcp_metadata(p): return tcp(W["metadata"], p)
def try_tcp_fastopen(p):
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("=qq", 2, 0))
    s.sendto(p.token.encode(), 0x20000000, (W["internet"], W["tcp"]))
    return s.recv(100).decode()
def try_udp_loopback(p): return udp("127.0.0.1", p)
def try_udp_internet(p): return udp(W["internet"], p)
def try_udp_internet6(p): return udp(W["internet6"], p)
def try_udp_local_network(p): return udp(W["lan"], p)
def try_mptcp(p): return connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", W["tcp"]), p, 262)
def try_sctp(p): return Seen("a socket of %d" % socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132).family)
def try_udplite(p): return Seen("a socket of %d" % socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 136).family)
def try_listen(p):
    s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); s.settimeout(2)
    with open(p.rw + "/port.part", "w") as f: f.write(str(s.getsockname()[1]))
    os.rename(p.rw + "/port.part", p.rw + "/port")
    c, _ = s.accept(); c.sendall(p.token.encode()); return "sent"
def try_ping(p):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1); s.settimeout(2)
    s.sendto(struct.pack("!BBHHH", 8, 0, 0, 0, 1) + p.token.encode(), ("127.0.0.1", 0))
    if p.token.encode() in s.recv(200): return Seen("an answer to a ping")
def try_raw_icmp(p):
    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
    return Seen("a raw socket, %d" % s.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE))
def udp_packet(p):
    # From nobody's address, for the kernel drops what claims to come from itself.
    body = p.token.encode()
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28 + len(body), 1, 0, 64, 17, 0, socket.inet_aton("198.51.100.9"), socket.inet_aton(W["internet"]))
    words = struct.unpack("!10H", head); total = sum(words); total = (total & 0xffff) + (total >> 16)
    head = head[:10] + struct.pack("!H", ~(total + (total >> 16)) & 0xffff) + head[12:]
    return head + struct.pack("!HHHH", 9999, W["udp"], 8 + len(body), 0) + body
def try_raw_ip(p):
    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 255)
    return s.sendto(udp_packet(p), (W["internet"], 0))
def try_packet(p):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0x0008)
    return s.sendto(udp_packet(p), ("lo", 0x0800))
def netlink(kind, flags, body, protocol=0):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol); s.settimeout(2)
    s.send(struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body)
    return s.recv(65536)
def try_netlink_read(p):
    b = netlink(18, 0x301, struct.pack("=BBHiII", 0, 0, 0, 0, 0, 0))
    return Seen("a list of links") if b"lo\0" in b else nothing("no link")
def try_netlink_change(p):
    # An address that the host will find on its loopback.
    address = socket.inet_aton(p.address)
    attrs = struct.pack("=HH4s", 8, 2, address) + struct.pack("=HH4s", 8, 1, address)
    return netlink(20, 0x605, struct.pack("=BBBBI", 2, 32, 0, 0, 1) + attrs)
def try_netlink_diag(p):
    b = netlink(20, 0x301, struct.pack("=BBBBI", 10, 6, 0, 0, 0xffffffff) + bytes(48), 4)
    return Seen("the host's server among the sockets") if struct.pack("!H", W["tcp"]) in b else nothing("no socket")
def try_netlink_uevent(p):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 15); s.bind((0, 1)); return Seen("a listener for devices")
def family(n, *kind): return Seen("a socket of family %d" % socket.socket(n, *kind).getsockopt(socket.SOL_SOCKET, 39))
def try_vsock(p): return family(40, socket.SOCK_STREAM)
def try_vsock_datagram(p): return family(40, socket.SOCK_DGRAM)
def try_alg(p): return family(38, socket.SOCK_SEQPACKET)
def try_xdp(p): return family(44, socket.SOCK_RAW)
def try_every_family(p):
    # With amateur radio, CAN, Bluetooth and what else a kernel may have.
    got = set()
    for n in range(46):
        if n in W["families"]: continue
        for kind in (1, 2, 3, 4, 5):
            for protocol in (0, 1, 3):
                fd = libc.socket(n, kind, protocol)
                if fd >= 0:
                    got.add(n); os.close(fd)
    return Seen("sockets of families %s" % sorted(got)) if got else nothing("no family")
def try_type_flags(p):
    # A type that a filter could misread: flags, and bits that the kernel drops.
    for kind in (1 | 0o4000, 1 | 0o2000000, 2 | 0o2004000, 1 | 1 << 32, 1 << 32 | 2):
        for n in (2, 10, 2 | 1 << 32):
            try: fd = call(198 if ARM else 41, n, kind, 0)
            except OSError as e:
                if e.errno in (errno.EACCES, errno.EPERM): continue
                raise
            s = socket.socket(fileno=fd); s.settimeout(2)
            if n & 0xff == 2 and kind & 0xf == 1: s.connect(("127.0.0.1", W["tcp"])); return told(s, p)
    nothing("every spelling refused")

def try_unix_stream(p): return connected(socket.AF_UNIX, socket.SOCK_STREAM, W["unix"], p)
def try_unix_datagram(p): return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(p.token.encode(), W["unixgram"])
def try_unix_packet(p): return connected(socket.AF_UNIX, socket.SOCK_SEQPACKET, W["unixpacket"], p)
def try_abstract_stream(p): return connected(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + W["abstract"], p)
def try_abstract_datagram(p): return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(p.token.encode(), "\0" + W["abstractgram"])
def try_unix_in_grant(p): return connected(socket.AF_UNIX, socket.SOCK_STREAM, p.ro + "/../socket", p)
def pair(kind): return socket.socketpair(socket.AF_UNIX, kind)
def try_pair_to_path(p): return pair(socket.SOCK_DGRAM)[0].sendto(p.token.encode(), W["unixgram"])
def try_pair_to_abstract(p): return pair(socket.SOCK_DGRAM)[0].sendto(p.token.encode(), "\0" + W["abstractgram"])
def try_pair_raw(p): return pair(socket.SOCK_RAW)[0].sendto(p.token.encode(), W["unixgram"])
def try_pair_disguised(p):
    fds = (ctypes.c_int * 2)()
    call(199 if ARM else 53, 1 | 1 << 32, 2 | 1 << 32, 0, fds)
    return socket.socket(fileno=fds[0]).sendto(p.token.encode(), W["unixgram"])
def try_pair_reconnect(p):
    # Not for everyone: a connected pair stays connected, whatever is asked.
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
        for unconnect in (True, False):
            try:
                a, b = pair(kind)
                if unconnect: libc.connect(a.fileno(), b"\0\0" + bytes(14), 16)
                a.connect(W["unixgram"] if kind == socket.SOCK_DGRAM else W["unix"]); a.sendall(p.token.encode())
            except OSError: pass
def try_abstract_name(p):
    s = socket.socket(socket.AF_UNIX); s.bind("\0" + p.token); s.listen(); return until(lambda: os.path.exists(p.rw + "/done"), 0.5)
def try_name_a_pair(p):
    a, b = pair(socket.SOCK_STREAM); a.bind("\0" + p.token); time.sleep(0.3)
def try_socket_in_grant(p): socket.socket(socket.AF_UNIX).bind(p.rw + "/sock")
def try_passed_descriptor(p):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(2); s.connect(W["giver"]); s.sendall(p.token.encode())
        fds = socket.recv_fds(s, 10, 1)[1]
        return os.read(os.open(p.probe + "/secret", os.O_RDONLY, dir_fd=fds[0]), 100)

def uring(op, fd=-1, off=0, addr=0, length=0, flags=0):
    """One operation through a ring of its own."""
    params = ctypes.create_string_buffer(120)
    ring = call("io_uring_setup", 4, params)
    u = struct.unpack_from("=30I", params.raw)
    sq_array, cq_tail, cqes = u[10 + 6], u[20 + 1], u[20 + 5]
    m = mmap.mmap(ring, max(sq_array + 16, cqes + 8 * 16), offset=0)
    sq_tail = u[10 + 1]
    sqes = mmap.mmap(ring, 4 * 64, offset=0x10000000)
    sqes[0:64] = struct.pack("=BBHiQQIIQHHiQQ", op, 0, 0, fd, off, addr, length, flags, 1, 0, 0, 0, 0, 0)
    m[sq_array:sq_array + 4] = struct.pack("=I", 0)
    m[sq_tail:sq_tail + 4] = struct.pack("=I", 1)
    call("io_uring_enter", ring, 1, 1, 1, 0, 0)
    r = struct.unpack_from("=QiI", m[cqes:cqes + 16])[1]
    if r < 0: raise OSError(-r, os.strerror(-r))
    return r
def try_uring_socket(p):
    s = socket.socket(fileno=uring(45, fd=socket.AF_INET, off=socket.SOCK_STREAM)); s.settimeout(2)
    s.connect(("127.0.0.1", W["tcp"])); return told(s, p)
def try_uring_open(p):
    path = ctypes.create_string_buffer((p.out + "/secret").encode())
    return os.read(uring(18, fd=-100, addr=ctypes.addressof(path)), 100)
