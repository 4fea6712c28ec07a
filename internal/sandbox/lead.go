package sandbox

import "sync"

// lead is the uplink of a program that waits in a pool: that of the call which the
// program will serve. Until then its network leads nowhere.
type lead struct {
	doors []Door

	mu   sync.Mutex
	link *Link  // not handed to an uplink yet
	stop func() // of the one that has it
}

func (l *lead) Doors() []Door { return l.doors }

// Serve keeps the link for later.
func (l *lead) Serve(link Link) (func(), error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.link = &link
	return l.end, nil
}

// there tells whether the program has its network.
func (l *lead) there() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.link != nil
}

// to leads the network to the uplink of a call.
func (l *lead) to(up Uplink) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.link == nil {
		return noUplink("the network of the program that waited has ended")
	}
	link := *l.link
	l.link = nil
	l.stop, err = up.Serve(link)
	return err
}

// end is after the program's last process.
func (l *lead) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil {
		l.stop()
		l.stop = nil
	}
	if l.link != nil {
		_ = l.link.Tun.Close()
		for _, f := range l.link.Doors {
			_ = f.Close()
		}
		l.link = nil
	}
}
