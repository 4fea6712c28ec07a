// Package mcptest is for tests and measurements of the MCP server: a toolbox of as
// many tools as are wanted ([Many]), a client that speaks raw lines of JSON-RPC in
// both eras of the protocol ([Peer]), and in testdata the tools and the programs of
// other people that `make test-mcp` holds the server against: the conformance suite
// of the protocol, its inspector, and the TypeScript SDK. It is for tests alone.
package mcptest
