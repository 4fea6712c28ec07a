package sandbox

import "bytes"

// spare is a program that runs and waits for its late standard input.
type spare struct {
	job   []byte // as MarshalBinary has it
	t     *tree
	clean func()
	up    *lead        // the network, which is to be the call's; nil where there is none
	later func(func()) // takes what can be done once the answer is out; nil where nobody does
}

// serves tells whether the spare is the program that the job asks for: alive,
// and the same in every word but the input.
func (s *spare) serves(j Job) bool {
	b, err := j.MarshalBinary()
	return err == nil && len(s.t.ended) == 0 && bytes.Equal(s.job, b)
}

func (s *spare) discard() {
	s.t.discard()
	s.clean()
}

// Warm starts the program of a late job before it is known whether the job
// will come and what its input is, and returns at once. The next Run of the
// same job, input and gate aside, gives it both; for a job that differs in
// anything the program is ended unused. Close ends what no Run took, and so
// does the end of this process.
func (s *Sandbox) Warm(job Job) {
	job, err := job.checked()
	if err != nil || !job.Late || job.Uplink != nil {
		return // Run will say so, or make the uplink that this program would lack
	}
	same, err := job.MarshalBinary()
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spare != nil {
		return
	}
	made := make(chan *spare, 1)
	s.spare = made
	go func() {
		defer close(made)
		// A failure shows when Run tries for itself.
		if warm, err := begin(s.driver, s.groups, job, false); err == nil {
			warm.job = same
			// The record of the run waits for the disk meanwhile.
			warm.later = func(do func()) { go do() }
			made <- warm
		}
	}()
}

func (s *Sandbox) takeSpare() *spare {
	s.mu.Lock()
	made := s.spare
	s.spare = nil
	s.mu.Unlock()
	if made == nil {
		return nil
	}
	return <-made
}

// Close ends what Warm began. The Sandbox may be used again.
func (s *Sandbox) Close() {
	if warm := s.takeSpare(); warm != nil {
		warm.discard()
	}
}
