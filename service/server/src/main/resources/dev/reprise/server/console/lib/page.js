// What all pages are made of: an element without a shadow, so that console.css holds in it.
import { LitElement, html } from 'lit';
import { failedPage, loading } from './parts.js';

export class Page extends LitElement {
  static properties = {
    params: { attribute: false },
    app: { attribute: false },
    failure: { state: true },
    ready: { state: true },
  };

  constructor() {
    super();
    this.failure = null;
    this.ready = false;
    this.endings = [];
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.ending = new AbortController();
    this.refresh();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.ending.abort();
    this.endings.splice(0).forEach((end) => end());
  }

  /** Calls `end` when the page goes. */
  untilGone(end) {
    if (this.isConnected) this.endings.push(end);
    else end();
  }

  /** Calls `work` again and again, while the page is there and is looked at. */
  every(millis, work) {
    const timer = setInterval(() => document.hidden || work(), millis);
    this.untilGone(() => clearInterval(timer));
  }

  get signal() {
    return this.ending.signal;
  }

  /** Loads what the page shows. Pages implement `load`. */
  async refresh() {
    try {
      await this.load();
      this.failure = null;
      this.ready = true;
    } catch (error) {
      if (error.name !== 'AbortError') this.failure = error;
    }
    this.requestUpdate();
  }

  async load() {}

  /** Does something for the user; a failure is told. */
  async attempt(work, done) {
    try {
      const result = await work();
      if (done) this.app.tell(typeof done === 'function' ? done(result) : done);
      return result;
    } catch (error) {
      if (error.name !== 'AbortError') this.app.tell(error.message, true);
      return undefined;
    }
  }

  render() {
    if (this.failure && !this.ready) return failedPage(this.failure, () => this.refresh());
    return this.ready ? this.view() : loading();
  }

  view() {
    return html``;
  }
}
