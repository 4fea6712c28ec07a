// Package aihost knows where AI hosts keep the list of their MCP servers, and
// puts this program into it or takes it out again, leaving everything else in the
// file as it was: order, comments, spelling, line ends.
//
// The files are the user's and other programs write them too. So a file that
// cannot be read as what it should be is refused and stays as it is, an entry of
// another program is never replaced, a file that changed between reading and
// writing is read again, every write is atomic and has a copy of what was there
// before, and a symbolic link stays one. Files can have the secrets of other
// servers in them: nothing of them is told but what is put in or taken out.
package aihost
