#include "textflag.h"

// func enter(flags, stack, code uintptr, w *walk) (pid, errno uintptr)
TEXT ·enter(SB), NOSPLIT, $0-48
	MOVQ flags+0(FP), DI
	MOVQ stack+8(FP), SI
	MOVQ code+16(FP), R13
	MOVQ w+24(FP), R12
	XORL DX, DX
	XORL R10, R10
	XORL R8, R8
	MOVQ $56, AX // clone
	SYSCALL
	TESTQ AX, AX
	JZ   child
	CMPQ AX, $0xfffffffffffff001
	JCC  failed
	MOVQ AX, pid+32(FP)
	MOVQ $0, errno+40(FP)
	RET

failed:
	NEGQ AX
	MOVQ $0, pid+32(FP)
	MOVQ AX, errno+40(FP)
	RET

child:
	// The stack pointer is at the end of a stack that holds nothing yet. The
	// code is Go's, which wants its argument in AX, g in R14, where
	// it still is, and zero in X15, and room above it
	// to put the argument. A call by name would go through a wrapper, in which
	// the race detector works on the stack of the caller's thread.
	SUBQ $64, SP
	XORPS X15, X15
	MOVQ R12, AX
	CALL R13
	INT  $3
