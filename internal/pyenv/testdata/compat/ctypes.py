"""ctypes: functions of the C library, callbacks"""
import ctypes

libc = ctypes.CDLL(None)
assert libc.strlen(b"four") == 4
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
numbers = (ctypes.c_int * 4)(3, 1, 4, 2)
libc.qsort(numbers, 4, ctypes.sizeof(ctypes.c_int), compare(lambda a, b: a[0] - b[0]))
assert list(numbers) == [1, 2, 3, 4]
