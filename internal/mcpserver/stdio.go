package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// serveStdio answers the host that started this process until it closes our
// standard input, or ctx ends.
func (s *server) serveStdio(ctx context.Context) error {
	return s.over(ctx, newPipe(ctx, s.client.Host.Stdin, s.client.Host.Stdout))
}

func (s *server) over(ctx context.Context, p *pipe) error {
	s.later = &p.later
	session, err := s.mcp.Connect(ctx, p, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
		ended <- err
	case <-ctx.Done():
	case <-p.left:
	}
	// Calls were told to end. What does not is left to the system: a host that reads no
	// more must not keep us here, and least of all one that waits for us to end.
	select {
	case err = <-ended:
	case <-time.After(limits.MCPDrain):
	}
	if ctx.Err() == nil && err != nil && !errors.Is(err, io.EOF) {
		return fault.New(fault.Unavailable, "host_gone", "speak with the host: %w", err)
	}
	return nil // a signal is how some hosts end their servers
}

// pipe is a host at the other end of two streams, one message a line. It stands
// in the place of the SDK's own transport, which ends at the first line that is
// no message: here such a line is answered with an error, and the next one read.
//
// Nothing but whole lines of JSON-RPC reaches out.
type pipe struct {
	done   <-chan struct{} // of the server
	frames chan frame
	closed chan struct{}
	close  sync.Once
	left   chan struct{} // closed when the host has closed our input and calls had their time
	leave  sync.Once

	writing sync.Mutex
	out     io.Writer
	room    []byte // for a part of a long line
	later   later

	mu      sync.Mutex
	asked   map[jsonrpc.ID]*request
	bytes   int           // of all of asked
	awaited int           // requests whose answer was not written yet, but subscriptions
	ending  bool          // the host has closed our input
	drained chan struct{} // closed when it has and nothing is awaited
}

// frame is what one line was: a message, or an answer to what is none.
type frame struct {
	message jsonrpc.Message
	refusal *refusal
	size    int
}

// request is one that the host waits for.
type request struct {
	size      int
	awaited   int  // 1, or 0 for a subscription, which ends with us
	cancelled bool // the host takes no answer
	lists     bool // tools/list
}

func newPipe(ctx context.Context, in io.Reader, out io.Writer) *pipe {
	p := &pipe{
		done: ctx.Done(), frames: make(chan frame), closed: make(chan struct{}), out: out,
		asked: map[jsonrpc.ID]*request{}, drained: make(chan struct{}), left: make(chan struct{}),
	}
	go p.read(in)
	return p
}

// Connect implements mcp.Transport.
func (p *pipe) Connect(context.Context) (mcp.Connection, error) { return p, nil }

// SessionID implements mcp.Connection: a pipe has one session, without a name.
func (p *pipe) SessionID() string { return "" }

// Close implements mcp.Connection. The goroutine that reads stays behind where
// the stream cannot be woken; it ends with the process.
func (p *pipe) Close() error {
	p.close.Do(func() { close(p.closed) })
	return nil
}

// read turns lines into frames until the stream ends.
func (p *pipe) read(in io.Reader) {
	defer close(p.frames)
	r := bufio.NewReaderSize(in, 64*limits.KiB)
	var line []byte
	for {
		var whole bool
		var err error
		line, whole, err = readLine(r, line[:0])
		if f := (frame{size: len(line)}); len(bytes.TrimSpace(line)) > 0 {
			if whole {
				f.message, f.refusal = parse(line)
			} else {
				f.refusal = tooLong(line)
			}
			select {
			case p.frames <- f:
			case <-p.closed:
				return
			case <-p.done:
				return
			}
			// Who took it was put behind this goroutine on its thread, and the next read
			// blocks that; another thread is slow to come and fetch it from there.
			runtime.Gosched()
		}
		if err != nil {
			return
		}
		if cap(line) > limits.MiB { // one large message is no reason to keep its room
			line = nil
		}
	}
}

// readLine appends the next line to buffer, or only the head of one that is
// longer than a frame may be, and reads on behind it in both cases.
func readLine(r *bufio.Reader, buffer []byte) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case !whole:
		case len(buffer)+len(part) > limits.Frame+len("\r\n"):
			buffer, whole = append(buffer, part...)[:limits.FrameHead:limits.FrameHead], false
		default:
			buffer = append(buffer, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buffer, whole, err
		}
	}
}

// Read implements mcp.Connection.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.done:
			return nil, io.EOF
		case <-p.closed:
			return nil, io.EOF
		case f, ok := <-p.frames:
			if !ok {
				p.linger()
				p.leave.Do(func() { close(p.left) })
				return nil, io.EOF
			}
			if f.refusal == nil {
				f.refusal = p.admit(f)
			}
			if f.refusal == nil {
				return f.message, nil
			}
			if err := p.write(f.refusal.line()); err != nil {
				return nil, err
			}
		}
	}
}

// admit notes a request, or refuses it: the SDK starts every one at once, and
// would answer the second of two with one id in the name of neither.
func (p *pipe) admit(f frame) *refusal {
	req, ok := f.message.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !req.IsCall():
		if id, ok := cancels(req); ok && p.asked[id] != nil {
			p.asked[id].cancelled = true
		}
		return nil
	case p.asked[req.ID] != nil:
		return &refusal{code: jsonrpc.CodeInvalidRequest, text: fmt.Sprintf("invalid request: id %q is in use", fmt.Sprint(req.ID.Raw()))}
	case len(p.asked) >= limits.MCPCalls || p.bytes+f.size > limits.MCPHeld:
		return &refusal{req.ID, codeBusy, "too many requests at a time"}
	}
	r := &request{size: f.size, awaited: 1, lists: req.Method == "tools/list"}
	if req.Method == "subscriptions/listen" {
		r.awaited = 0
	}
	p.asked[req.ID] = r
	p.bytes += r.size
	p.awaited += r.awaited
	return nil
}

// cancels gives the id of the request that a notification cancels.
func cancels(req *jsonrpc.Request) (jsonrpc.ID, bool) {
	if req.Method != "notifications/cancelled" {
		return jsonrpc.ID{}, false
	}
	members, err := objectOf(req.Params)
	if err != nil {
		return jsonrpc.ID{}, false
	}
	return parseID(members["requestId"])
}

// linger waits, after the host closed our input, for the answers that it may
// still read.
func (p *pipe) linger() {
	p.mu.Lock()
	p.ending = true
	p.settle()
	p.mu.Unlock()
	select {
	case <-p.drained:
	case <-p.closed:
	case <-p.done:
	case <-time.After(limits.MCPGrace):
	}
}

// settle closes drained when that is due. The caller holds the lock.
func (p *pipe) settle() {
	if p.ending && p.awaited == 0 {
		p.ending = false // once
		close(p.drained)
	}
}

// Write implements mcp.Connection.
func (p *pipe) Write(_ context.Context, m jsonrpc.Message) error {
	if resp, ok := m.(*jsonrpc.Response); ok {
		return p.answer(resp)
	}
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return p.write(append(line, '\n'))
}

// answer writes a response, but to a request that the host cancelled. The id is
// free before, because the host may use it again as soon as it reads this.
func (p *pipe) answer(resp *jsonrpc.Response) error {
	p.mu.Lock()
	r := p.asked[resp.ID]
	if r == nil {
		r = &request{}
	}
	delete(p.asked, resp.ID)
	p.bytes -= r.size
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.awaited -= r.awaited
		p.settle()
	}()
	if resp.Error != nil {
		resp.Error = wireError(resp.Error)
	}
	line, err := jsonrpc.EncodeMessage(resp)
	if err != nil {
		return err
	}
	var part []*entry
	var end []byte
	if r.lists {
		line, part, end = p.later.cut(line)
	}
	if r.cancelled {
		return nil
	}
	return p.writeAround(line, part, append(end, '\n'))
}

// wireError gives an error a code, which the SDK leaves out for a request that
// comes before the handshake, and not all of the request back.
func wireError(err error) *jsonrpc.Error {
	out := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest}
	if coded, ok := errors.AsType[*jsonrpc.Error](err); ok {
		out = *coded
	}
	if out.Message = err.Error(); len(out.Message) > limits.ErrorText {
		out.Message = strings.ToValidUTF8(out.Message[:limits.ErrorText], "") + " …"
	}
	return &out
}

// write keeps lines whole.
func (p *pipe) write(line []byte) error { return p.writeAround(line, nil, nil) }

// writeAround writes a line of which the tools of a list are a part.
func (p *pipe) writeAround(begin []byte, part []*entry, end []byte) (err error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if part == nil {
		_, err = p.out.Write(append(begin, end...))
		return err
	}
	var t teller
	p.room = append(t.all(append(p.room[:0], begin...), part, func(b []byte) []byte {
		if err == nil {
			_, err = p.out.Write(b)
		}
		return b[:0]
	}), end...)
	if err == nil {
		_, err = p.out.Write(p.room)
	}
	return err
}
