// Package invoke turns an operation of an install manifest and the arguments of a
// call into what is really said to the tool — an argument vector, a line on its
// standard input, an HTTP request, the call of an MCP tool — and what comes back into
// an answer or a failure. It is pure: it starts nothing, opens nothing and asks nobody.
//
// # Tokens [TI-P19]
//
// Elements of argv_template, the path and the values of headers are templates:
//
//	${input.PATH}  a value of the validated arguments
//	${env.NAME}    a value that was collected when the tool was installed
//	$${            the two characters ${ themselves
//
// PATH is names between dots. In an object a part is the name of a member, in an array
// it is an index, 0 first: ${input.to.0.name}. A part has letters, digits, "_" and "-";
// a member with another name cannot be asked for. Every other $ is itself. Whatever
// else begins with "${" is an error, also ${NAME}, which smoke runs alone know [C-25].
//
// There is one pass: what was put in is never read as a template again. A string is
// put in as it is, a number, true, false and null as JSON spells it. An object or an
// array is put in, as compact JSON, where the token is a whole element of an argument
// vector, and refused elsewhere. A member that the arguments do not have takes the
// "default" that the schema of the input says of it; where it says none, and where a
// value of the environment was skipped, the call is refused before anything starts.
//
// # Argument vectors [TI-P20…22]
//
// One element of the template is one argument, whatever is put into it: nothing is
// split, no shell reads it. A text that begins with "-" is refused in an element that
// begins with its token, because the program would take it for an option, unless an
// earlier element is exactly "--"; a number may begin so. A secret is in no argument,
// also where it was given as an input or as another value.
//
// # Requests [TI-P23, TI-P24]
//
// The path is appended to endpoint_url, of which nothing can be changed. A value put
// into it is percent-encoded as one segment, and refused where it is empty, has control
// characters, or is or hides (%2e, %2F, however often encoded) a "." or "..". After a
// "?" of the template values are encoded for a query. For POST, PUT and PATCH the body
// is the arguments as JSON without what the path took; an operation without an input
// sends none. For GET and DELETE, which have no body, what is left is the query: a
// scalar as name=value, an array of scalars as one pair for each, anything else is
// refused. Values with control characters are refused in headers; what belongs to the
// connection (Host, Content-Length, Connection and such) is refused as a header at all.
//
// # Answers [TI-P27, TI-P31]
//
// json is the whole output, one strict JSON value; text must be UTF-8; ndjson-stream
// is one strict JSON object on each line that is not empty, each held against the
// schema, and the first bad one is told by its line; binary is bytes; none is nothing
// that anybody reads. With error_envelope "standard" an object whose only member is
// "error" with code and message is a failure, whatever exit code or status it came with.
package invoke
