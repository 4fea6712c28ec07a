package quarantine

import "strings"

// maxBlock is the longest key in PEM or OpenPGP's armour that is taken whole.
const maxBlock = 32 << 10

// keyBlocks finds every private key in a text from its first mark to its last one.
// That a text has one is told by how it begins; what is struck has to be all of it, and
// also what is left of one that somebody cut for a sentence.
func keyBlocks(text string) (blocks []Leak) {
	const begin, end, dashes, most = "-----BEGIN ", "-----END ", "-----", 120
	for at := 0; ; {
		i := strings.Index(text[at:], begin)
		if i < 0 {
			return blocks
		}
		from := at + i
		at = from + len(begin)
		head := text[from:min(from+most, len(text))]
		name := strings.Index(head, "PRIVATE KEY")
		if name < 0 {
			continue
		}
		mark := strings.Index(head[name:], dashes)
		if mark < 0 {
			continue
		}
		body := from + name + mark + len(dashes)
		rest := text[body:min(body+maxBlock, len(text))]
		to := body + len(rest)
		if stop := strings.Index(rest, end); stop >= 0 {
			rest = rest[:stop]
			to = body + stop + len(end)
			if i := strings.Index(text[to:min(to+most, len(text))], dashes); i >= 0 {
				to += i + len(dashes)
			}
		} else if stop := strings.IndexFunc(rest, notOfKey); stop >= 0 {
			rest = rest[:stop]
			to = body + stop
		}
		if hasKeyData(rest) {
			blocks = append(blocks, Leak{What: "a private key", From: from, To: to})
			at = to
		}
	}
}

// notOfKey tells what stands neither in the data of a key nor at the ends of its
// lines, in whatever language they are written.
func notOfKey(r rune) bool {
	return r >= 0x80 || !isAlnum(byte(r)) && !strings.ContainsRune("+/= \t\r\n\\\"'#,:-", r)
}

// hasKeyData tells whether there is more to a key than its first line: a stretch of
// what reads like base64 of random bytes.
func hasKeyData(body string) bool {
	const least = 16
	for word := range strings.FieldsFuncSeq(body, func(r rune) bool { return notOfKey(r) || strings.ContainsRune(" \t\r\n\\\"'#,:-", r) }) {
		if len(word) >= least && isMixed(word) {
			return true
		}
	}
	return false
}
