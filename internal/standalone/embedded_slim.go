//go:build !embedpy

package standalone

// The program as it is built usually embeds no interpreter.
const facts, content = "", ""
