// Package aihost knows where AI hosts keep the list of their MCP servers, and
// puts this program into it or takes it out again, leaving everything else in the
// file as it was.
package aihost
