package limits

import "time"

// The MCP server.
const (
	Frame     = Arguments + 64*KiB // one message of a host
	FrameHead = 4 * KiB            // of a longer one, in which its id is looked for
	MCPCalls  = 128                // requests of one host at a time
	MCPHeld   = 64 * MiB           // bytes of those requests
	// MCPGrace is how long calls go on after the host closed our input. Hosts
	// that wait for us to end lose patience after two seconds.
	MCPGrace   = 1500 * time.Millisecond
	MCPDrain   = 3 * time.Second  // for calls to end that were told to
	ElicitText = 4 * KiB          // of a question that a host puts to its user
	ElicitWait = 45 * time.Second // for the answer; hosts give up a call after 60
	MCPAsked   = 1000             // actions that are known to have been asked about
	MCPPulse   = 5 * time.Second  // between two signs of life of a long call
	MCPMemory  = 64 * MiB         // of a server, with the garbage of its calls
	MCPSpare   = 16 * MiB         // beside what lives in a larger one, twice
	MCPHeaders = 10 * time.Second // for the head of an HTTP request
	MCPIdle    = 2 * time.Minute  // of an HTTP connection between two requests
	HTTPHeader = 64 * KiB         // of a request to us
	ErrorText  = 2 * KiB          // of an error of the protocol
	LogLine    = 8 * KiB          // of a server's log
)
