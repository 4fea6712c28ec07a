// patch-git: what every page of a registry does beside being read: buttons that
// copy, and keys. Without it each page is whole.

const field = document.getElementById('q');

// say tells beside a button what became of it, aloud too.
function say(button, text) {
  let place = button.nextElementSibling;
  if (!place?.classList.contains('copied')) {
    place = document.createElement('span');
    place.className = 'copied';
    place.setAttribute('role', 'status');
    button.after(place);
  }
  // What speaks must be there before its text comes.
  requestAnimationFrame(() => { place.textContent = text; });
  setTimeout(() => { place.textContent = ''; button.classList.remove('done'); }, 1500);
}

// copy puts a command of this page onto the clipboard.
async function copy(button) {
  const from = button.dataset.copyFrom;
  const text = from ? document.getElementById(from)?.textContent : button.dataset.copy;
  if (!text) return;
  try {
    await navigator.clipboard.writeText(text);
    button.classList.add('done');
    say(button, 'Copied');
  } catch {
    say(button, 'Not allowed: mark the text');
  }
}

const buttons = '[data-copy], [data-copy-from]';

// offer shows the buttons below an element, where there is a clipboard to copy to.
export function offer(element) {
  if (!navigator.clipboard) return;
  for (const b of element.querySelectorAll(buttons)) b.hidden = false;
}

const writing = (e) => e.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(e.tagName);

function slash(event) {
  event.preventDefault();
  if (!field) return document.getElementById('find')?.click();
  field.focus();
  field.select();
}

// y copies what stands where the reader is: a result, else the command of the page.
function yank() {
  const here = document.activeElement?.closest('li, section, article') ?? document.body;
  const button = here.querySelector(buttons) ?? (here.closest('#results') ? null : document.querySelector(buttons));
  if (button && !button.hidden) copy(button);
}

document.addEventListener('click', (event) => {
  const button = event.target.closest?.(buttons);
  if (button) copy(button);
});
document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || writing(event.target)) return;
  if (event.key === '/') slash(event);
  else if (event.key === 'y') yank();
});
offer(document);
if (document.getElementById('search')) import('./find.js');
