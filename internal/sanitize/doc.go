// Package sanitize holds the policy for text that a model or a person will
// read and that a stranger wrote: which characters hide something, which words
// pretend to be other words, and how to show such text on a terminal.
//
// It promises that text in any living script passes untouched: emoji (joined
// sequences, presentation selectors, flags, keycaps, subdivision flags), the
// joiners of Persian and of the Indic scripts, and ideographic variation
// sequences are part of writing and are told from the same code points used to
// hide a message by what stands next to them (UTS #51, RFC 5892 appendix A,
// UTS #37).
//
// It never judges what a text says, only what it is made of, and it is not an
// HTML or Markdown escaper. Every function accepts any bytes, invalid UTF-8
// included, and takes time linear in their number.
package sanitize
