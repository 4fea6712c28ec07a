package githubtest

import (
	"strconv"
	"strings"
	"time"
)

func fromUnix(s string) string {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return ""
	}
	return at(time.Unix(n, 0))
}

// file is one changed file of a pull request.
type file struct {
	sha, path, previous, status string
	added, removed              int
}

// span is what a pull request is about: from where it left the base to its head.
func (r *Repo) span(p *pull) (from, to string, err error) {
	base := p.baseSHA
	if p.merged == nil {
		if tip := r.tip(p.base); tip != "" {
			base = tip
		}
	}
	from, err = r.settled([]string{"merge-base"}, base, p.headSHA)
	return strings.TrimSuffix(from, "\n"), p.headSHA, err
}

// count is the number of commits of a pull request.
func (r *Repo) count(p *pull) (int, error) {
	from, to, err := r.span(p)
	if err != nil {
		return 0, err
	}
	out, err := r.settled([]string{"rev-list", "--count"}, to, "^"+from)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSuffix(out, "\n"))
}

// files are the changed files of a pull request, by path.
func (r *Repo) files(p *pull) ([]file, error) {
	from, to, err := r.span(p)
	if err != nil {
		return nil, err
	}
	out, err := r.settled([]string{"diff-tree", "-r", "-z", "-M", "--raw", "--no-abbrev"}, from, to)
	if err != nil {
		return nil, err
	}
	lines, err := r.lines(from, to)
	if err != nil {
		return nil, err
	}
	var all []file
	part := strings.Split(out, "\x00")
	for i := 0; i+1 < len(part); i += 2 {
		f := strings.Fields(part[i]) // :mode mode sha sha status
		one := file{sha: f[3], path: part[i+1]}
		switch f[4][0] {
		case 'A':
			one.status = "added"
		case 'D':
			one.status, one.sha = "removed", f[2]
		case 'R':
			i++
			one.status, one.previous, one.path = "renamed", one.path, part[i+1]
		case 'M':
			one.status = "modified"
			if f[2] == f[3] {
				one.status = "changed"
			}
		default:
			one.status = "changed"
		}
		one.added, one.removed = lines[one.path][0], lines[one.path][1]
		all = append(all, one)
	}
	return all, nil
}

// lines counts added and removed lines by path.
func (r *Repo) lines(from, to string) (map[string][2]int, error) {
	out, err := r.settled([]string{"diff-tree", "-r", "-z", "-M", "--numstat"}, from, to)
	if err != nil {
		return nil, err
	}
	all := map[string][2]int{}
	part := strings.Split(out, "\x00")
	for i := 0; i < len(part); i++ {
		f := strings.SplitN(part[i], "\t", 3)
		if len(f) < 3 {
			continue
		}
		if f[2] == "" { // renamed: both paths follow
			f[2] = part[i+2]
			i += 2
		}
		var n [2]int
		n[0], _ = strconv.Atoi(f[0]) // "-" of a binary file is 0
		n[1], _ = strconv.Atoi(f[1])
		all[f[2]] = n
	}
	return all, nil
}

// sync brings the head of an open pull request up to what its branch has now.
func (r *Repo) sync(i *issue) error {
	p := i.pull
	if p == nil || i.state != "open" || p.head == nil {
		return nil
	}
	tip := p.head.tip(p.headRef)
	if tip == "" || tip == p.headSHA {
		return nil
	}
	ref := "refs/pull/" + strconv.Itoa(i.number) + "/head"
	if p.head == r || r.kind(tip) == "commit" {
		if _, err := r.git("update-ref", ref, tip); err != nil {
			return err
		}
	} else if _, err := r.git("fetch", "-q", "--no-tags", p.head.Dir, "+refs/heads/"+p.headRef+":"+ref); err != nil {
		return err
	}
	p.headSHA, p.baseSHA, i.updated = tip, r.tip(p.base), r.s.stamp()
	return nil
}
