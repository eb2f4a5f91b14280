// The dialog in which a carrier is created or changed: its fields are those of the kind's JSON Schema.
import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { openDialog } from '../lib/dialog.js';
import { field } from '../lib/parts.js';

const number = (text) => (text.trim() === '' ? undefined : /^\d+$/.test(text.trim()) ? Number(text) : text.trim());
const isLong = (name, node) => node.type === 'string' && /\bPEM\b/.test(node.description ?? '');

function typeOf(node) {
  if (node.enum) return 'choice';
  return Array.isArray(node.type) ? node.type[0] : node.type ?? 'string';
}

class Form {
  constructor(types, before) {
    this.types = types;
    this.before = before;
    this.type = types.find((one) => one.name === before?.type) ?? types[0];
    this.violations = [];
    this.failed = false;
  }

  wrong(name) {
    return this.violations.filter((one) => one.field === name || one.field.startsWith(`${name}[`)).map((one) => one.rule).join('; ');
  }

  view(update) {
    const { before, type } = this;
    return html`
      ${before
        ? nothing
        : html`<div class="fields">
            ${field('Name', html`<input id="carrier-name" name="name" required autofocus autocomplete="off" spellcheck="false" aria-invalid=${this.wrong('name') ? 'true' : 'false'}>`, { id: 'carrier-name', wrong: this.wrong('name') })}
            ${field('Kind', html`<select id="carrier-type" name="type" @change=${(event) => {
              this.type = this.types.find((one) => one.name === event.target.value);
              update();
            }}>${this.types.map((one) => html`<option value=${one.name} ?selected=${one === type}>${one.name}: ${one.protocols.join(', ')}</option>`)}</select>`, { id: 'carrier-type' })}
          </div>`}
      <p class="soft">${type.settings.description ?? nothing}</p>
      ${this.entries(true).map(([name, node]) => this.setting(name, node))}
      <details class="more" ?open=${this.violations.length > 0}><summary>More settings</summary><div class="stack tight">
        ${this.entries(false).map(([name, node]) => this.setting(name, node))}
        <div class="fields">
          ${field('Attempts at the same time', html`<input id="max-in-flight" name="maxInFlight" inputmode="numeric" placeholder=${type.defaultInFlight} .value=${before?.maxInFlight ?? ''} autocomplete="off">`, { id: 'max-in-flight', wrong: this.wrong('maxInFlight') })}
          ${field('Attempts per second', html`<input id="max-per-second" name="maxPerSecond" inputmode="numeric" placeholder="no limit" .value=${before?.maxPerSecond ?? ''} autocomplete="off">`, { id: 'max-per-second', wrong: this.wrong('maxPerSecond') })}
        </div></div></details>
      ${this.failed || before ? html`<label class="check"><input type="checkbox" name="unchecked">Keep it even if it does not work now</label>` : nothing}
      <p class="hint">It connects and logs in before it is kept.</p>`;
  }

  /** The fields that most will fill in stand first, the others are folded. */
  entries(first) {
    const { required = [], properties } = this.type.settings;
    const usual = ['username', 'password', 'systemId', 'from', 'security', 'tls', 'secretAccessKey', 'accountId'];
    return Object.entries(properties).filter(([name]) => first === (required.includes(name) || usual.includes(name)));
  }

  setting(name, node) {
    const id = `carrier-${name}`;
    const wrong = this.wrong(name) || this.wrong(`settings.${name}`);
    const required = this.type.settings.required?.includes(name);
    const before = this.before?.settings[name];
    const type = typeOf(node);
    const described = node.description ? `${id}-hint` : nothing;
    const options = { id, hint: node.description ?? nothing, wrong };
    const invalid = wrong ? 'true' : 'false';
    if (type === 'boolean') {
      return html`<div class="field"><label class="check" for=${id}><input type="checkbox" id=${id} name="set.${name}" .checked=${before ?? node.default ?? false} aria-describedby=${described}>${name}</label>
        <p class="hint" id="${id}-hint">${node.description}</p>${wrong ? html`<p class="wrong">${wrong}</p>` : nothing}</div>`;
    }
    if (type === 'choice') {
      return field(name, html`<select id=${id} name="set.${name}" aria-describedby=${described} aria-invalid=${invalid}>
        ${node.enum.map((one) => html`<option value=${one} ?selected=${one === (before ?? node.default)}>${one}</option>`)}</select>`, options);
    }
    if (node.writeOnly) {
      const set = before?.set;
      return field(name, html`<input type="password" id=${id} name="set.${name}" autocomplete="new-password" ?required=${required && !set} placeholder=${set ? 'is set, and never shown: empty keeps it' : nothing} aria-describedby=${described} aria-invalid=${invalid}>`, options);
    }
    if (isLong(name, node)) {
      return field(name, html`<textarea id=${id} name="set.${name}" class="short" spellcheck="false" .value=${before ?? ''} aria-describedby=${described} aria-invalid=${invalid}></textarea>`, options);
    }
    const text = Array.isArray(before) ? before.join(', ') : String(before ?? '');
    return field(name, html`<input id=${id} name="set.${name}" autocomplete="off" spellcheck="false" ?required=${required} .value=${text} placeholder=${node.default === undefined ? nothing : String(node.default)} aria-describedby=${described} aria-invalid=${invalid}>`, {
      ...options,
      hint: type === 'array' ? html`${node.description} Several with commas.` : options.hint,
    });
  }

  read(form) {
    const settings = {};
    for (const [name, node] of Object.entries(this.type.settings.properties)) {
      const type = typeOf(node);
      const text = (form.get(`set.${name}`) ?? '').trim();
      const before = this.before?.settings[name];
      let value;
      if (type === 'boolean') value = form.has(`set.${name}`);
      else if (type === 'array') value = text ? text.split(',').map((one) => one.trim()).filter(Boolean) : undefined;
      else if (type === 'integer' || type === 'number') value = number(text);
      else value = text || undefined;
      if (this.before) {
        if (node.writeOnly && value === undefined) continue;
        if (JSON.stringify(value ?? node.default) === JSON.stringify(before ?? node.default)) continue;
        settings[name] = value ?? null;
      } else if (value !== undefined && JSON.stringify(value) !== JSON.stringify(node.default)) {
        settings[name] = value;
      }
    }
    const carrier = { settings };
    const inFlight = number(form.get('maxInFlight'));
    const perSecond = number(form.get('maxPerSecond'));
    if (inFlight !== undefined && inFlight !== this.before?.maxInFlight) carrier.maxInFlight = inFlight;
    if (perSecond !== this.before?.maxPerSecond) carrier.maxPerSecond = perSecond ?? 0;
    return carrier;
  }

  async sending(work) {
    this.violations = [];
    try {
      return await work();
    } catch (error) {
      this.violations = error.violations ?? [];
      this.failed = this.violations.some((one) => one.field === 'settings');
      setTimeout(() => document.querySelector('dialog [aria-invalid="true"]')?.focus());
      throw error;
    }
  }
}

const unchecked = (data) => (data.has('unchecked') ? '?unchecked=true' : '');

export async function newCarrier(app, types) {
  const form = new Form(types, null);
  const made = await openDialog({
    title: 'New carrier',
    wide: true,
    confirm: 'Create',
    body: ({ update }) => form.view(update),
    action: (data) => form.sending(() => api.post(`/v1/carriers${unchecked(data)}`, { name: data.get('name').trim(), type: data.get('type'), ...form.read(data) })),
  });
  if (made) app.tell(`${made.name} is created.`);
  return made;
}

export async function editCarrier(app, carrier, types) {
  const form = new Form(types, carrier);
  const changed = await openDialog({
    title: `Edit ${carrier.name}`,
    wide: true,
    body: ({ update }) => form.view(update),
    action: (data) => form.sending(() => api.patch(`${api.path`/v1/carriers/${carrier.name}`}${unchecked(data)}`, form.read(data))),
  });
  if (changed) app.tell(`${carrier.name} is changed.`);
  return changed;
}
