package host

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// startedBy are the processes above this one.
func startedBy() ([]Process, error) { return above(os.Getpid(), parentOf) }

// parentOf reads /proc.
func parentOf(pid int) (Process, int, error) {
	dir := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return Process{}, 0, err
	}
	name, by, err := parseStat(string(stat))
	if err != nil {
		return Process{}, 0, err
	}
	p := Process{PID: pid, Args: []string{name}}
	line, err := os.ReadFile(dir + "/cmdline")
	if line = bytes.TrimRight(line, "\x00"); err == nil && len(line) > 0 {
		p.Args = strings.Split(string(line), "\x00")
	}
	return p, by, nil
}

// parseStat reads "PID (NAME) STATE PARENT …". A name can have brackets and blanks
// in it; nothing after it can.
func parseStat(stat string) (name string, parent int, err error) {
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return "", 0, fmt.Errorf("process without a name: %q", stat)
	}
	fields := strings.Fields(stat[end+1:])
	if len(fields) < 2 {
		return "", 0, fmt.Errorf("process without a parent: %q", stat)
	}
	parent, err = strconv.Atoi(fields[1])
	return stat[open+1 : end], parent, err
}
