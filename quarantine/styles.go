package quarantine

import (
	"strconv"
	"strings"
)

// hidesBy tells which declaration of a style takes an element out of sight: one
// that is read as a browser does, without comments, escapes and blanks, so that a
// value is told by what it means and not by how it is spelt.
func hidesBy(style string) (declaration string, ok bool) {
	for declaration := range strings.SplitSeq(squeeze(plainStyle(style)), ";") {
		name, value, _ := strings.Cut(strings.TrimSuffix(declaration, "!important"), ":")
		if hides(name, value) {
			return declaration, true
		}
	}
	return "", false
}

// plainStyle takes comments out and writes escapes as what they stand for.
func plainStyle(style string) string {
	for {
		before, rest, ok := strings.Cut(style, "/*")
		if !ok {
			break
		}
		_, after, _ := strings.Cut(rest, "*/")
		style = before + after
	}
	if !strings.Contains(style, `\`) {
		return style
	}
	var b strings.Builder
	for i := 0; i < len(style); i++ {
		n := 0
		for style[i] == '\\' && n < 6 && i+1+n < len(style) && strings.IndexByte("0123456789abcdefABCDEF", style[i+1+n]) >= 0 {
			n++
		}
		if code, err := strconv.ParseUint(style[i+1:i+1+n], 16, 21); n > 0 && err == nil {
			b.WriteRune(rune(code))
			if i += n; i+1 < len(style) && style[i+1] == ' ' {
				i++
			}
		} else if style[i] != '\\' {
			b.WriteByte(style[i])
		}
	}
	return b.String()
}

// What is as good as nothing: lengths in pixels, parts of one, shifts in pixels.
const (
	fewPixels = 3
	littleOf  = 0.15
	farAway   = -300
	nearWhite = 240
)

func hides(name, value string) bool {
	n, unit := number(value)
	switch name {
	case "display":
		return value == "none"
	case "visibility", "content-visibility":
		return value == "hidden" || value == "collapse"
	case "opacity", "zoom", "scale":
		return small(n, unit)
	case "font-size":
		return small(n, unit) || unit == "px" && n <= fewPixels || unit == "pt" && n <= fewPixels
	case "font":
		return unit != "?" && n <= 1
	case "width", "height", "max-width", "max-height", "line-height":
		return unit != "?" && n <= 1 && unit != "em" && unit != "rem" && !(unit == "" && n > 0)
	case "color", "-webkit-text-fill-color":
		return paleColour(value)
	case "text-indent", "margin-left", "margin-top", "margin-right", "left", "top", "right", "bottom":
		return unit != "?" && (n <= farAway || n < -50 && unit != "px")
	case "clip", "clip-path":
		return value != "none" && value != "auto"
	case "z-index":
		return unit == "" && n < 0
	case "transform", "filter":
		function, argument, _ := strings.Cut(value, "(")
		n, unit := number(argument)
		return strings.HasPrefix(function, "translate") && unit != "?" && n <= farAway ||
			(strings.HasPrefix(function, "scale") || function == "opacity") && small(n, unit)
	}
	return false
}

// small tells whether a number is little of the whole.
func small(n float64, unit string) bool {
	switch unit {
	case "%":
		return n <= 100*littleOf
	case "", "em", "rem":
		return n <= littleOf
	case "?":
		return false
	}
	return n <= 1
}

// number reads a value's number and its unit, "?" where it begins with none.
func number(value string) (n float64, unit string) {
	end := 0
	for end < len(value) && strings.IndexByte("0123456789.+-", value[end]) >= 0 {
		end++
	}
	n, err := strconv.ParseFloat(value[:end], 64)
	if err != nil {
		return 0, "?"
	}
	rest := value[end:]
	end = 0
	for end < len(rest) && (rest[end] == '%' || rest[end] >= 'a' && rest[end] <= 'z') {
		end++
	}
	return n, rest[:end]
}

// paleColour tells whether text of the colour is lost on a white page.
func paleColour(value string) bool {
	const pale = " transparent white snow ivory ghostwhite floralwhite whitesmoke mintcream azure aliceblue seashell honeydew canvas "
	if value == "" || strings.Contains(pale, " "+value+" ") {
		return value != ""
	}
	if digits, ok := strings.CutPrefix(value, "#"); ok {
		if len(digits) == 3 || len(digits) == 4 {
			digits = strings.NewReplacer("0", "00", "1", "11", "e", "ee", "f", "ff").Replace(digits)
		}
		return len(digits) >= 8 && digits[6] == '0' || len(digits) >= 6 && digits[0] == 'f' && digits[2] == 'f' && digits[4] == 'f'
	}
	function, rest, _ := strings.Cut(value, "(")
	parts := strings.FieldsFunc(strings.TrimSuffix(rest, ")"), func(r rune) bool { return r == ',' || r == '/' })
	if len(parts) < 3 {
		return false
	}
	if len(parts) > 3 {
		if n, unit := number(parts[3]); small(n, unit) {
			return true
		}
	}
	light, _ := number(parts[2])
	if strings.HasPrefix(function, "hsl") {
		return light >= 94
	}
	red, _ := number(parts[0])
	green, _ := number(parts[1])
	return strings.HasPrefix(function, "rgb") && red >= nearWhite && green >= nearWhite && light >= nearWhite
}
