// Small pieces that pages share.
import { html, nothing } from 'lit';

/** What went wrong, in the service's own words, with each rule that was broken. */
export function failure(error, again) {
  const violations = error.violations || [];
  return html`<div class="note is-bad" role="alert">
    <p>${error.status === 404 && !error.message ? 'There is no such thing any more.' : error.message}</p>
    ${violations.length > 1
      ? html`<ul>
          ${violations.map((each) => html`<li><code>${each.field}</code> ${each.rule}</li>`)}
        </ul>`
      : nothing}
    ${again ? html`<p><button class="slim" @click=${again}>Try again</button></p>` : nothing}
  </div>`;
}

/** Nothing to show, and what to do about it. */
export const empty = (title, text, action = nothing) =>
  html`<div class="empty"><h2>${title}</h2><p>${text}</p>${action}</div>`;

const HEADINGS = {
  0: 'The service cannot be reached',
  400: 'This address is not right',
  403: 'This key may not see this page',
  404: 'There is no such thing',
};

/** A page that could not be loaded: what is wrong, and a way on. To try again is offered where that may help. */
export const failedPage = (error, again) => html`<div class="stack">
  <h1>${HEADINGS[error.status] ?? 'This page could not be loaded'}</h1>
  ${failure(error, [400, 403, 404].includes(error.status) ? null : again)}
  <p><a class="button" href="./">Go to the overview</a></p>
</div>`;

/** A page about something that there is not. */
export const missing = (title, text, action = nothing) =>
  html`<div class="empty"><h1>${title}</h1><p>${text}</p>${action}</div>`;

export const loading = () => html`<p class="soft" role="status">Loading …</p>`;

/** The way here: pairs of text and URL, the last one without a URL. */
export const crumbs = (...steps) =>
  html`<nav aria-label="Breadcrumb">
    <ol class="crumbs">
      ${steps.map(([text, url]) => html`<li>${url ? html`<a href=${url}>${text}</a>` : html`<span aria-current="page">${text}</span>`}</li>`)}
    </ol>
  </nav>`;

const LOOKS = {
  delivered: 'is-ok',
  pending: 'is-accent',
  'dead-lettered': 'is-bad',
  expired: 'is-bad',
  suspended: 'is-warn',
  discarded: '',
  cancelled: '',
};

/** The state of something as a badge. */
export const badge = (status, look = LOOKS[status] ?? '') => html`<span class="badge ${look}">${status}</span>`;

/**
 * A button that does `work`, or says beside it why it can do nothing: then it is not disabled for the browser, so that
 * the keyboard still reaches it and its reason.
 */
export const reasonedButton = (id, text, work, why = '', look = '') =>
  why
    ? html`<button id=${id} class=${look} type="button" aria-disabled="true" aria-describedby="${id}-why">${text}</button><span class="why-not" id="${id}-why">${why}</span>`
    : html`<button id=${id} class=${look} type="button" @click=${work}>${text}</button>`;

/** A bar whose length is a share from 0 to 1. */
export const bar = (share, look = '') =>
  html`<svg class="bar ${look}" aria-hidden="true"><rect width="${(Math.max(0, Math.min(1, share)) * 100).toFixed(2)}%" height="100%"></rect></svg>`;

/** A control with its label above it. */
export const field = (label, control, { hint = nothing, wrong = '', id, narrow = false } = {}) =>
  html`<div class="field ${narrow ? 'narrow' : ''}">
    <label for=${id}>${label}</label>${control}
    ${hint === nothing ? nothing : html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${wrong ? html`<p class="wrong" id="${id}-wrong">${wrong}</p>` : nothing}
  </div>`;

/** The end of a list: how much there is, and a button for more. */
export const more = (next, onMore, text = nothing, busy = false) =>
  html`<div class="row between"><p class="soft small" role="status">${text}</p>
    ${next ? html`<button @click=${onMore} ?disabled=${busy}>Show more</button>` : nothing}</div>`;
