// Package index finds tools: it makes the search index of a catalogue, opens it
// and ranks what a person or a model asks for. It neither fetches nor verifies.
//
// This comment is the specification of edition 1. Whoever follows it, in any
// language, gets the same tools in the same order for the same words. All
// arithmetic is on integers; / is division that rounds towards zero; nothing
// depends on a locale, on floating point or on how an index is cut into segments.
// A document number counts the listings of the catalogue from 0; listings are
// sorted by name, so the lower number is the lower name.
//
// # Words
//
// A text is read by code points. Upper-case letters (Lu), other letters (L) and
// numbers (N) are three classes. A mark (M) has the class of what is before it.
// Everything else separates. A run is a longest sequence of code points with a
// class. It ends before an apostrophe (' or ’); if an s or S follows the
// apostrophe and after it comes no letter, number or mark, both are skipped.
//
// A run is cut into parts: between two code points of different class, but
// between upper case and other letters the cut is before the last upper-case
// letter ("getUserID2" is get User ID 2, "PDFs" is PD Fs); a part of zero length
// is none. The words of a run are the whole run, and then, if there are two
// parts or more, each part of at least two code points. The leaf words of a run are
// the parts alone (of any length), in order. Each word is made lower case, one
// code point by the next (the simple mapping; the first code point of the full
// one). A word of more than 64 code points is left out.
//
// A word of the stop list (page file index.json, "stop") is left out. A word of
// a to z alone is stemmed by Porter2 (Snowball "english"), another stays as it
// is: that is its term.
//
// A catalogue has a million different words at most (in lower case): further ones, as the
// descriptions are read and then the listings one by one, are left out of the index.
//
// # Postings
//
// A posting is a document with an impact, an integer of at least 1. There are
// four fields:
//
//   - text: the terms of all that is said of a tool. Pieces have weights: name 16,
//     each alias 16, description 8, each tag 8, each example 6, each owner's login 4,
//     each input's name and description 6, each operation's name and summary 6. A word of a name or alias of 6 to 32 bytes
//     that no description has, and that can be cut into two or three words of at least 3 bytes that
//     descriptions have, gives these, too (glued.go). W is the sum of the weights of the
//     occurrences of the term in the document (at most 4095), L of all terms in the document (at most 65535),
//     N the number of documents, n that of those with the term, m the mean of the uncut L over all
//     documents, (2·sum + N) / (2N), from 1 to 65535. With idf = log2((2N+2)/(2n+1)) and
//     top = log2((2N+2)/3), both in 1/65536 and rounded down (impact.go):
//
//     A = idf·65536 / top
//     B = 5·m·W·65536 / (5·m·W + 12·(m + 3·L))
//     impact = max(1, (240·A·B + 2^31) / 2^32)
//
//     This is BM25 with k1 = 1.2, b = 0.75 and the true statistics of the whole
//     catalogue, from 1 to 240. With V the largest W that a term has in the document which
//     shares a line of synonyms.txt with the term, the impact is at least two thirds (rounded down, and
//     at least 1) of that of weight V, also where the term itself is not in the document; n counts that, L does not.
//
//   - pre: for each lower-case word of name, aliases and owner logins (stop words
//     too, unstemmed), its first 3, 4, … 12 code points; the same formula with
//     weight 8 for each, then max(1, (impact + 5) / 10).
//
//   - name: the name with impact 2 and each alias with impact 1, whole.
//
//   - facet: "field:value" with impact 1, of the filters below.
//
// # Query
//
// What is typed is cut after 4096 bytes (at a code point) and split at white
// space (Unicode White_Space) into tokens; a double quote (", “, ”) at the
// begin of a token, or after the colon of an operator, opens a text that goes
// to the next double quote. Without a closing one it is no quote but a separator.
//
//   - a quoted text by itself is a phrase;
//   - field:value or -field:value, field one of name tag by kind license network
//     fs verified deprecated in any case, value not empty, is a filter;
//   - all else is text; the parts are joined by one space.
//
// The value of a filter is made lower case. name: is cut at everything but a-z and
// 0-9, and each of the words is a filter. by: loses a leading @. For network, verified and deprecated:
// yes, true, on and 1 are yes, no, false, off and 0 are no. For fs: ro and read are
// read-only; rw and write are read-write. Another value stays, matches nothing, and is told.
//
// Values of a tool: name: each word of its name and aliases between underscores,
// and each of them whole; tag: each tag; by: each owner; kind: its format; license: each
// identifier of the SPDX expression (split at spaces, parentheses and plus signs; without and, or, with);
// network and deprecated and verified: yes or no; fs: none, read-only, read-write. In lower case.
//
// # Ranking
//
// The words of the query are those of the text, then those of the phrases
// (leaf words), without stop words, each term once, the first 64. Of the phrases the first 64 count,
// and of the leaf words of each, without stop words, the first 64. A word
// occurs (its term has a list in text), or is corrected, see below.
// Candidates are the documents that pass every filter and hold every term of every phrase in
// text. For a candidate:
//
//	score = sum of weight · impact in text of the query's terms
//	      + sum of weight · impact in pre of the first 3, 4, … 12 code points of its
//	        words, but at least half of each word, each such beginning once
//
// The weight of a term is 1 if it is of digits 0 to 9 alone or in the first list of request.go (page file
// index.json, "weights"), 2 or 3 if it is in the second or third, else 4; that of a beginning is the largest
// of the terms whose words begin so. Candidates with score
// 0 are out, and those of which 4·score is below the largest score. Order: the candidate
// whose name is the key of the text, then those that have the key as an alias, both
// also where they would be out, then the rest; within each by score, highest first; then by name. The key
// of a text is the text in lower case with every run of other characters than
// a-z and 0-9 made one underscore, and none at the ends; only a query without phrases has one.
//
// A query whose text and phrases hold no words (or only stop words) but which
// has a filter, and the query of nothing at all, finds every candidate, by name, with score 0, ungrouped.
// One of stop words alone finds only the exact name or alias.
//
// A phrase holds if its leaf words (without stop words, as terms) stand in one piece of a tool's text
// one after the other, where the stop words of that piece are left out, too. Candidates
// without it are out, after the cut at a quarter.
//
// # Corrections
//
// Only a word of the text (not of a phrase) of at least 3 code points that is no stop word and does
// not occur is corrected, and only if the query has at most 4 different terms. The dictionary
// holds each word (not term) of text with the number of documents that have it.
// First, completion: the words that begin with it. Else, if it has at
// least 4 code points and no number (N): the words at distance 1 (optimal string alignment: insert, delete,
// replace, swap neighbours), from 8 code points on also at distance 2, the nearer
// first. Of several, the one in most documents, then the first in byte order. A completed word gives
// its term to text, and pre keeps what was typed; another correction replaces the word everywhere.
//
// # Groups
//
// Near-duplicates are found when the index is made: tools whose descriptions and input names are
// almost the same and that have an owner in common (duplicates.go). Of each group only the tool that ranks first
// is a hit; those that rank below it are its Also, in order.
//
// # Page files
//
// [Built.Pages] returns index.json and, below a folder named by the first 16
// digits of the segment's digest, what else there is. Every file but index.json is gzip.
//
//	index.json         {"edition":1,"tools":N,"shards":K,"chunk":16,"folder":"…","stop":"a an …","weights":["abl …","api …","access …"]}
//	…/t<k>.bin         postings of the terms of shard k
//	…/c<i>.bin         listings 16i to 16i+15 as a JSON array, as they stand in the catalogue
//	…/words.bin        the dictionary
//	…/f-<field>.bin    the values of one field of filters, without the field and its colon
//	…/groups.bin       near-duplicates
//
// The shard of a term is FNV-1a (32 bit) of its first three code points in UTF-8, modulo K. K is the
// smallest power of two that is at least N/64, at least 1 and at most 1024. Numbers (n) are unsigned LEB128. Terms are sorted by
// bytes and each begins with n = how many bytes it shares with the one before, n = how many follow, and
// those bytes. Then:
//
//   - shard: one byte of flags (1 text, 2 pre, 4 name), and for each flag that is set, from the
//     lowest: n = length in bytes of a list: for each posting n = document minus the one before (the first: minus 0), one byte impact;
//   - words: n = number of documents;
//   - values of a field: n = length in bytes of a list of n = document minus the one before.
//
// groups.bin is for each document that is in a group: n = document minus the one before,
// n = that document minus the first of its group.
package index
