package main

// A program that a test started takes what the test put in place before main.
//
// A test that is started from a terminal must not ask the person there, so the
// program runs in a session of its own; a transcript that wants to be asked says
// ttyin, which makes the process lead a session already.
func init() {
	ownSession()
	offerBuilds()
}
