// Package smoke decides whether an installed tool works, from what its smoke run
// answered. It is pure: it starts nothing and asks nobody.
//
// All conditions that a manifest states must hold, and of a shell run the exit code,
// which is 0 where nothing is stated [TI-P33, TI-P36]. A condition about something
// that the run does not have, such as the status of a program, does not hold.
//
// ${NAME} in headers, the body and the values of json_pointer_equals stands for a
// value that was collected [C-25]; the address takes none [C-26]. There is one pass:
// what was put in is not read again.
package smoke
