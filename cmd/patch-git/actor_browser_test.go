package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var (
	pageLink  = regexp.MustCompile(`http://127\.0\.0\.1:\d+/a/[A-Z2-7]+`)
	pageField = regexp.MustCompile(`name="(token|id)" value="([^"]+)"`)
)

// browse FILE yes|no is a browser: it waits for the link in a file, follows it, and
// presses a button of the first form, as a browser does that tells where requests
// come from. What the page said stands on stdout.
func browse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: browse file yes|no")
	}
	for late := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		data, _ := os.ReadFile(ts.MkAbs(args[0]))
		if link := pageLink.Find(data); link != nil {
			page, err := press(string(link), args[1])
			ts.Check(err)
			_, _ = fmt.Fprintln(ts.Stdout(), page)
			return
		}
		if time.Now().After(late) {
			ts.Fatalf("there is no link in %s", args[0])
		}
	}
}

// press opens the page of a link and presses one of its buttons.
func press(link, button string) (string, error) {
	page, err := visit(http.MethodGet, link, nil)
	if err != nil {
		return "", err
	}
	form := url.Values{"answer": {button}}
	for _, m := range pageField.FindAllStringSubmatch(page, 2) {
		form.Set(m[1], m[2])
	}
	at, err := url.Parse(link)
	if err != nil {
		return "", err
	}
	return visit(http.MethodPost, "http://"+at.Host+"/decide", form)
}

func visit(method, address string, form url.Values) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Sec-Fetch-Site", "none")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+r.URL.Host)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s\n%s", address, res.Status, body)
	}
	return string(body), err
}
