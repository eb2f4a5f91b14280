// Work on many records, one part in a call, over the cursor that the service answers.
import { html, render, nothing } from 'lit';
import { failure } from './parts.js';
import { exact } from './text.js';

/** Yields the answers of `ask(cursor)`, from the first part until one says that there is no next. */
export async function* parts(ask) {
  let cursor;
  do {
    const answer = await ask(cursor);
    yield answer;
    cursor = answer.next;
  } while (cursor);
}

let walks = 0;

/**
 * Asks before a walk, shows how far it is, lets it be stopped, and says what came of it.
 *
 * `body(walk)` is what is asked and stated before; `work(form, signal)` yields `{changed}` or
 * `{changed, next}` for each part. `total()` is how many there may be, or null where nobody knows.
 * `word` must be typed before it starts. `says(changed, how)` is the sentence at the end; `how` is
 * `done`, `stopped` or `failed`. Resolves with the number that was changed, or undefined if it has
 * not begun.
 */
export function openWalk({ title, body, confirm, danger = false, word = '', total = () => null, work, says, opened = () => {} }) {
  return new Promise((resolve) => {
    const dialog = document.createElement('dialog');
    const label = `walk-${++walks}`;
    const before = document.activeElement;
    const ending = new AbortController();
    const walk = { phase: 'asking', changed: 0, typed: '', error: null, update, signal: ending.signal };
    dialog.setAttribute('aria-labelledby', label);

    async function start(event) {
      event.preventDefault();
      if (walk.phase !== 'asking' || walk.typed !== word) return;
      const form = new FormData(event.target);
      walk.phase = 'working';
      walk.error = null;
      update();
      dialog.querySelector('[data-stop]')?.focus();
      try {
        for await (const part of work(form, ending.signal)) {
          walk.changed += part.changed;
          update();
          if (ending.signal.aborted) break;
        }
        walk.phase = ending.signal.aborted ? 'stopped' : 'done';
      } catch (error) {
        walk.error = error.name === 'AbortError' ? null : error;
        // A request that was refused as it stands has changed nothing: it can be mended and sent again.
        walk.phase = walk.error ? (walk.changed === 0 && error.status >= 400 && error.status < 500 ? 'asking' : 'failed') : 'stopped';
      }
      update();
      dialog.querySelector('[data-close]')?.focus();
    }

    function update() {
      render(html`<form @submit=${start}><h2 id=${label}>${title}</h2>${content()}</form>`, dialog);
    }

    function content() {
      if (walk.phase === 'asking') {
        return html`<div class="dialog-body">${body(walk)}
          ${word
            ? html`<div class="field"><label for="${label}-word">Type <code>${word}</code> to go on</label>
                <input id="${label}-word" autocomplete="off" spellcheck="false" @input=${(event) => { walk.typed = event.target.value.trim(); update(); }}></div>`
            : nothing}
          ${walk.error ? failure(walk.error) : nothing}</div>
          <div class="actions">
            <button type="button" @click=${() => dialog.close()}>Cancel</button>
            <button class="primary ${danger ? 'danger' : ''}" ?disabled=${walk.typed !== word}>${confirm(walk)}</button>
          </div>`;
      }
      const most = total(walk);
      if (walk.phase === 'working') {
        return html`<div class="dialog-body"><progress aria-label="Progress" max=${most ?? nothing} value=${most ? Math.min(walk.changed, most) : nothing}></progress>
          <p role="status">${exact(walk.changed)}${most ? html` of about ${exact(most)}` : ' so far'}</p></div>
          <div class="actions"><button type="button" data-stop @click=${() => ending.abort()}>Stop</button></div>`;
      }
      return html`<div class="dialog-body"><p role="status">${says(walk.changed, walk.phase)}</p>
        ${walk.error ? failure(walk.error) : nothing}</div>
        <div class="actions"><button type="button" class="primary" data-close @click=${() => dialog.close()}>Close</button></div>`;
    }

    // Whoever goes back goes away from what was asked, too.
    addEventListener('popstate', () => dialog.close(), { signal: ending.signal });
    dialog.addEventListener('close', () => {
      ending.abort();
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      resolve(walk.phase === 'asking' ? undefined : walk.changed);
    });
    update();
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector('input:not([type=hidden]), select, .actions button')?.focus();
    opened(walk);
  });
}

/** What a walk would do, as a list. */
export const consequences = (...sentences) =>
  html`<ul class="consequences">${sentences.filter((each) => each && each !== nothing).map((each) => html`<li>${each}</li>`)}</ul>`;
