// URLs of pages, relative to the page's base, and moving between them without loading anything but the page's module.

// The last one that fits is not better than the first: fixed paths stand before variable ones.
const ROUTES = [
  ['/', 'overview'],
  ['/topics', 'topics'],
  ['/topics/:topic', 'topic'],
  ['/subscriptions', 'subscriptions'],
  ['/subscriptions/:id', 'subscription'],
  ['/subscriptions/:id/deliveries', 'deliveries'],
  ['/subscriptions/:id/dead-letters', 'deadletters'],
  ['/deliveries', 'deliveries'],
  ['/deliveries/:id', 'delivery'],
  ['/dead-letters', 'deadletters'],
  ['/policies', 'policies'],
  ['/policies/:topic', 'policies'],
  ['/lab', 'lab'],
  ['/carriers', 'carriers'],
];

/**
 * Returns `{page, params}` of a URL; page is null if there is none. Parameters of the path and of
 * the query are in one object.
 */
export function match(url) {
  const base = new URL(document.baseURI).pathname;
  if (!url.pathname.startsWith(base)) return { page: null, params: {} };
  const parts = url.pathname.slice(base.length).split('/');
  // A slash at the end is the habit of a hand or of a proxy.
  if (parts.length > 1 && parts.at(-1) === '') parts.pop();
  for (const [pattern, page] of ROUTES) {
    const wanted = pattern.split('/').slice(1);
    if (wanted.length !== parts.length) continue;
    const params = Object.fromEntries(url.searchParams);
    const fits = wanted.every((part, i) => {
      if (!part.startsWith(':')) return part === parts[i];
      try {
        params[part.slice(1)] = decodeURIComponent(parts[i]);
      } catch {
        return false;
      }
      return parts[i] !== '';
    });
    if (fits) return { page, params };
  }
  return { page: null, params: {} };
}

let changed = () => {};

/** Calls `listener` with each URL that is gone to from here on. */
export function start(listener) {
  changed = listener;
  addEventListener('popstate', () => changed(new URL(location.href)));
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.('a[href]');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    const url = new URL(link.href);
    if (url.hash && url.pathname === location.pathname && url.search === location.search) return;
    if (!match(url).page) return;
    event.preventDefault();
    go(url.href);
  });
}

/** Goes to a page of the console: a URL, or one relative to the page's base, such as `topics`. */
export function go(to, { replace = false } = {}) {
  const url = new URL(to, document.baseURI);
  if (url.href === location.href) replace = true;
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  changed(url);
}

/** Changes parameters of the present URL, without a new entry in the history. */
export function setQuery(parameters) {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history.replaceState(null, '', url);
}
