package sandbox_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// actor turns the test binary into one of the other processes that tests need,
// and returns when it is to be the tests.
func actor() {
	switch os.Getenv("SANDBOX_TEST_ACTOR") {
	case "":
		return
	case "wait":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "run":
		runForParent()
	case "pool":
		servePool()
	case "no-userns":
		withoutNamespaces()
	case "container":
		inContainer()
	case "cage":
		buildCage()
	case "host":
		actAsHost()
	case "victim":
		victimLife()
	}
	os.Exit(0)
}

// die ends an actor that cannot do its part.
func die(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(3)
}

func actorOpen(driver, cache string) *sandbox.Sandbox {
	s, err := sandbox.Open(context.Background(), sandbox.Options{Now: time.Now, Driver: driver, Cache: cache})
	if err != nil {
		die(err)
	}
	return s
}

func actorContext() context.Context { return context.Background() }

// jobText is a job as an actor gets it, in the variable JOB.
func jobText(tb testing.TB, j sandbox.Job) string {
	tb.Helper()
	b, err := j.MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return hex.EncodeToString(b)
}

func actorJob() sandbox.Job {
	var job sandbox.Job
	b, err := hex.DecodeString(os.Getenv("JOB"))
	if err == nil {
		err = job.UnmarshalBinary(b)
	}
	if err != nil {
		die(err)
	}
	return job
}
