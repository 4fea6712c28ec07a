package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The programs that the rules are compared with, as published on PyPI.
var anchors = []string{"guarddog==3.2.0", "bandit==1.9.4"}

// corpus is files of one sort and what each program says of them.
type corpus struct {
	name string
	code []string
	dirs []string // of each file, alone in it
	ours []examined
}

// compare runs GuardDog and Bandit on the very files that the rules are measured
// on: what they flag at their thresholds, and how long they take.
func (e *evaluation) compare(ctx context.Context) error {
	bin, err := install(ctx)
	if err != nil {
		return err
	}
	all, err := e.corpora()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "patch-git-eval-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	head := []string{"program and threshold"}
	rows := [][]string{
		{"patch-git, error for a threat"},
		{"patch-git, or for work at import"},
		{"GuardDog, score ≥ 5 (its own evaluation's)"},
		{"GuardDog, score > 0"},
		{"Bandit, high"},
		{"Bandit, medium or high"},
		{"Bandit, any"},
	}
	times := [][]string{{"patch-git: an interpreter in the sandbox for each file"}, {"GuardDog: a process in its sandbox for each file"}, {"Bandit: one process for all files"}}
	for _, c := range all {
		if err := c.lay(dir); err != nil {
			return err
		}
		begin := time.Now()
		if err := e.judge(ctx, c); err != nil {
			return err
		}
		ours := time.Since(begin)
		begin = time.Now()
		dog, err := guarddog(ctx, bin, c)
		if err != nil {
			return err
		}
		dogs := time.Since(begin)
		begin = time.Now()
		bandit, err := runBandit(ctx, bin, c)
		if err != nil {
			return err
		}
		for i, d := range []time.Duration{ours, dogs, time.Since(begin)} {
			times[i] = append(times[i], fmt.Sprintf("%.0f ms", float64(d.Milliseconds())/float64(len(c.dirs))))
		}
		var cells [7]share
		for i, x := range c.ours {
			for j, yes := range []bool{
				x.threat(), x.threat() || x.has(false, "PY-002"), dog[i].RiskScore.Score >= 5, dog[i].RiskScore.Score > 0,
				bandit[i] >= 3, bandit[i] >= 2, bandit[i] >= 1,
			} {
				cells[j].count(yes)
			}
		}
		head = append(head, fmt.Sprintf("%s (%d)", c.name, len(c.dirs)))
		for j := range rows {
			rows[j] = append(rows[j], cells[j].short())
		}
	}
	table(&e.beside, "Beside GuardDog and Bandit", fmt.Sprintf("%s, without their rules for metadata, on the same files in the same run. GuardDog looks for malware; Bandit for vulnerabilities, and says so.", strings.Join(anchors, ", ")), head, rows)
	head[0] = "time for each file, one after the other"
	table(&e.beside, "Time beside them", "", head, times)
	return nil
}

// corpora are the benign files, and the project's own attacks and their twins.
func (e *evaluation) corpora() ([]*corpus, error) {
	rows, err := e.rows("python_benign.jsonl")
	if err != nil {
		return nil, err
	}
	mine, err := own("behaviour.txt")
	if err != nil {
		return nil, err
	}
	benign, attacks, twins := &corpus{name: "benign files"}, &corpus{name: "own malicious snippets"}, &corpus{name: "their twins"}
	for _, r := range rows {
		benign.code = append(benign.code, r.Text)
	}
	for _, p := range mine {
		attacks.code, twins.code = append(attacks.code, fmt.Sprintf(code, p.Attack)), append(twins.code, fmt.Sprintf(code, p.Twin))
	}
	return []*corpus{benign, attacks, twins}, nil
}

// lay writes the files, each alone in a folder, as a package would be.
func (c *corpus) lay(root string) error {
	for i, text := range c.code {
		dir := filepath.Join(root, strings.ReplaceAll(c.name, " ", "-"), fmt.Sprintf("p%04d", i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "tool.py"), []byte(text), 0o600); err != nil {
			return err
		}
		c.dirs = append(c.dirs, dir)
	}
	return nil
}

func (e *evaluation) judge(ctx context.Context, c *corpus) error {
	for _, text := range c.code {
		x, err := e.examine(ctx, subject{body: text, declare: true})
		if err != nil {
			return err
		}
		c.ours = append(c.ours, x)
	}
	return nil
}

// install makes a virtual environment with the anchors, once.
func install(ctx context.Context) (string, error) {
	cache := os.Getenv("PATCH_GIT_EVAL_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "patch-git-eval")
	}
	env := filepath.Join(cache, strings.Join(anchors, "-"))
	done := filepath.Join(env, "complete")
	if _, err := os.Stat(done); err == nil {
		return filepath.Join(env, "bin"), nil
	}
	for _, argv := range [][]string{
		{"python3", "-m", "venv", "--clear", env},
		append([]string{filepath.Join(env, "bin", "pip"), "install", "-q", "--disable-pip-version-check"}, anchors...),
	} {
		if out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput(); err != nil { //nolint:gosec // the two commands above
			return "", fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out)
		}
	}
	return filepath.Join(env, "bin"), os.WriteFile(done, nil, 0o600)
}

// offline keeps a program that looks for news at its start from anybody: it
// finds a proxy that is not there.
func offline(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(os.Environ(), "HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "ALL_PROXY=http://127.0.0.1:9")
	return cmd
}

// dogsays is the part of GuardDog's report that is compared.
type dogsays struct {
	RiskScore struct {
		Score float64 `json:"score"`
	} `json:"risk_score"`
	Errors map[string]string `json:"errors"`
}

func guarddog(ctx context.Context, bin string, c *corpus) ([]dogsays, error) {
	var all []dogsays
	for _, dir := range c.dirs {
		cmd := offline(exec.CommandContext(ctx, filepath.Join(bin, "guarddog"), "pypi", "scan", dir, "--output-format", "json"))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("guarddog: %w\n%s", err, stderr.Bytes())
		}
		// Its talk about the network comes on the same stream.
		var says dogsays
		if err := json.Unmarshal(out[max(0, bytes.Index(out, []byte(`{"package"`))):], &says); err != nil {
			return nil, fmt.Errorf("guarddog: %w", err)
		}
		if len(says.Errors) > 0 {
			return nil, fmt.Errorf("guarddog: %v", says.Errors)
		}
		all = append(all, says)
	}
	return all, nil
}

// runBandit returns the highest severity in each file: 1 low, 2 medium, 3 high.
func runBandit(ctx context.Context, bin string, c *corpus) ([]int, error) {
	cmd := offline(exec.CommandContext(ctx, filepath.Join(bin, "bandit"), "-q", "-r", "-f", "json", filepath.Dir(c.dirs[0])))
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1: it found something
		return nil, fmt.Errorf("bandit: %w", err)
	}
	var says struct {
		Errors  []json.RawMessage `json:"errors"`
		Results []struct {
			File     string `json:"filename"`
			Severity string `json:"issue_severity"`
		} `json:"results"`
	}
	if err := json.Unmarshal(out, &says); err != nil {
		return nil, fmt.Errorf("bandit: %w", err)
	}
	if len(says.Errors) > 0 {
		return nil, fmt.Errorf("bandit: %s", says.Errors)
	}
	worst := make([]int, len(c.dirs))
	for _, r := range says.Results {
		i := slices.Index(c.dirs, filepath.Dir(r.File))
		level := slices.Index([]string{"UNDEFINED", "LOW", "MEDIUM", "HIGH"}, r.Severity)
		if i < 0 || level < 0 {
			return nil, fmt.Errorf("bandit: %s in %s", r.Severity, r.File)
		}
		worst[i] = max(worst[i], level)
	}
	return worst, nil
}
