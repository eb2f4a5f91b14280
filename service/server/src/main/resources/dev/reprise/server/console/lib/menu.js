// Actions on one thing, behind one button. The browser closes the list on Escape and on a click elsewhere.
import { html } from 'lit';

let lists = 0;

function place(list, button) {
  const at = button.getBoundingClientRect();
  const below = at.bottom + list.offsetHeight + 8 < innerHeight;
  list.style.top = `${below ? at.bottom + 4 : Math.max(8, at.top - list.offsetHeight - 4)}px`;
  list.style.left = `${Math.max(8, Math.min(at.right, innerWidth - 8) - list.offsetWidth)}px`;
}

function opened(event) {
  if (event.newState !== 'open') return;
  place(event.target, event.target.previousElementSibling);
  event.target.querySelector('button, a')?.focus();
}

function moved(event) {
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  const all = [...event.currentTarget.querySelectorAll('button, a')];
  const at = all.indexOf(document.activeElement);
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : steps[event.key] === undefined ? -1 : (at + steps[event.key] + all.length) % all.length;
  if (next < 0) return;
  event.preventDefault();
  all[next].focus();
}

/** A button with a list of actions: `[text, work, danger]` each, or `[text, url]`; null ones are left out. */
export function menu(label, actions, text = 'Actions') {
  const id = `menu-${++lists}`;
  const chosen = (event, work) => {
    event.currentTarget.closest('[popover]').hidePopover();
    work();
  };
  return html`<span class="menu-button">
    <button type="button" class="slim" popovertarget=${id} aria-label=${label}>${text}</button>
    <div class="menu-list" id=${id} popover @toggle=${opened} @keydown=${moved}>
      ${actions.filter(Boolean).map(([name, work, danger]) =>
        typeof work === 'string'
          ? html`<a href=${work}>${name}</a>`
          : html`<button type="button" class=${danger ? 'danger' : ''} @click=${(event) => chosen(event, work)}>${name}</button>`,
      )}
    </div>
  </span>`;
}
