#include "textflag.h"

// func enter(call, first, second, code uintptr, w *walk) (pid, errno uintptr)
TEXT ·enter(SB), NOSPLIT, $0-56
	MOVD call+0(FP), R8
	MOVD first+8(FP), R0
	MOVD second+16(FP), R1
	MOVD code+24(FP), R20
	MOVD w+32(FP), R19
	MOVD ZR, R2
	MOVD ZR, R3
	MOVD ZR, R4
	SVC
	CBZ  R0, child
	CMN  $4095, R0
	BCS  failed
	MOVD R0, pid+40(FP)
	MOVD ZR, errno+48(FP)
	RET

failed:
	NEG  R0, R0
	MOVD ZR, pid+40(FP)
	MOVD R0, errno+48(FP)
	RET

child:
	// The stack pointer is at the end of a stack that holds nothing yet. The
	// code is Go's, which wants its argument in R0 and room above the stack
	// pointer to put it, and g in R28, where it still is. A call by name would
	// go through a wrapper, in which the race detector works on the stack of
	// the caller's thread.
	SUB  $64, RSP
	MOVD R19, R0
	CALL (R20)
	BRK
