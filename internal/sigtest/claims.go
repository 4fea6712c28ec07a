package sigtest

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"
	"strings"
)

const (
	gitHub       = "https://github.com/"
	gitHubIssuer = "https://token.actions.githubusercontent.com"
)

// Claims are the claims of a GitHub Actions OIDC token that Fulcio turns into
// certificate extensions. One that is empty is in neither.
type Claims struct {
	Issuer            string `json:"iss,omitempty"`
	Subject           string `json:"sub,omitempty"`
	Repository        string `json:"repository,omitempty"`
	RepositoryID      string `json:"repository_id,omitempty"`
	RepositoryOwner   string `json:"repository_owner,omitempty"`
	RepositoryOwnerID string `json:"repository_owner_id,omitempty"`
	Ref               string `json:"ref,omitempty"`
	SHA               string `json:"sha,omitempty"`
	EventName         string `json:"event_name,omitempty"`
	RunnerEnvironment string `json:"runner_environment,omitempty"`
	Visibility        string `json:"repository_visibility,omitempty"`
	Environment       string `json:"environment,omitempty"` // of a deployment
	WorkflowRef       string `json:"workflow_ref,omitempty"`
	WorkflowSHA       string `json:"workflow_sha,omitempty"`
	JobWorkflowRef    string `json:"job_workflow_ref,omitempty"` // another one than WorkflowRef in a reusable workflow
	JobWorkflowSHA    string `json:"job_workflow_sha,omitempty"`
	RunID             string `json:"run_id,omitempty"`
	RunAttempt        string `json:"run_attempt,omitempty"`
}

// GitHub returns the claims of a push to main of owner/repo that runs
// .github/workflows/publish.yml on a runner of GitHub's, outside of any
// deployment environment. No claim follows another that a test changes.
func GitHub(owner, repo string) Claims {
	const (
		repoID, ownerID = "900000001", "800000001"
		ref             = "refs/heads/main"
		commit          = "5e5c0ffee5e5c0ffee5e5c0ffee5e5c0ffee5e5c"
	)
	name := owner + "/" + repo
	workflow := name + "/.github/workflows/publish.yml@" + ref
	return Claims{
		Issuer: gitHubIssuer,
		// With the ids, as GitHub writes subjects since the summer of 2026.
		Subject:    "repo:" + owner + "@" + ownerID + "/" + repo + "@" + repoID + ":ref:" + ref,
		Repository: name, RepositoryID: repoID, RepositoryOwner: owner, RepositoryOwnerID: ownerID,
		Ref: ref, SHA: commit, EventName: "push", RunnerEnvironment: "github-hosted", Visibility: "public",
		WorkflowRef: workflow, WorkflowSHA: commit, JobWorkflowRef: workflow, JobWorkflowSHA: commit,
		RunID: "7000000001", RunAttempt: "1",
	}
}

// san is the name that Fulcio certifies: what ran, not who asked for it.
func (c Claims) san() string { return gitHub + c.JobWorkflowRef }

// fulcioArc is where the object identifiers of Fulcio's extensions begin.
var fulcioArc = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1}

// lastRaw is the last extension of the old form, whose value is the bare text.
// The later ones are DER as they should be.
const lastRaw = 6

// extensions are the certificate extensions that Fulcio 1.8.8 makes of the
// claims, except for those whose numbers are left out.
func (c Claims) extensions(without []int) ([]pkix.Extension, error) {
	var all []pkix.Extension
	for _, e := range []struct {
		n     int
		value string
	}{
		{1, c.Issuer},
		{2, c.EventName},
		{3, c.SHA},
		{4, c.workflowName()},
		{5, c.Repository},
		{6, c.Ref},
		{8, c.Issuer},
		{9, onGitHub(c.JobWorkflowRef)},
		{10, c.JobWorkflowSHA},
		{11, c.RunnerEnvironment},
		{12, onGitHub(c.Repository)},
		{13, c.SHA},
		{14, c.Ref},
		{15, c.RepositoryID},
		{16, onGitHub(c.RepositoryOwner)},
		{17, c.RepositoryOwnerID},
		{18, onGitHub(c.WorkflowRef)},
		{19, c.WorkflowSHA},
		{20, c.EventName},
		{21, c.run()},
		{22, c.Visibility},
		{23, c.Environment},
		{24, c.Subject},
	} {
		if e.value == "" || slices.Contains(without, e.n) {
			continue
		}
		value := []byte(e.value)
		if e.n > lastRaw {
			var err error
			if value, err = asn1.MarshalWithParams(e.value, "utf8"); err != nil {
				return nil, err
			}
		}
		all = append(all, pkix.Extension{Id: append(slices.Clone(fulcioArc), e.n), Value: value})
	}
	return all, nil
}

// run is the address of the run.
func (c Claims) run() string {
	if c.RunID == "" {
		return ""
	}
	return gitHub + c.Repository + "/actions/runs/" + c.RunID + "/attempts/" + c.RunAttempt
}

func onGitHub(path string) string {
	if path == "" {
		return ""
	}
	return gitHub + path
}

// workflowName is what GitHub calls a workflow without a name: its path.
func (c Claims) workflowName() string {
	path, _, _ := strings.Cut(c.WorkflowRef, "@")
	return strings.TrimPrefix(path, c.Repository+"/")
}
