#include "textflag.h"

// func enter(flags, stack, code uintptr, w *walk) (pid, errno uintptr)
TEXT ·enter(SB), NOSPLIT, $0-48
	MOVD flags+0(FP), R0
	MOVD stack+8(FP), R1
	MOVD code+16(FP), R20
	MOVD w+24(FP), R19
	MOVD ZR, R2
	MOVD ZR, R3
	MOVD ZR, R4
	MOVD $220, R8 // clone
	SVC
	CBZ  R0, child
	CMN  $4095, R0
	BCS  failed
	MOVD R0, pid+32(FP)
	MOVD ZR, errno+40(FP)
	RET

failed:
	NEG  R0, R0
	MOVD ZR, pid+32(FP)
	MOVD R0, errno+40(FP)
	RET

child:
	// The stack pointer is at the end of a stack that holds nothing yet. The
	// code is Go's, which wants its argument in R0 and g in R28, where
	// it still is, and room above it
	// to put the argument. A call by name would go through a wrapper, in which
	// the race detector works on the stack of the caller's thread.
	SUB  $64, RSP
	MOVD R19, R0
	CALL (R20)
	BRK
