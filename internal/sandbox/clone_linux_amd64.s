#include "textflag.h"

// func enter(call, first, second, code uintptr, w *walk) (pid, errno uintptr)
TEXT ·enter(SB), NOSPLIT, $0-56
	MOVQ call+0(FP), AX
	MOVQ first+8(FP), DI
	MOVQ second+16(FP), SI
	MOVQ code+24(FP), R13
	MOVQ w+32(FP), R12
	XORL DX, DX
	XORL R10, R10
	XORL R8, R8
	SYSCALL
	TESTQ AX, AX
	JZ   child
	CMPQ AX, $0xfffffffffffff001
	JCC  failed
	MOVQ AX, pid+40(FP)
	MOVQ $0, errno+48(FP)
	RET

failed:
	NEGQ AX
	MOVQ $0, pid+40(FP)
	MOVQ AX, errno+48(FP)
	RET

child:
	// The stack pointer is at the end of a stack that holds nothing yet. The
	// code is Go's, which wants its argument in AX and room above the stack
	// pointer to put it, g in R14, where it still is, and zero in X15. A call
	// by name would go through a wrapper, in which the race detector works on
	// the stack of the caller's thread.
	SUBQ $64, SP
	XORPS X15, X15
	MOVQ R12, AX
	CALL R13
	INT  $3
