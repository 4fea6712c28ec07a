package limits

import "time"

// Calls of operations.
const (
	TemplateText  = 8 * KiB   // one text with tokens
	TemplateParts = 128       // literals and tokens of one
	CallArgv      = 100 * KiB // all arguments of a command line; the kernel ends one at 128 KiB
	CallURL       = 8 * KiB
	CallHeader    = 8 * KiB          // the value of one
	CallToolName  = 256              // of an MCP tool of somebody else's server
	CallBody      = Stdout           // an answer over HTTP
	CallRecords   = 100_000          // of an ndjson-stream
	CallAttempts  = 3                // of an idempotent call, the first one included
	CallWait      = 20 * time.Second // all pauses between them
	MCPMessages   = 1000             // of one server in one call
	EnvelopeCode  = 200              // bytes of the code of an error that is repeated
	EnvelopeText  = 4 * KiB          // of its message
)
