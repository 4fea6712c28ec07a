// Package convert writes what a manifest says in another format, and tells what
// that format cannot say.
//
// It promises that
//   - a document of the same format comes back byte for byte;
//   - every member that is not in the result, or is there as something else, is a
//     [manifest.Loss], and so is every member of the result that the document
//     doesn't have;
//   - a loss that concerns taint, confirmation, network or secrets is an error,
//     unless the caller allows it;
//   - the same document makes the same bytes.
//
// What cannot be converted is refused with the reason, rather than filled with
// what nobody said: a definition without code doesn't become a program.
package convert
