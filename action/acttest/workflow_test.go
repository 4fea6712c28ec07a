//go:build linux

package acttest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// workflow is what a runner of workflows has to know of a workflow file that act
// does not heed: who it is for, and what its jobs may do.
type workflow struct {
	File        string // name, such as publish.yml
	Name        string
	On          map[string]trigger
	Concurrency concurrency
	Jobs        map[string]job
	Uses        []string // actions of other repositories, owner/repo[/path]@ref
	Machines    []string // runs-on

	text []byte
}

// trigger narrows an event.
type trigger struct{ types, branches, paths []string }

// concurrency is the group of a run, its expressions not evaluated.
type concurrency struct {
	Group  string
	Cancel string
}

// job is one of a workflow.
type job struct {
	ID          string
	Permissions map[string]string // what GITHUB_TOKEN may, by its name; "read" or "write"
	Environment string
	Needs       []string
}

// scopes are the permissions that a job can be given.
var scopes = []string{
	"actions", "artifact-metadata", "attestations", "checks", "contents", "deployments", "discussions", "id-token", "issues", "models",
	"packages", "pages", "pull-requests", "repository-projects", "security-events", "statuses",
}

// readWorkflow reads a file as GitHub does. What the tests could not honour is
// an error: a filter that they ignore would be one that is not tested.
func readWorkflow(file string, text []byte) (*workflow, error) {
	var doc struct {
		Name        string               `yaml:"name"`
		On          yaml.Node            `yaml:"on"`
		Permissions yaml.Node            `yaml:"permissions"`
		Concurrency yaml.Node            `yaml:"concurrency"`
		Jobs        map[string]yaml.Node `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	w := &workflow{File: path.Base(file), Name: doc.Name, On: map[string]trigger{}, Jobs: map[string]job{}, text: text}
	if w.Name == "" {
		w.Name = file // as GitHub calls it
	}
	var err error
	if err = w.readOn(&doc.On); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if w.Concurrency, err = readConcurrency(&doc.Concurrency); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	// A registry's own setting for workflows that say nothing is "read".
	all, err := readPermissions(&doc.Permissions, map[string]string{"contents": "read", "packages": "read"})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for id, node := range doc.Jobs {
		var j struct {
			RunsOn      yaml.Node `yaml:"runs-on"`
			Permissions yaml.Node `yaml:"permissions"`
			Environment yaml.Node `yaml:"environment"`
			Concurrency yaml.Node `yaml:"concurrency"`
			Needs       yaml.Node `yaml:"needs"`
			Uses        string    `yaml:"uses"`
			Container   yaml.Node `yaml:"container"`
			Services    yaml.Node `yaml:"services"`
			Steps       []struct {
				Uses string `yaml:"uses"`
			} `yaml:"steps"`
		}
		if err := node.Decode(&j); err != nil {
			return nil, fmt.Errorf("%s: job %s: %w", file, id, err)
		}
		if j.Uses != "" || !j.Container.IsZero() || !j.Services.IsZero() || !j.Concurrency.IsZero() {
			return nil, fmt.Errorf("%s: job %s has what these tests cannot play", file, id)
		}
		out := job{ID: id}
		if out.Permissions, err = readPermissions(&j.Permissions, all); err != nil {
			return nil, fmt.Errorf("%s: job %s: %w", file, id, err)
		}
		if out.Environment, err = readEnvironment(&j.Environment); err != nil {
			return nil, fmt.Errorf("%s: job %s: %w", file, id, err)
		}
		if out.Needs, err = oneOrMore(&j.Needs); err != nil {
			return nil, fmt.Errorf("%s: job %s: %w", file, id, err)
		}
		machines, err := oneOrMore(&j.RunsOn)
		if err != nil {
			return nil, fmt.Errorf("%s: job %s: %w", file, id, err)
		}
		w.Machines = append(w.Machines, machines...)
		for _, s := range j.Steps {
			if s.Uses != "" && !strings.HasPrefix(s.Uses, "./") {
				w.Uses = append(w.Uses, s.Uses)
			}
		}
		w.Jobs[id] = out
	}
	slices.Sort(w.Machines)
	w.Machines = slices.Compact(w.Machines)
	slices.Sort(w.Uses)
	w.Uses = slices.Compact(w.Uses)
	return w, nil
}

func (w *workflow) readOn(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		events, err := oneOrMore(n)
		for _, e := range events {
			w.On[e] = trigger{}
		}
		return err
	}
	var filters map[string]yaml.Node
	if err := n.Decode(&filters); err != nil {
		return err
	}
	for event, node := range filters {
		t := trigger{}
		if event != "schedule" && event != "workflow_dispatch" && node.Kind == yaml.MappingNode {
			var known map[string]yaml.Node
			if err := node.Decode(&known); err != nil {
				return err
			}
			for key, list := range known {
				values, err := oneOrMore(&list)
				if err != nil {
					return err
				}
				switch key {
				case "types":
					t.types = values
				case "branches":
					t.branches = values
				case "paths":
					t.paths = values
				default:
					return fmt.Errorf("on.%s.%s is a filter that these tests do not know", event, key)
				}
			}
		}
		w.On[event] = t
	}
	return nil
}

// wants tells whether an event starts the workflow. branch is the one that was
// pushed to, or that a pull request is for; paths are what changed.
func (w *workflow) wants(event, action, branch string, paths []string) bool {
	t, ok := w.On[event]
	if !ok {
		return false
	}
	if t.types == nil && strings.HasPrefix(event, "pull_request") {
		t.types = []string{"opened", "synchronize", "reopened"}
	}
	if t.types != nil && !slices.Contains(t.types, action) {
		return false
	}
	if t.branches != nil && !slices.ContainsFunc(t.branches, func(pattern string) bool {
		ok, err := path.Match(pattern, branch)
		return err == nil && ok
	}) {
		return false
	}
	return t.paths == nil || slices.ContainsFunc(paths, func(p string) bool {
		return slices.ContainsFunc(t.paths, func(pattern string) bool {
			folder, all := strings.CutSuffix(pattern, "**")
			return all && strings.HasPrefix(p, folder) || p == pattern
		})
	})
}

func oneOrMore(n *yaml.Node) ([]string, error) {
	var many []string
	switch n.Kind {
	case 0:
		return nil, nil
	case yaml.ScalarNode:
		return []string{n.Value}, nil
	default:
		return many, n.Decode(&many)
	}
}

func readConcurrency(n *yaml.Node) (c concurrency, err error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return concurrency{Group: n.Value}, nil
	case 0:
		return c, nil
	}
	var both struct {
		Group  string `yaml:"group"`
		Cancel string `yaml:"cancel-in-progress"`
	}
	err = n.Decode(&both)
	return concurrency(both), err
}

func readEnvironment(n *yaml.Node) (string, error) {
	if n.Kind != yaml.MappingNode {
		return n.Value, nil
	}
	var e struct {
		Name string `yaml:"name"`
	}
	err := n.Decode(&e)
	return e.Name, err
}

// readPermissions are those that stand there, else the given ones. What is not
// named is not given.
func readPermissions(n *yaml.Node, otherwise map[string]string) (map[string]string, error) {
	all := map[string]string{}
	switch {
	case n.IsZero():
		return maps.Clone(otherwise), nil
	case n.Value == "read-all" || n.Value == "write-all":
		for _, s := range scopes {
			all[s], _, _ = strings.Cut(n.Value, "-")
		}
		return all, nil
	}
	if err := n.Decode(&all); err != nil {
		return nil, err
	}
	for s, level := range all {
		if !slices.Contains(scopes, s) || !slices.Contains([]string{"read", "write", "none"}, level) {
			return nil, fmt.Errorf("there is no permission %s: %s", s, level)
		}
		if level == "none" {
			delete(all, s)
		}
	}
	return all, nil
}
