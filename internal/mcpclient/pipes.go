package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// OverPipes makes a call of a server that reads in and writes out, a message on each
// line. It returns when the call is over, or when out ends: whoever ends the server
// ends this.
func OverPipes(in io.Writer, out io.Reader, c Call) (*Reply, error) {
	d := &dialogue{call: c}
	say := [][]byte{d.open()}
	lines := bufio.NewReaderSize(out, 64*limits.KiB)
	for {
		for _, m := range say {
			if _, err := in.Write(m); err != nil {
				return nil, gone()
			}
		}
		text, err := readLine(lines)
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			say = nil
			if d.heard++; d.heard > limits.MCPMessages {
				return nil, broken("it sent more than %d lines", limits.MCPMessages)
			}
			continue
		}
		if say, err = d.hear(text); err != nil || d.reply != nil {
			return d.reply, err
		}
	}
}

// readLine reads a line of bounded length.
func readLine(r *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := r.ReadSlice('\n')
		if text = append(text, part...); len(text) > limits.CallBody {
			return nil, broken("it sent a message of more than %d bytes", limits.CallBody)
		}
		switch {
		case err == nil:
			return text, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, gone()
		}
	}
}

func gone() error {
	return fault.New(fault.ToolFailed, "mcp_gone", "the MCP server ended before it answered")
}
