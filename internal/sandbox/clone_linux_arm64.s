#include "textflag.h"

// func clone3(args *cloneArgs, size uintptr, w *walk) (pid, errno uintptr)
TEXT ·clone3(SB), NOSPLIT, $16-40
	MOVD args+0(FP), R0
	MOVD size+8(FP), R1
	MOVD w+16(FP), R19
	MOVD $435, R8
	SVC
	CBZ  R0, child
	CMN  $4095, R0
	BCS  failed
	MOVD R0, pid+24(FP)
	MOVD ZR, errno+32(FP)
	RET

failed:
	NEG  R0, R0
	MOVD ZR, pid+24(FP)
	MOVD R0, errno+32(FP)
	RET

child:
	// The stack pointer is at the end of a stack that holds nothing yet.
	SUB  $64, RSP
	MOVD R19, 8(RSP)
	CALL ·follow(SB)
	BRK
