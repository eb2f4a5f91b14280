// The one way to the API. Every answer that is no success becomes an ApiFailure. Paths are those of the service; the page's
// base says where that is, which may be below a path of a proxy.

/** A path of the service as a URL relative to the page's base. */
const fromBase = (path) => path.slice(1);

export class ApiFailure extends Error {
  constructor(status, message, violations = [], code = '') {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.code = code;
    this.violations = violations;
  }
}

let onSignedOut = () => {};
let project = '';

/** Calls `listener` when the service says that nobody is signed in, with whether that was asked for to change something. */
export function whenSignedOut(listener) {
  onSignedOut = listener;
}

/** Makes all calls be about one project; empty for whatever the key is for. */
export function useProject(name) {
  project = name || '';
}

const unreachable = () => new ApiFailure(0, 'The service cannot be reached. Is it running?');

/** Fails, in the words of every other call, unless the service has the file at a URL. */
export async function reach(url) {
  let response;
  try {
    response = await fetch(url, { cache: 'no-cache' });
  } catch {
    throw unreachable();
  }
  // A proxy answers for a service that is away.
  if (!response.ok) throw new ApiFailure(response.status, `The service has answered ${response.status}.`);
}

async function call(method, path, body, signal, text = body === undefined ? undefined : JSON.stringify(body)) {
  const headers = { Accept: 'application/json' };
  if (method !== 'GET') headers['Reprise-Console'] = '1';
  if (text !== undefined) headers['Content-Type'] = 'application/json';
  if (project && path.startsWith('/v1/')) headers['Reprise-Project'] = project;
  let response;
  try {
    response = await fetch(fromBase(path), {
      method,
      headers,
      body: text,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal,
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw unreachable();
  }
  const answer = await response.text();
  let json = null;
  if (answer && (response.headers.get('Content-Type') || '').startsWith('application/json')) {
    try {
      json = JSON.parse(answer);
    } catch {
      throw new ApiFailure(response.status, 'The service has sent an answer that is not JSON.');
    }
  }
  if (response.ok) return json;
  const error = json?.error;
  if (response.status === 401 && !path.startsWith('/console/')) {
    onSignedOut(method !== 'GET');
    // The service's own words are for programs, which send a key with each request.
    throw new ApiFailure(401, 'The session has ended. Sign in, and try again.', [], error?.code || '');
  }
  throw new ApiFailure(
    response.status,
    error?.message || `The service has answered ${response.status}.`,
    error?.violations || [],
    error?.code || '',
  );
}

export const get = (path, { signal } = {}) => call('GET', path, undefined, signal);
export const post = (path, body = {}, { signal } = {}) => call('POST', path, body, signal);
/** As `post`, of a document that is text already and is sent as it stands. */
export const postText = (path, text) => call('POST', path, undefined, undefined, text);
export const put = (path, body = {}) => call('PUT', path, body);
export const patch = (path, body = {}) => call('PATCH', path, body);
export const del = (path, { signal } = {}) => call('DELETE', path, undefined, signal);

/** As `get`, with null where the service has no such thing. */
export async function find(path, options) {
  try {
    return await get(path, options);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** A path with its variable parts made safe: path`/v1/topics/${name}`. */
export function path(strings, ...values) {
  return strings.reduce((all, part, i) => all + encodeURIComponent(values[i - 1]) + part);
}

/** A query of those parameters that have a value, with its question mark; or nothing. */
export function query(parameters) {
  const text = new URLSearchParams(
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  ).toString();
  return text ? `?${text}` : '';
}

/** Opens a stream of server-sent events, which the browser opens again whenever it ends. */
export function stream(path, { event, error }) {
  const url = fromBase(path);
  const source = new EventSource(project ? `${url}${url.includes('?') ? '&' : '?'}project=${encodeURIComponent(project)}` : url);
  source.onmessage = (message) => event(JSON.parse(message.data));
  source.onerror = () => error?.(source.readyState === EventSource.CLOSED);
  return () => source.close();
}
