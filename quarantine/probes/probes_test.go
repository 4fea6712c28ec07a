package probes

import "testing"

func TestRead(t *testing.T) {
	all, err := Read("About this list.\n\n=== a one two\nx = 1\n\ny = 2\n--- twin\nz\n\n=== b one\nq\n--- twin\nr\n")
	if err != nil || len(all) != 2 {
		t.Fatalf("got %v, %v", all, err)
	}
	if p := all[0]; p.ID != "a" || len(p.Words) != 2 || p.Attack != "x = 1\n\ny = 2" || p.Twin != "z" {
		t.Errorf("got %+v", p)
	}
	for name, text := range map[string]string{
		"empty": "", "no probe": "a text\n", "no twin": "=== a one\nx\n", "no word": "=== a\nx\n--- twin\ny\n", "no attack": "=== a one\n--- twin\ny\n",
		"empty twin": "=== a one\nx\n--- twin\n", "two twins": "=== a one\nx\n--- twin\ny\n--- twin\nz\n", "twice": "=== a one\nx\n--- twin\ny\n\n=== a one\nx\n--- twin\ny\n",
	} {
		if all, err := Read(text); err == nil {
			t.Errorf("%s: accepted as %v", name, all)
		}
	}
}
