// Why a session is no longer there, as far as a page can know, in the words of the sign-in.
import * as api from './api.js';

const KEPT = 'reprise-session';

/** Nothing by which anybody could sign in. */
const kept = ({ instance, expiresAt }) => JSON.stringify({ instance, expiresAt });

/** Remembers a session until the tab is closed, or forgets it. */
export function remember(session) {
  try {
    if (session?.signedIn) sessionStorage.setItem(KEPT, kept(session));
    else sessionStorage.removeItem(KEPT);
  } catch {
    // Storage may be refused: then a page that is loaded anew gives no reason.
  }
}

/** The session that this tab had when it was last loaded; null if it had none. */
function remembered() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

/** Says why `before` has ended, given what the service says of the session now. */
function reason(before, now) {
  if (before.expiresAt && new Date(before.expiresAt) <= new Date()) return 'The session has ended, because its key has expired.';
  if (before.instance && now?.instance && before.instance !== now.instance) return 'The session has ended, because the service was restarted.';
  return 'The session has ended. Its key was revoked, or it was not used for an hour, or it was twelve hours old.';
}

/** Says why a page that is loaded without a session had one before; empty if it had none. */
export function sinceLoaded(now) {
  const before = remembered();
  return before ? reason(before, now) : '';
}

/** Says why a session has ended while a page was open. */
export async function whileOpen(before) {
  return reason(before ?? {}, await api.get('/console/session').catch(() => null));
}
