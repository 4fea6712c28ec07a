package main

import (
	"os"

	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/internal/standalone/repack"
)

// This file and session_*_test.go are compiled into the program that the
// transcripts start, too: see program_test.go. There, testdata/seam calls these.
var _ = []func(){ownSession, offerBuilds}

// buildsVariable names a file with the table of builds for a program that is
// started by a transcript.
const buildsVariable = "PATCH_GIT_TEST_BUILDS"

// offerBuilds takes the table of a transcript in place of the program's own.
func offerBuilds() {
	file := os.Getenv(buildsVariable)
	if file == "" {
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	table, err := standalone.ParseTable(string(text))
	if err != nil {
		panic(err)
	}
	repack.Offer(table)
}
