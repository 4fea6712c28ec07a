// Package mcpserver is the third face of package consume: it speaks the Model
// Context Protocol with an AI host, over stdio or loopback HTTP. It translates and
// never decides: what a call may do is decided by consume.Client.Run, for a tool
// that is called by its own name, through patch_run_tool, by patch_confirm_action
// and by patch_replay alike.
package mcpserver
