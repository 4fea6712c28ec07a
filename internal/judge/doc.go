// Package judge lets a language model read what a stranger wrote, and believes
// of its answer only what can be checked.
//
// The model has no tools, no history and no access to anything. It is asked about
// small units: the fields of a manifest, windows of prose, and the code beside
// what is declared and inferred of it. It never hears what the rules found: one
// hit of a rule, repeated to a model, comes back as several. A unit is sent as
// one JSON string per line inside a block that a random number names, its blanks
// replaced by a mark that the text does not have.
//
// The answer is one JSON object: the number of the block, a verdict, how many
// lines there were and the last word of them, which shows that all of it was
// read, and findings, each a code of a closed list, a line and a quote that must
// stand in that line. Anything else is no answer. No word of the model goes on
// from here: people are shown our words for the code, and the line as the file
// has it.
//
// Each unit is judged twice, in different words, and the worse verdict counts;
// texts whose verdict is known stand among the real ones, and one wrong answer
// about those ends the run. The outcome can only make things worse. Malformed,
// late, over budget, unreachable and not configured are all the same: somebody
// has to look.
//
// What this cannot see: a lie that is told well, harm that needs no words, and
// whether the model was changed or bribed beyond what the known texts show.
//
// The key of the provider is read through the host, is sent to the configured
// address and nowhere else, and stands in no message.
package judge
