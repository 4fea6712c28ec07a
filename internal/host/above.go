package host

// Process is a program that runs, as the system tells of it.
type Process struct {
	PID int
	// Args is its command line, or its name alone where the system tells no
	// more.
	Args []string
}

// mostAbove bounds a chain that the system tells wrongly.
const mostAbove = 64

// above are the processes that this one was started by, the nearest first, as far as
// the system tells of them. parent tells of one process and who started it.
func above(pid int, parent func(pid int) (p Process, by int, err error)) ([]Process, error) {
	_, by, err := parent(pid)
	if err != nil {
		return nil, err
	}
	var list []Process
	for seen := map[int]bool{}; by > 0 && !seen[by] && len(list) < mostAbove; {
		seen[by] = true
		p, next, err := parent(by)
		if err != nil {
			return list, nil //nolint:nilerr // of another user, or gone: those above are not known
		}
		list = append(list, p)
		by = next
	}
	return list, nil
}
