// Words, numbers and times as the console writes them.
import { html, nothing } from 'lit';

const number = new Intl.NumberFormat('en');
const moment = new Intl.DateTimeFormat(undefined, {
  year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false,
});
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });

export const exact = (value) => number.format(value ?? 0);

/** A rate or another figure, with no more digits than say something. */
export function rough(value) {
  if (value === 0) return '0';
  if (value < 10) return value.toFixed(1);
  return number.format(Math.round(value));
}

/** 1 delivery, 2 deliveries. */
export const count = (value, one, many = `${one}s`) => `${exact(value)} ${value === 1 ? one : many}`;

/** A span of milliseconds, to its two largest units. */
export function span(millis) {
  if (millis < 1000) return `${Math.round(millis)} ms`;
  let seconds = Math.round(millis / 1000);
  if (millis < 10_000) return `${(millis / 1000).toFixed(1).replace(/\.0$/, '')} s`;
  const parts = [];
  for (const [size, unit] of [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']]) {
    const whole = Math.floor(seconds / size);
    seconds -= whole * size;
    if (whole > 0) parts.push(`${whole} ${unit}`);
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

/** An ISO 8601 duration or one of ours, in words; itself if it is neither. */
export function duration(text) {
  const iso = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(text || '');
  if (!iso) return text || '';
  const [, d = 0, h = 0, m = 0, s = 0] = iso;
  return span((+d * 86400 + +h * 3600 + +m * 60 + +s) * 1000);
}

/** Local time, with UTC on hover. */
export function time(rfc3339, { short = false } = {}) {
  if (!rfc3339) return nothing;
  const date = new Date(rfc3339);
  if (Number.isNaN(date.getTime())) return rfc3339;
  return html`<time datetime=${rfc3339} title="${date.toISOString().replace('T', ' ').replace('Z', ' UTC')}">${(short ? clock : moment).format(date)}</time>`;
}

/** Local time, with the date only if it is of another day, and UTC on hover. */
export function nearTime(rfc3339) {
  return time(rfc3339, { short: new Date(rfc3339).toDateString() === new Date().toDateString() });
}

/** How long ago, or in how long, with the exact time on hover. */
export function ago(rfc3339) {
  if (!rfc3339) return nothing;
  const date = new Date(rfc3339);
  const millis = Date.now() - date.getTime();
  const words = Math.abs(millis) < 1000 ? 'now' : millis > 0 ? `${span(millis)} ago` : `in ${span(-millis)}`;
  return html`<time datetime=${rfc3339} title="${moment.format(date)} · ${date.toISOString().replace('T', ' ').replace('Z', ' UTC')}">${words}</time>`;
}

export const clockTime = (date) => clock.format(date);

const STOP_REASONS = {
  NOT_RETRYABLE: 'not retryable',
  ATTEMPTS: 'all attempts were made',
  HINT_TOO_LONG: 'the endpoint asked for a longer wait than the policy allows',
  DEADLINE: 'its lifetime was over',
  UNREADABLE: 'its stored record cannot be read',
  CANCELLED: 'it was cancelled',
  SUSPENDED: 'it was held for a suspended subscription, beyond its bounds',
};

/** The reason why nothing is tried any more, in words. */
export const stopReason = (name) => STOP_REASONS[name] || (name || '').toLowerCase().replaceAll('_', ' ');
export const STOP_REASON_NAMES = Object.keys(STOP_REASONS);

/**
 * A text of others with the characters that change the direction of what follows them, such as U+202E, as escapes:
 * drawn, they would make another text of it. Letters that are written from right to left stay as they are.
 */
export const visible = (text) => text?.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, (found) => `\\u${found.charCodeAt(0).toString(16)}`) ?? text;
