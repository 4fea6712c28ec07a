// patch-git: texts of strangers. Everything is set by textContent, never as
// markup, and what a reader would not see is shown by its number, as the program
// shows it.

const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]/gu;

// Joiners belong to writing where they join: emoji, and letters that are not Latin.
const picture = /\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]*$/u;
const nextPicture = /^\p{Extended_Pictographic}/u;
const letter = /(?!\p{Script=Latin})[\p{L}\p{M}]$/u;
const nextLetter = /^(?!\p{Script=Latin})[\p{L}\p{M}]/u;

function joins(text, at) {
  const before = text.slice(Math.max(0, at - 6), at);
  const after = text.slice(at + 1, at + 3);
  if (text[at] === '\u200D' && picture.test(before)) return nextPicture.test(after);
  return (text[at] === '\u200D' || text[at] === '\u200C') && letter.test(before) && nextLetter.test(after);
}

// plain returns a stranger's text as one line that hides nothing.
export function plain(text) {
  return String(text ?? '').replace(hidden, (c, at, whole) => {
    if (c === '\n' || c === '\t') return ' ';
    return joins(whole, at) ? c : `\\u{${c.codePointAt(0).toString(16)}}`;
  });
}

// put fills the slots of a clone of a template by their names: with a text or
// with elements; true leaves what the template says, and what is empty goes.
export function put(element, contents) {
  for (const slot of element.querySelectorAll('[data-slot]')) {
    const content = contents[slot.dataset.slot];
    if (Array.isArray(content) && content.length) slot.replaceChildren(...content);
    else if (typeof content === 'string' && content !== '') slot.textContent = plain(content);
    else if (content !== true) slot.remove();
  }
}
