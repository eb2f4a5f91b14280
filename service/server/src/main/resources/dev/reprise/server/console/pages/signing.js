// The dialogs by which deliveries of a subscription get a signing secret, or another one.
import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { command } from '../lib/command.js';
import { openDialog } from '../lib/dialog.js';
import { field } from '../lib/parts.js';
import { time } from '../lib/text.js';

/** Whether deliveries of a subscription can be signed at all: those that are requests of HTTP. */
export const signs = ({ protocol, carrier }) => !carrier && (protocol === 'http' || protocol === 'function');

function question(rotated) {
  return html`<p>${rotated
    ? 'From now on deliveries are signed with a new secret, and for a while with the one before as well, so that the receiver has time to change.'
    : 'From now on deliveries are signed after Standard Webhooks, so that the receiver can tell them from those of others.'}
      The secret is shown once, after this.</p>
    ${field('Kind', html`<select id="sign-kind" name="kind" aria-describedby="sign-kind-hint">
      <option value="shared">shared: the receiver knows the secret as well</option>
      <option value="ed25519">ed25519: the receiver gets a public key</option></select>`, { id: 'sign-kind', hint: 'The receiver must be able to verify this kind.' })}
    ${rotated ? field('The secret before signs as well for', html`<input id="sign-overlap" name="overlap" placeholder="24h" autocomplete="off" aria-describedby="sign-overlap-hint">`, { id: 'sign-overlap', hint: 'Such as 72h or P3D, from 0s to 30 days.' }) : nothing}`;
}

/** Makes a signing secret and shows it. Resolves with whether one was made. */
export async function sign(app, { id, http }) {
  const rotated = Boolean(http?.signingSecret?.set);
  const made = await openDialog({
    title: rotated ? `Rotate the signing secret of ${id}?` : `Sign the deliveries of ${id}?`,
    confirm: rotated ? 'Rotate' : 'Sign',
    body: question(rotated),
    action: (form) => api.post(api.path`/v1/subscriptions/${id}/signing-secret`, { kind: form.get('kind'), ...(form.get('overlap')?.trim() ? { overlap: form.get('overlap').trim() } : {}) }),
  });
  if (!made) return false;
  const name = made.publicKey ? 'The public key for the receiver' : 'The signing secret for the receiver';
  await openDialog({
    title: name,
    confirm: 'I have kept it',
    dismiss: '',
    body: html`<p>The receiver verifies deliveries with it. It is shown this once.</p>${command(made.publicKey ?? made.signingSecret, name)}
      ${made.oldSigningUntil ? html`<p>The secret before signs as well until ${time(made.oldSigningUntil)}.</p>` : nothing}`,
  });
  return true;
}
