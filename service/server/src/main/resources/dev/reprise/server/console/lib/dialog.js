// Dialogs over the page. The browser keeps the focus inside, and Escape closes them.
import { html, render, nothing } from 'lit';
import { failure } from './parts.js';

let labels = 0;

/**
 * Opens a dialog. `body` is a template, or a function of `{update, close}` that makes one; `action`
 * is called with the form's data when it is sent, and what it throws is shown; if the error names a
 * `field`, the body tells it there, and the focus goes to the control of that id. Resolves with the
 * action's result, or undefined if the dialog was closed without. Without `dismiss`, the text of the
 * button that does so, there is nothing but to confirm.
 */
export function openDialog({ title, body, confirm = 'Save', dismiss = 'Cancel', danger = false, wide = false, action = async () => true }) {
  return new Promise((done) => {
    const dialog = document.createElement('dialog');
    const label = `dialog-${++labels}`;
    const before = document.activeElement;
    let wrong = null;
    let working = false;
    let result;
    dialog.setAttribute('aria-labelledby', label);
    dialog.classList.toggle('wide-dialog', wide);
    const close = (value) => {
      result = value;
      dialog.close();
    };
    const send = async (event) => {
      event.preventDefault();
      if (working) return;
      working = true;
      wrong = null;
      update();
      try {
        close((await action(new FormData(event.target))) ?? true);
      } catch (error) {
        wrong = error;
      } finally {
        working = false;
        update();
        if (wrong?.field) dialog.querySelector(`#${wrong.field}`)?.focus();
      }
    };
    const update = () =>
      render(
        html`<form @submit=${send}>
          <h2 id=${label}>${title}</h2>
          <div class="dialog-content">${typeof body === 'function' ? body({ update, close }) : body}</div>
          ${wrong && !wrong.field ? failure(wrong) : nothing}
          <div class="actions">
            ${dismiss ? html`<button type="button" @click=${() => close()}>${dismiss}</button>` : nothing}
            <button class="primary ${danger ? 'danger' : ''}" ?disabled=${working}>${confirm}</button>
          </div>
        </form>`,
        dialog,
      );
    update();
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      done(result);
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector('[autofocus], input:not([type=hidden]), select, textarea, .actions button')?.focus();
  });
}

/** Asks before something that cannot be taken back, and says what it would do. */
export function ask({ title, consequences = [], text = nothing, question = nothing, confirm, danger = true, action }) {
  return openDialog({
    title,
    confirm,
    danger,
    action,
    body: html`${text}
    ${consequences.length
      ? html`<ul class="consequences">
          ${consequences.map((each) => html`<li>${each}</li>`)}
        </ul>`
      : nothing}${question}`,
  });
}
