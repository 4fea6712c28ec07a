// Package picker lets a person at a terminal choose one of what a search finds:
// a line to type in, the list that follows every key, and the card of the one
// that is pointed at. It knows neither tools nor registries, and asks nobody.
//
// All text that it is given counts as foreign. It reaches the terminal through
// [Line.Paint] alone, so that nothing in it can move the cursor, change a
// colour, hide a part of itself or begin a line of its own. What the terminal
// sends is read as keys; what is no key that the picker knows does nothing, and
// a line feed that was pasted is a blank, so that pasting chooses nothing.
package picker
