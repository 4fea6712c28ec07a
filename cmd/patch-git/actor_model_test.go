package main

import (
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/judge/judgetest"
)

// modelKey is where the model of a transcript stands among its values.
type modelKey struct{}

// modelHolder starts the model of a transcript that wants one.
type modelHolder struct {
	tb    testing.TB
	model *judgetest.Server
}

// model openai|anthropic starts a model of that shape on loopback, and configures
// it. model -trick NAME lets it misbehave, or with "honest" no more; model -asked N
// holds how often it was asked so far; model -stop takes it away, and model -none
// the configuration.
func modelCommand(ts *testscript.TestScript, neg bool, args []string) {
	h := ts.Value(modelKey{}).(*modelHolder)
	if neg || len(args) == 0 || args[0] == "-trick" && len(args) != 2 || args[0] != "-none" && args[0][0] == '-' && h.model == nil {
		ts.Fatalf("usage: model openai|anthropic | model -trick name | model -asked n | model -stop | model -none")
	}
	switch args[0] {
	case "-trick":
		if args[1] == "honest" {
			args[1] = ""
		}
		h.model.Behave(args[1])
	case "-asked":
		if got := h.model.Requests(); len(args) != 2 || strconv.Itoa(got) != args[1] {
			ts.Fatalf("the model was asked %d times", got)
		}
	case "-stop":
		h.model.Stop()
	case "-none":
		for name := range judgetest.New(h.tb).Env("openai") {
			ts.Setenv(name, "")
		}
	default:
		h.model = judgetest.New(h.tb)
		for name, value := range h.model.Env(args[0]) {
			ts.Setenv(name, value)
		}
	}
}
