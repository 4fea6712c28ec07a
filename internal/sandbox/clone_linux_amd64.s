#include "textflag.h"

// func clone3(args *cloneArgs, size uintptr, w *walk) (pid, errno uintptr)
TEXT ·clone3(SB), NOSPLIT, $16-40
	MOVQ args+0(FP), DI
	MOVQ size+8(FP), SI
	MOVQ w+16(FP), R12
	MOVQ $435, AX
	SYSCALL
	TESTQ AX, AX
	JZ   child
	CMPQ AX, $0xfffffffffffff001
	JCC  failed
	MOVQ AX, pid+24(FP)
	MOVQ $0, errno+32(FP)
	RET

failed:
	NEGQ AX
	MOVQ $0, pid+24(FP)
	MOVQ AX, errno+32(FP)
	RET

child:
	// The stack pointer is at the end of a stack that holds nothing yet.
	SUBQ $64, SP
	MOVQ R12, 0(SP)
	CALL ·follow(SB)
	INT  $3
