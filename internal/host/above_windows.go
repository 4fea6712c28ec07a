package host

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// startedBy are the processes above this one, by their names alone. Windows gives
// the number of a process that ended to another, so that above one that is gone
// the chain can lead astray.
func startedBy() ([]Process, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	type known struct {
		name string
		by   int
	}
	all := map[int]known{}
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		all[int(entry.ProcessID)] = known{windows.UTF16ToString(entry.ExeFile[:]), int(entry.ParentProcessID)}
	}
	return above(os.Getpid(), func(pid int) (Process, int, error) {
		p, ok := all[pid]
		if !ok {
			return Process{}, 0, fmt.Errorf("no process %d", pid)
		}
		return Process{PID: pid, Args: []string{p.name}}, p.by, nil
	})
}
