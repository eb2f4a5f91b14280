// Something to type into a terminal, with a button that copies it.
import { html } from 'lit';

async function copy(event, text) {
  const button = event.target;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    // Not every page may write to the clipboard; the text is selected instead.
    getSelection().selectAllChildren(button.previousElementSibling);
    button.textContent = 'Selected';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2000);
}

/** One command. `name` says what it is for, to those who do not see it. */
export const command = (text, name) =>
  html`<div class="command"><pre tabindex="0" aria-label=${name}>${text}</pre><button class="slim" type="button" aria-label=${`Copy: ${name}`} @click=${(event) => copy(event, text)}>Copy</button></div>`;
