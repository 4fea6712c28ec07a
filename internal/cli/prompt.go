package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
)

// confirm asks a yes-or-no question on the terminal device. Where there is no
// terminal the answer is a refusal with the reason and the hint given.
func (a *app) confirm(ctx context.Context, question string, refusal *fault.Error) error {
	if a.host.Terminal.Open == nil {
		return refusal
	}
	tty, err := a.host.Terminal.Open()
	if err != nil {
		return refusal
	}
	defer tty.Close()
	a.out.endProgress()
	fmt.Fprintf(tty, "%s [y/N] ", safe(question))
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(tty).ReadString('\n')
		answer <- line
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
	}
	return refusal
}
