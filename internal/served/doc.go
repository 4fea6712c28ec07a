// Package served makes what lies beside a published tree only where a static
// host serves it, so that clients bring their search up to date with little:
// the catalogue packed, patches that lead to it from those before it, the search
// index that the head states, and the files by which pages search. Package ledger
// says where they lie; those for pages stand in search/index.json and the folder
// that it names.
//
// It promises that every file follows from the tree, or is not written: an
// index is made anew, never copied, and where what comes out is not what the
// head states there is none. Names say what files hold, so nothing but the two
// that lead on (states.json, index.json) is ever replaced; what nobody needs any more goes away after the head has moved.
//
// A client does without any of these files: it asks for the catalogue itself.
package served
