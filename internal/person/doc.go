// Package person reaches the person at this machine, apart from the AI host that
// talks to them: a page on the loopback address, a notification of the desktop,
// and the question whether who types at a terminal is an agent.
//
// What a person says here is a word of their own, as far as one user's programs
// can be told apart from that user. They cannot be by the system: an agent that
// runs as the user and goes about it on purpose can open a terminal, look at the
// command lines of other programs, and read the key of the approvals.
// docs/approval.md says what follows. What is held here is that a model cannot
// approve by answering, by calling a tool, or by typing a command where agents
// usually type them.
//
// It never decides, and shows nothing but what package approval makes of an action.
package person
