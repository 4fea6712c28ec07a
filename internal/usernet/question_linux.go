package usernet

import (
	"crypto/rand"
	"errors"
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// question is the one question of a query, and what the query said beside it.
type question struct {
	dnsmessage.Question
	name   string // lower case, without the dot at its end
	header dnsmessage.Header
}

// parseQuery reads a message that the tool sent: a standard query with one
// question. Whatever else it is has no answer.
func parseQuery(b []byte) (*question, bool) {
	var p dnsmessage.Parser
	h, err := p.Start(b)
	if err != nil || h.Response || h.OpCode != 0 {
		return nil, false
	}
	q, err := p.Question()
	if err != nil {
		return nil, false
	}
	if _, err := p.Question(); !errors.Is(err, dnsmessage.ErrSectionDone) {
		return nil, false
	}
	return &question{q, strings.ToLower(strings.TrimSuffix(q.Name.String(), ".")), h}, true
}

// answeredBy tells whether a message is an answer to the question.
func (q *question) answeredBy(b []byte) bool {
	var p dnsmessage.Parser
	h, err := p.Start(b)
	if err != nil || !h.Response {
		return false
	}
	other, err := p.Question()
	if errors.Is(err, dnsmessage.ErrSectionDone) {
		// A server that could not read the question does not repeat it.
		return h.RCode == dnsmessage.RCodeFormatError || h.RCode == dnsmessage.RCodeServerFailure || h.RCode == dnsmessage.RCodeRefused || h.RCode == dnsmessage.RCodeNotImplemented
	}
	return err == nil && other.Type == q.Type && other.Class == q.Class && strings.EqualFold(other.Name.String(), q.Name.String())
}

// failure is an answer without one.
func (q *question) failure(code dnsmessage.RCode) []byte {
	m := dnsmessage.Message{Header: q.reply(code), Questions: []dnsmessage.Question{q.Question}}
	b, err := m.Pack()
	if err != nil {
		return nil
	}
	return b
}

func (q *question) reply(code dnsmessage.RCode) dnsmessage.Header {
	return dnsmessage.Header{ID: q.header.ID, Response: true, RecursionDesired: q.header.RecursionDesired, RecursionAvailable: true, RCode: code}
}

// addresses is the answer that this machine's own look at a name gives. It is
// good for this moment alone.
func (q *question) addresses(list []netip.Addr, err error) []byte {
	if err != nil {
		var e *net.DNSError
		if errors.As(err, &e) && e.IsNotFound {
			return q.failure(dnsmessage.RCodeNameError)
		}
		return q.failure(dnsmessage.RCodeServerFailure)
	}
	m := dnsmessage.Message{Header: q.reply(dnsmessage.RCodeSuccess), Questions: []dnsmessage.Question{q.Question}}
	for _, a := range list {
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
		if len(m.Answers) == maxAnswers {
			break
		}
	}
	b, packErr := m.Pack()
	if packErr != nil {
		return nil
	}
	return b
}

// maxAnswers keeps a message within the 512 bytes that everybody takes.
const maxAnswers = 8

// number gives a message a number that nobody can foresee.
func number(b []byte) { _, _ = rand.Read(b[:2]) }
