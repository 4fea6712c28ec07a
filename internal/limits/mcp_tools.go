package limits

import "time"

// What AI hosts are told.
const (
	MCPName      = 36        // characters of a tool's name: hosts put theirs before it, and cut or fail at 60 or 64
	MCPPage      = 1000      // tools in one answer
	MCPResource  = 1 * MiB   // of one file of a skill that a host reads
	MCPURI       = 512       // bytes of the address of one
	MCPSummary   = 200       // characters of a held call's arguments
	MCPText      = 2 * KiB   // of a description or instructions that a host reads
	MCPCards     = 10        // tools or runs that one answer tells of, unless asked for more
	MCPMostCards = 50        // and at most
	MCPRuns      = 50        // runs that one answer lists
	MCPListed    = 256 * MiB // what is kept of the whole toolbox between two starts
	// MCPGlimpsed is of how many tools a starting server looks at files before its
	// first list: they cost some microseconds each, while a host waits.
	MCPGlimpsed = 2000
	// MCPFirst is how long the first list waits for all tools to be verified.
	MCPFirst = 3 * time.Second
	// MCPGreeting is how long the first answer to a host waits for the same.
	MCPGreeting = 300 * time.Millisecond
	// MCPSecond is how long after the first look at the toolbox the thorough one comes.
	MCPSecond = 500 * time.Millisecond
	// MCPSettle is how long changes are gathered before the list is made anew,
	// MCPPoll how often files are looked at where nothing tells of them.
	MCPSettle = 150 * time.Millisecond
	MCPPoll   = 5 * time.Second
)
