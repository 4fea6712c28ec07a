//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpu is the time of the processor that this program and what it started have
// used: on a machine with other work it says more than the clock.
func cpu() time.Duration {
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return total
}
