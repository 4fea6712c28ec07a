// Package index finds tools: it makes the search index of a catalogue, opens it
// and ranks what a person or a model asks for. It neither fetches nor verifies.
package index
