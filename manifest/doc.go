// Package manifest turns the bytes of a tool file into a [spec.Tool] and back,
// and makes the JSON Schemas against which the tool's arguments and result are
// checked.
//
// It promises that
//   - every problem of a file is reported at once, each with line, column, a
//     stable id of [Rules] and what its author can do;
//   - what a reviewer sees as comment is comment to Python too, so that no code
//     hides in, before or around the frontmatter of an accepted file;
//   - what [Strict] accepts, [Lenient] accepts as the same tool;
//   - reading what [Print] writes gives the tool that was printed;
//   - time and memory are bounded by internal/limits for every input.
//
// It never runs or imports a tool, opens a file, follows a reference out of a
// schema, or changes the bytes it was given. It doesn't parse Python: whether
// main() fits the inputs is for quarantine to say.
//
// Each format has one file that reads it (patch.go, install.go), chosen by the
// file's name in [Read]. Formats that have a JSON Schema are held against it first
// (form.go), and what no schema can say after that.
package manifest
