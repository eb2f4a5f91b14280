// Loading the modules of pages from a service that may be away for a while.
import { ApiFailure, reach } from './api.js';

/** Pages of which something was not there when the browser asked for it. */
const missed = new Set();
const loaded = new Set();

/**
 * Returns the module of a page. A browser never asks again for a module that it could not fetch, so the service is asked first
 * whether it is there; and where a module was missed all the same, the next call loads the document anew.
 */
export async function pageModule(name) {
  const url = new URL(`../pages/${name}.js`, import.meta.url);
  if (!loaded.has(name)) await reach(url);
  if (missed.has(name)) {
    location.reload();
    return new Promise(() => {});
  }
  try {
    const module = await import(url.href);
    loaded.add(name);
    return module;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    missed.add(name);
    await reach(url);
    throw new ApiFailure(0, 'This page could not be loaded: part of it did not arrive.');
  }
}
