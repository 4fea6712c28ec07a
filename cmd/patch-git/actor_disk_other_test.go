//go:build !linux

package main

import (
	"fmt"
	"os"
)

func onDisk() {
	fmt.Fprintln(os.Stderr, "on-disk: there are no mount namespaces here")
	os.Exit(99)
}

func canMount() bool { return false }

func canFilter() bool { return false }
