// Package mcpclient makes one call of one tool of an MCP server that somebody else
// wrote, and that is a tool here: over pipes, or over HTTP.
//
// What it promises. Whatever the server does, a call ends: by its answer, by the first
// message that breaks the protocol, by a bound on the number and size of messages, or
// by the context. A server that asks something of us (a model's words, the user's
// folders, a form for the user to fill in) is told that there is no such method, and
// that a client said so at the beginning. A response that nobody asked for ends the
// call. Results are kept as the bytes that came, so that no number changes.
//
// What it never does. It lists no tools and follows no list: which tool is called the
// manifest says. It opens no connection and starts nothing by itself: pipes and the
// HTTP client, with what they may reach, are handed in. It holds no state between two
// calls.
//
// It is written by hand, and not by the SDK's client: that one decodes results into
// floating-point numbers, answers requests of the server by itself, and reads a line of
// any length.
package mcpclient
