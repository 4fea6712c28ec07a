package site

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"text/template/parse"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sanitize"
)

// The templates are written in the language of html/template, read by the
// standard library's parser and printed by the press below. html/template
// itself would look up methods by name, for which the linker keeps every
// exported method of the program: 10 MB more, which every start maps. So of its
// language there is here what pages need: fields, if, range, with and template.
// What it would print is the measure: a test has it print the pages of a hostile
// registry, and they are the same bytes.
//
//go:embed templates
var sources embed.FS

// press prints pages. One serves many goroutines.
type press struct {
	trees map[string]*parse.Tree

	mu     sync.Mutex
	fields atomic.Pointer[map[field][]int] // where a type has its fields; replaced to add one
}

type field struct {
	of   reflect.Type
	name string
}

// newPress reads the templates, once in a process and not when it starts.
var newPress = sync.OnceValues(func() (*press, error) {
	p := &press{trees: map[string]*parse.Tree{}}
	p.fields.Store(&map[field][]int{})
	files, err := fs.Glob(sources, "templates/*.html")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := sources.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(file, "templates/"), ".html")
		if _, err := parse.New(name).Parse(string(text), "", "", p.trees); err != nil {
			return nil, fault.New(fault.Internal, "template", "%w", err)
		}
	}
	return p, nil
})

// learn remembers where a type has a field. The templates know few of them.
func (p *press) learn(key field, index []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	more := maps.Clone(*p.fields.Load())
	more[key] = index
	p.fields.Store(&more)
}

// page prints the template of a name over its data, a pointer to a struct.
func (p *press) page(name string, data any) ([]byte, error) {
	run := &printing{press: p}
	root := reflect.ValueOf(data)
	run.template(name, root)
	if run.err != nil {
		return nil, fault.New(fault.Internal, "template", "page %s: %w", name, run.err)
	}
	return run.out.Bytes(), nil
}

// printing is one page on the press.
type printing struct {
	press *press
	out   bytes.Buffer
	err   error
	deep  int
}

// maxTemplates is how deep templates may call each other; ours do not recurse.
const maxTemplates = 16

func (p *printing) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *printing) template(name string, dot reflect.Value) {
	tree := p.press.trees[name]
	if tree == nil || p.deep == maxTemplates {
		p.fail("template %q is missing or calls itself", name)
		return
	}
	p.deep++
	p.list(tree.Root, dot, dot)
	p.deep--
}

func (p *printing) list(l *parse.ListNode, root, dot reflect.Value) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		if p.err != nil {
			return
		}
		p.node(n, root, dot)
	}
}

func (p *printing) node(n parse.Node, root, dot reflect.Value) {
	switch n := n.(type) {
	case *parse.TextNode:
		p.out.Write(n.Text)
	case *parse.CommentNode:
	case *parse.ActionNode:
		p.print(p.value(n.Pipe, root, dot))
	case *parse.IfNode:
		if truth(p.value(n.Pipe, root, dot)) {
			p.list(n.List, root, dot)
		} else {
			p.list(n.ElseList, root, dot)
		}
	case *parse.WithNode:
		if v := p.value(n.Pipe, root, dot); truth(v) {
			p.list(n.List, root, v)
		} else {
			p.list(n.ElseList, root, dot)
		}
	case *parse.RangeNode:
		v := p.value(n.Pipe, root, dot)
		if v.Kind() != reflect.Slice {
			p.fail("range over %v", v.Kind())
			return
		}
		for i := range v.Len() {
			p.list(n.List, root, v.Index(i))
		}
		if v.Len() == 0 {
			p.list(n.ElseList, root, dot)
		}
	case *parse.TemplateNode:
		p.template(n.Name, p.value(n.Pipe, root, dot))
	default:
		p.fail("%s: templates here have no %v", n, n.Type())
	}
}

// value is what a pipeline of one field, or of the dot, stands for.
func (p *printing) value(pipe *parse.PipeNode, root, dot reflect.Value) reflect.Value {
	if pipe == nil {
		return dot
	}
	if len(pipe.Decl) > 0 || len(pipe.Cmds) != 1 || len(pipe.Cmds[0].Args) != 1 {
		p.fail("%s: templates here have fields alone", pipe)
		return reflect.Value{}
	}
	switch arg := pipe.Cmds[0].Args[0].(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return p.walk(dot, arg.Ident)
	case *parse.VariableNode:
		if arg.Ident[0] == "$" {
			return p.walk(root, arg.Ident[1:])
		}
	}
	p.fail("%s: templates here have fields alone", pipe)
	return reflect.Value{}
}

func (p *printing) walk(v reflect.Value, names []string) reflect.Value {
	for _, name := range names {
		for v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			p.fail("%v has no field %s", v.Kind(), name)
			return reflect.Value{}
		}
		key := field{v.Type(), name}
		index := (*p.press.fields.Load())[key]
		if index == nil {
			f, ok := key.of.FieldByName(name)
			if !ok {
				p.fail("%v has no field %s", key.of, name)
				return reflect.Value{}
			}
			index = f.Index
			p.press.learn(key, index)
		}
		v = v.FieldByIndex(index)
	}
	return v
}

// truth is what html/template takes for true.
func truth(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.String, reflect.Slice:
		return v.Len() > 0
	case reflect.Struct:
		return true
	}
	return !v.IsZero()
}

// print is the only way of a value into a page.
func (p *printing) print(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		p.text(v.String())
	case reflect.Int, reflect.Int64:
		p.out.WriteString(strconv.FormatInt(v.Int(), 10))
	default:
		if p.err == nil {
			p.fail("a page cannot show a %v", v.Kind())
		}
	}
}

// text writes a text for an element or for an attribute in double quotes, by
// the entities that html/template writes, without the characters that hide or
// turn around a part of it.
func (p *printing) text(text string) {
	text = sanitize.ForTerminal(text)
	done := 0
	for i := range len(text) {
		var entity string
		switch text[i] {
		case '<':
			entity = "&lt;"
		case '>':
			entity = "&gt;"
		case '&':
			entity = "&amp;"
		case '"':
			entity = "&#34;"
		case '\'':
			entity = "&#39;"
		case '+':
			entity = "&#43;"
		default:
			continue
		}
		p.out.WriteString(text[done:i])
		p.out.WriteString(entity)
		done = i + 1
	}
	p.out.WriteString(text[done:])
}
