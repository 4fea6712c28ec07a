package sigtest

import "strings"

// Impostor is somebody whom Fulcio rightly gives a certificate, but who is not
// the workflow that a registry is pinned to.
type Impostor struct {
	Name   string
	Claims Claims
	Field  string // the first field of a ledger.Identity in which it differs
}

// Impostors are those who have a workflow's claims but for what they changed.
func Impostors(own Claims) []Impostor {
	var all []Impostor
	add := func(name, field string, change func(*Claims)) {
		c := own
		change(&c)
		all = append(all, Impostor{name, c, field})
	}
	add("a fork", "san", func(c *Claims) { *c = GitHub("evil", "tools") })
	add("a caller of the workflow", "repository", func(c *Claims) {
		evil := GitHub("evil", "repo")
		evil.JobWorkflowRef, evil.JobWorkflowSHA = c.JobWorkflowRef, c.JobWorkflowSHA
		*c = evil
	})
	add("a caller in the same repository", "build_config", func(c *Claims) {
		c.WorkflowRef = strings.Replace(c.WorkflowRef, "/publish.yml@", "/other.yml@", 1)
	})
	add("another workflow file", "san", func(c *Claims) {
		c.WorkflowRef = strings.Replace(c.WorkflowRef, "/publish.yml@", "/test.yml@", 1)
		c.JobWorkflowRef = c.WorkflowRef
	})
	add("another branch", "san", func(c *Claims) {
		c.Ref, c.WorkflowRef = "refs/heads/dev", strings.Replace(c.WorkflowRef, "@refs/heads/main", "@refs/heads/dev", 1)
		c.JobWorkflowRef = c.WorkflowRef
	})
	add("the merge of a pull request", "ref", func(c *Claims) { c.Ref = "refs/pull/9/merge" })
	add("pull_request_target", "trigger", func(c *Claims) { c.EventName = "pull_request_target" })
	add("workflow_dispatch", "trigger", func(c *Claims) { c.EventName = "workflow_dispatch" })
	add("a self-hosted runner", "runner", func(c *Claims) { c.RunnerEnvironment = "self-hosted" })
	add("a recycled repository name", "repository_id", func(c *Claims) { c.RepositoryID = "900000002" })
	add("a recycled owner name", "owner_id", func(c *Claims) { c.RepositoryOwnerID = "800000002" })
	add("a look-alike issuer", "issuer", func(c *Claims) { c.Issuer += "/evil" })
	add("another token subject", "token_subject", func(c *Claims) { c.Subject += "x" })
	return all
}
