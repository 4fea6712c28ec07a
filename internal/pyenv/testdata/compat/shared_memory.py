"""multiprocessing.shared_memory: a block that two handles see"""
# not in landlock: semaphores and shared memory lie in `/dev/shm`, which is the host's there and stays closed
from multiprocessing import shared_memory

block = shared_memory.SharedMemory(create=True, size=4096)
try:
    block.buf[:3] = b"abc"
    other = shared_memory.SharedMemory(name=block.name)
    assert bytes(other.buf[:3]) == b"abc"
    other.close()
finally:
    block.close()
    block.unlink()
