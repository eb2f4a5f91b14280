// Whether a receiver does what receivers of webhooks must: the answer of POST /v1/subscriptions/{id}/check.
import { html, nothing } from 'lit';
import { failure } from '../lib/parts.js';

const NAMES = {
  accepted: 'A message is taken',
  signature: 'A wrong signature is refused',
  timestamp: 'An old timestamp is refused',
  repetition: 'The same message is taken twice',
  timeout: 'It answers in time',
  body: 'It takes a large body',
};
const MARKS = { true: ['is-ok', 'passed'], false: ['is-bad', 'failed'], null: ['', 'not checked'] };

const row = ({ name, passed, text }) => {
  const [look, word] = MARKS[String(passed)] ?? MARKS.null;
  return html`<li><span class="badge ${look}">${word}</span><div><b>${NAMES[name] ?? name}</b><p class="soft">${text}</p></div></li>`;
};

/** The panel. `check` is `{state, report, error, missing}`, whose state is idle, running, done or failed. */
export const receiverCheck = (check, { protocol, can, run }) =>
  protocol !== 'http'
    ? nothing
    : html`<section class="panel" aria-labelledby="check-h"><header><h2 id="check-h">Receiver check</h2></header>
        <p class="measure">Sends real requests to the endpoint, and looks at what it answers: whether it refuses a wrong signature and an old timestamp, takes the same message twice, answers in time, and takes a large body. The answer may take a minute.
          The requests carry <code>Reprise-Test: true</code> and are no deliveries: nothing of them is stored or counted.</p>
        ${can ? html`<p><button id="check" ?disabled=${check.state === 'running'} @click=${run}>${check.state === 'done' ? 'Check again' : 'Check the receiver'}</button></p>` : html`<p class="soft">A key with the scope manage may run it.</p>`}
        <div role="status">
          ${check.state === 'running' ? html`<p class="soft">Sending requests, and waiting for answers …</p>` : nothing}
          ${check.state === 'failed' ? (check.missing ? html`<p class="note">This version of the service has no receiver check.</p>` : failure(check.error)) : nothing}
          ${check.state === 'done' ? html`<ol class="checks">${check.report.checks.map(row)}</ol>` : nothing}
        </div></section>`;
