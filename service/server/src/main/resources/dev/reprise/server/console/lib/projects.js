// The one project that the console is of. An operator of several chooses it, and the address names it, so that a link shows
// another operator the same; everybody else has one, which is never named.
import * as api from './api.js';

const KEPT = 'reprise-project';
const MOST = 1000;

/** The pages that are of all projects, or of none. */
const WITHOUT = ['overview', 'carriers', 'lab'];

let names = [];
let chosen = '';

/** All that can be chosen; empty where there is no choice. */
export const all = () => names;

/** The chosen one; empty for all of them together, and where there is no choice. */
export const current = () => chosen;

/** Asks what there is to choose for whoever has signed in. */
export async function load(session) {
  names = [];
  choose('');
  if (!session.operator || !['read', 'manage'].some((scope) => session.scopes.includes(scope))) return;
  const { items } = await api.get(`/v1/projects?limit=${MOST}`);
  if (items.length < 2) return;
  names = items.map((each) => each.name);
  choose(kept());
}

/** Makes the console be of another project. */
export function choose(name) {
  chosen = name;
  api.useProject(name);
  if (!names.length) return;
  try {
    sessionStorage.setItem(KEPT, name);
  } catch {
    // Storage may be refused; the address has it all the same.
  }
}

function kept() {
  try {
    const name = sessionStorage.getItem(KEPT);
    return names.includes(name) ? name : '';
  } catch {
    return '';
  }
}

/** Chooses the project that a URL names, before its page is shown; returns the URL with the name of the chosen one. */
export function arrive(url, page) {
  if (!names.length) return url;
  const named = url.searchParams.get('project');
  if (named !== null && named !== chosen) choose(named);
  if (!chosen && page && !WITHOUT.includes(page)) choose('default');
  const complete = new URL(url);
  if (chosen) complete.searchParams.set('project', chosen);
  else complete.searchParams.delete('project');
  return complete;
}
