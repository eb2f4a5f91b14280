// The frame around every page: signing in, the navigation, the theme, and what is told in passing.
import { LitElement, html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import * as api from './api.js';
import { openDialog } from './dialog.js';
import * as endings from './endings.js';
import { pageModule } from './modules.js';
import * as projects from './projects.js';
import * as router from './router.js';
import { failedPage, failure, loading, missing } from './parts.js';

const SECTIONS = [
  ['', [['Overview', './', ['overview']]]],
  ['Deliver', [
    ['Topics', 'topics', ['topics', 'topic']],
    ['Subscriptions', 'subscriptions', ['subscriptions', 'subscription']],
    ['Deliveries', 'deliveries', ['deliveries', 'delivery']],
    ['Dead letters', 'dead-letters', ['deadletters']],
    ['Carriers', 'carriers', ['carriers']],
  ]],
  ['Decide', [
    ['Policy editor', 'policies', ['policies']],
    ['Lab', 'lab', ['lab']],
  ]],
];

const THEMES = [['auto', 'Auto'], ['light', 'Light'], ['dark', 'Dark']];

const keyField = (wrong = null) => html`<div class="field">
  <label for="key">API key</label>
  <input id="key" name="key" type="password" autocomplete="current-password" required autofocus spellcheck="false"
    aria-invalid=${wrong ? 'true' : 'false'} aria-describedby="key-hint">
  <p class="hint" id="key-hint">The first start of the service showed one. Another one: <code>./reprise key create NAME</code></p>
</div>`;

/** All that decides which pages and forms a session has. */
const rights = ({ scopes, operator, project }) => JSON.stringify([[...(scopes ?? [])].sort(), operator, project]);

class Shell extends LitElement {
  static properties = {
    session: { state: true },
    page: { state: true },
    open: { state: true },
    theme: { state: true },
    toasts: { state: true },
    wrong: { state: true },
    signingIn: { state: true },
    why: { state: true },
  };

  constructor() {
    super();
    this.session = null;
    this.page = null;
    this.open = false;
    this.toasts = [];
    this.theme = document.documentElement.dataset.theme || 'auto';
    this.wrong = null;
    this.signingIn = false;
    this.declined = false;
    this.why = '';
    this.visits = 0;
    this.app = {
      tell: (text, bad = false) => this.tell(text, bad),
      go: router.go,
      can: (scope) => this.can(scope),
      reload: () => this.show(new URL(location.href)),
    };
    Object.defineProperty(this.app, 'session', { get: () => this.session });
  }

  createRenderRoot() {
    return this;
  }

  async connectedCallback() {
    super.connectedCallback();
    api.whenSignedOut((change) => this.ended(change));
    router.start((url) => this.show(url));
    try {
      this.session = await api.get('/console/session');
      if (this.session.signedIn) endings.remember(this.session);
      else this.why = endings.sinceLoaded(this.session);
    } catch (error) {
      this.wrong = error;
      this.session = { signedIn: false };
    }
    if (this.session.signedIn) this.begin();
  }

  /** Shows the page that was asked for, to a user who has just signed in. */
  async begin() {
    try {
      await projects.load(this.session);
    } catch {
      // The page says why the service does not answer.
    }
    await this.show(new URL(location.href));
  }

  /**
   * The session is over. A form that is open stays with what was typed, and the sign-in comes over it; once that was declined,
   * only what the user does asks again, and not what the page behind looks for by itself.
   */
  async ended(change) {
    const old = this.session;
    if (!document.querySelector('dialog[open]')) {
      this.session = { signedIn: false };
      this.page = null;
      if (old?.signedIn) this.why = await endings.whileOpen(old);
      return;
    }
    if (this.signingIn || (this.declined && !change)) return;
    this.signingIn = true;
    const why = await endings.whileOpen(old);
    const session = await openDialog({
      title: 'Sign in again',
      confirm: 'Sign in',
      body: html`<p>${why} What was typed stays in the form behind.</p>${keyField()}`,
      action: (form) => api.post('/console/session', { key: form.get('key').trim() }),
    });
    this.signingIn = false;
    this.declined = !session;
    if (!session) return;
    this.session = session;
    endings.remember(session);
    if (rights(session) === rights(old)) return;
    // The form was for another key, which may have seen and done other things.
    document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close());
    this.begin();
  }

  can(scope) {
    const scopes = this.session?.scopes || [];
    return scopes.includes(scope) || (scope === 'read' && scopes.includes('manage'));
  }

  tell(text, bad) {
    const toast = { text, bad };
    this.toasts = [...this.toasts, toast];
    setTimeout(() => {
      this.toasts = this.toasts.filter((each) => each !== toast);
    }, bad ? 12000 : 5000);
  }

  /** Shows the page of a URL, once its module is there. */
  async show(url) {
    const visit = ++this.visits;
    this.open = false;
    const { page, params } = router.match(url);
    if (!this.can('read')) {
      this.page = { name: '', title: 'Publish', content: this.publishOnly(), visit };
      document.title = 'Publish · Reprise';
      return;
    }
    const complete = projects.arrive(url, page);
    if (complete.href !== location.href) history.replaceState(null, '', complete);
    let shown;
    try {
      const module = page ? await pageModule(page) : null;
      if (visit !== this.visits) return;
      shown = module
        ? { name: page, title: typeof module.title === 'function' ? module.title(params) : module.title, content: module.render(params, this.app) }
        : { name: '', title: 'Not found', content: missing('There is no such page', 'The address may be mistyped, or from another version.', html`<a class="button" href="./">Go to the overview</a>`) };
    } catch (error) {
      if (visit !== this.visits) return;
      shown = { name: page, title: 'Error', content: failedPage(error, () => this.show(url)) };
    }
    const first = !this.page;
    this.page = { ...shown, visit };
    document.title = `${shown.title} · Reprise`;
    if (!first) {
      await this.updateComplete;
      scrollTo(0, 0);
      this.querySelector('main')?.focus({ preventScroll: true });
    }
  }

  /** What there is for a key that may not look at anything. */
  publishOnly() {
    const { project } = this.session;
    return missing(
      'This key can only publish',
      html`It sends messages to topics${project ? html` of project <b>${project}</b>` : nothing} by the API and by <code>./reprise publish</code>; a key that may read shows pages here.`,
    );
  }

  use(theme) {
    this.theme = theme;
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem('reprise-theme', theme);
    } catch {
      // Storage may be refused; the choice holds until the page is loaded anew.
    }
    dispatchEvent(new Event('reprise-theme'));
  }

  async signIn(event) {
    event.preventDefault();
    const form = event.target;
    this.signingIn = true;
    this.wrong = null;
    try {
      this.session = await api.post('/console/session', { key: form.elements.key.value.trim() });
      form.reset();
      this.why = '';
      endings.remember(this.session);
      await this.begin();
    } catch (error) {
      this.wrong = error;
      form.elements.key.select();
    } finally {
      this.signingIn = false;
    }
  }

  async signOut() {
    try {
      await api.del('/console/session');
    } finally {
      this.session = { signedIn: false };
      this.page = null;
      this.why = 'You have signed out.';
      endings.remember(null);
    }
  }

  render() {
    if (!this.session) return nothing;
    return this.session.signedIn ? this.frame() : this.door();
  }

  door() {
    return html`<main class="sign-in">
      <form @submit=${this.signIn}>
        <h1 class="brand"><img src="console/mark.svg" alt="">Reprise</h1>
        ${this.why ? html`<p role="status" id="why">${this.why}</p>` : nothing}
        ${keyField(this.wrong)}
        ${this.wrong ? failure(this.wrong) : nothing}
        <button class="primary" ?disabled=${this.signingIn}>Sign in</button>
      </form>
    </main>`;
  }

  frame() {
    return html`<a class="skip" href="#main" @click=${this.skip}>Skip to the content</a>
      <div class="frame">
        <div class="side ${this.open ? 'is-open' : ''}">
          <header class="top">
            <a class="brand" href="./"><img src="console/mark.svg" alt="">Reprise</a>
            ${this.can('read') ? html`<button class="menu slim" aria-expanded=${this.open ? 'true' : 'false'} aria-controls="navigation" @click=${() => (this.open = !this.open)}>Menu</button>` : nothing}
          </header>
          ${this.projects()}
          ${this.can('read') ? html`<nav id="navigation" aria-label="Pages">${SECTIONS.map(([heading, links]) => this.section(heading, links))}</nav>` : nothing}
          ${this.footer()}
        </div>
        <main id="main" tabindex="-1">${this.page ? keyed(this.page.visit, this.page.content) : loading()}</main>
      </div>
      <div class="toasts" role="status" aria-live="polite">
        ${this.toasts.map((each) => html`<p class="toast">${each.bad ? html`<b>That did not work:</b> ` : nothing}${each.text}</p>`)}
      </div>`;
  }

  /** An operator of several projects chooses here whose topics and deliveries all pages show. */
  projects() {
    if (!projects.all().length) return nothing;
    return html`<div class="project"><label for="project">Project</label>
      <select id="project" @change=${(event) => this.choose(event.target.value)}>
        ${['', ...projects.all()].map((name) => html`<option value=${name} ?selected=${name === projects.current()}>${name || 'All projects'}</option>`)}
      </select></div>`;
  }

  /** What is shown may be of the other project alone: its lists are shown of this one, and anything else is left. */
  choose(name) {
    projects.choose(name);
    const url = new URL(location.href);
    const { page, params } = router.match(url);
    const list = page && Object.keys(params).every((each) => url.searchParams.has(each));
    router.go(list && (name || page === 'overview') ? url.pathname + (name ? `?project=${encodeURIComponent(name)}` : '') : './');
  }

  section(heading, links) {
    return html`${heading ? html`<h2>${heading}</h2>` : nothing}
      <ul>
        ${links.map(
          ([text, url, pages]) =>
            html`<li><a href=${url} aria-current=${pages.includes(this.page?.name) ? 'page' : nothing}>${text}</a></li>`,
        )}
      </ul>`;
  }

  footer() {
    const session = this.session;
    return html`<footer>
      <div class="segments" role="group" aria-label="Theme">
        ${THEMES.map(([name, text]) => html`<button aria-pressed=${this.theme === name ? 'true' : 'false'} @click=${() => this.use(name)}>${text}</button>`)}
      </div>
      ${session.dev
        ? html`<p>Dev mode: no sign-in needed.</p>`
        : html`<p class="break">Signed in as <b>${session.name}</b>${session.project ? html`, project <b>${session.project}</b>` : nothing}</p>
            <p><button class="slim" @click=${this.signOut}>Sign out</button></p>`}
    </footer>`;
  }

  skip(event) {
    event.preventDefault();
    this.querySelector('main').focus();
  }
}

customElements.define('reprise-console', Shell);
