// Package review decides what a pull request to a registry may do: which paths
// it may touch, who may say so, and whether it is merged without a person. It
// is pure: a submission, the state of the base and a policy go in, findings and
// a decision come out. Whether the tool itself is fit is for package quarantine;
// its findings are handed in.
//
// The zero value of everything here refuses.
package review
