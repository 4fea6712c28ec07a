package indextest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLab(t *testing.T) {
	d := os.Getenv("LAB")
	if d == "" {
		t.Skip()
	}
	sum, n := 0.0, 0.0
	for _, name := range strings.Fields("metatool metatool_rest metatool_multi bfcl_live bfcl_static seal livemcp stb toolalpaca toollens ultratool apibank apibank_kw") {
		s, err := Read(filepath.Join(d, name))
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("LOWER") != "" {
			for i := range s.Tools {
				s.Tools[i].Name = strings.ToLower(s.Tools[i].Name)
			}
		}
		f, done, err := Ours(t.Context(), s, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		m := Measure(s, f)
		done()
		sum += m.NDCG
		n++
		fmt.Printf("%s %.1f  ", name, 100*m.NDCG)
		if m.Refused > 0 {
			fmt.Print(" REFUSED ", m.Refused)
		}
	}
	fmt.Printf("\nmean %.2f\n", 100*sum/n)
}
