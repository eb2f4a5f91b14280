// The dialog in which a subscription is created or changed.
import { html, nothing } from 'lit';
import * as api from '../lib/api.js';
import { openDialog } from '../lib/dialog.js';
import { field } from '../lib/parts.js';
import { whereTo } from './sentences.js';

const PROTOCOLS = {
  http: ['HTTP', 'URL', 'https://example.com/hook', 'It is posted to.'],
  sms: ['SMS', 'Phone number', '+4915112345678', 'With its country code.'],
  email: ['Email', 'Mailbox', 'orders@example.com', ''],
  queue: ['Queue or stream', 'Queue or topic', 'orders', 'Its name, as the carrier has it.'],
  function: ['Function', 'URL or name', 'https://example.com/function', 'A URL that takes CloudEvents, or a function of the carrier.'],
};

const FORMATS = {
  envelope: 'JSON with id, topic, time, attributes and body',
  raw: 'the body as it was published',
  cloudevents: 'CloudEvent, its attributes as headers',
  'cloudevents-structured': 'CloudEvent as one JSON object',
};

// A pause in typing after which a subscription is looked for, and how many are offered.
const TYPING_MILLIS = 250;
const TARGETS = 20;

// Text fields of an HTTP endpoint, and those that are never shown again.
const LOGIN = [
  ['username', 'User', ''],
  ['tokenUrl', 'Token URL', 'OAuth 2.0 client credentials'],
  ['clientId', 'Client', 'of the token URL'],
  ['scope', 'Scope', 'of the token URL'],
];
const SECRETS = [
  ['password', 'Password', 'of the user'],
  ['token', 'Bearer token', ''],
  ['clientSecret', 'Client secret', 'of the token URL'],
];
const PEM = [
  ['certificate', 'Client certificate (PEM)'],
  ['authority', 'Trusted authorities (PEM)'],
];

/** What was typed is no document; as if the API had said so. */
function refuse(name, rule) {
  throw new api.ApiFailure(400, `${name} ${rule}`, [{ field: name, rule }]);
}

function json(name, text) {
  if (!text.trim()) return null;
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    refuse(name, `is not JSON: ${error.message}`);
  }
  if (document === null || typeof document !== 'object' || Array.isArray(document)) refuse(name, 'must be a JSON object');
  return document;
}

function headers(text) {
  const all = {};
  for (const line of text.split('\n')) {
    if (!line.trim()) continue;
    const colon = line.indexOf(':');
    if (colon < 1) refuse('http.headers', `must have a colon in each line; "${line.trim()}" has none`);
    all[line.slice(0, colon).trim()] = line.slice(colon + 1).trim();
  }
  return Object.keys(all).length ? all : null;
}

function labels(text) {
  const all = {};
  for (const line of text.split('\n')) {
    if (!line.trim()) continue;
    const sign = line.indexOf('=');
    if (sign < 1) refuse('labels', `must have key=value in each line; "${line.trim()}" has no =`);
    const key = line.slice(0, sign).trim();
    if (Object.hasOwn(all, key)) refuse('labels', `must have each key once; "${key}" is there twice`);
    all[key] = line.slice(sign + 1).trim();
  }
  return Object.keys(all).length ? all : null;
}

const number = (text) => (text.trim() === '' ? null : /^\d+$/.test(text.trim()) ? Number(text) : text.trim());
const pretty = (document) => JSON.stringify(document, null, 2);
const sorted = (document) => document && Object.fromEntries(Object.entries(document).sort());
const same = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
const isHttp = (protocol) => protocol === 'http' || protocol === 'function';

/** How a subscription's own policy is chosen in the form: `['', null]`, `[preset, null]` or `['own', document]`. */
function policyOf(policy, presets) {
  const { throttlePolicy, ...rest } = policy ?? {};
  if (Object.keys(rest).length === 0) return ['', null];
  const preset = presets.find((one) => one.healthyRetryPolicy && sameFields({ healthyRetryPolicy: one.healthyRetryPolicy }, rest));
  return preset ? [preset.name, null] : ['own', rest];
}

function sameFields(one, other) {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => (one[name] && typeof one[name] === 'object' && other[name] ? sameFields(one[name], other[name]) : one[name] === other[name]));
}

class Form {
  constructor(before, { topic, topics, presets, carriers, types, insists = false }) {
    Object.assign(this, { before, topics, presets, carriers, types, insists });
    this.topic = topic ?? '';
    this.protocol = before?.protocol ?? 'http';
    [this.policy, this.own] = policyOf(before?.policy, presets);
    this.firstPolicy = this.policy;
    this.violations = [];
    this.found = [];
    this.update = () => {};
    this.seekTarget(before?.deadLetterTarget ?? '');
  }

  wrong(...names) {
    return this.violations
      .filter((one) => names.some((name) => one.field === name || one.field.startsWith(`${name}.`) || one.field.startsWith(`${name}[`)))
      .map((one) => (names.includes(one.field) ? one.rule : `${one.field}: ${one.rule}`))
      .join('; ');
  }

  /** A control with its label, its hint and what the API said about it. `names` are those of the API. */
  control(name, label, make, { hint = nothing, names = [name], narrow } = {}) {
    const id = `sub-${name.replaceAll('.', '-')}`;
    const wrong = this.wrong(...names);
    const described = [hint === nothing ? '' : `${id}-hint`, wrong ? `${id}-wrong` : ''].filter(Boolean).join(' ') || nothing;
    return field(label, make({ id, name, invalid: wrong ? 'true' : 'false', described }), { id, hint, wrong, narrow });
  }

  text(name, label, value, { placeholder = nothing, required = false, type = 'text', typed = nothing, list = nothing, ...more } = {}) {
    return this.control(name, label, (at) => html`<input id=${at.id} name=${name} type=${type} .value=${value ?? ''} placeholder=${placeholder} ?required=${required} @input=${typed} list=${list}
      autocomplete=${type === 'password' ? 'new-password' : 'off'} spellcheck="false" aria-invalid=${at.invalid} aria-describedby=${at.described}>`, more);
  }

  area(name, label, value, { placeholder = nothing, ...more } = {}) {
    return this.control(name, label, (at) => html`<textarea id=${at.id} name=${name} class="short" .value=${value ?? ''} placeholder=${placeholder} spellcheck="false" autocomplete="off"
      aria-invalid=${at.invalid} aria-describedby=${at.described}></textarea>`, more);
  }

  choice(name, label, value, options, { change, required = false, ...more } = {}) {
    return this.control(name, label, (at) => html`<select id=${at.id} name=${name} ?required=${required} aria-invalid=${at.invalid} aria-describedby=${at.described} @change=${change ?? nothing}>
      ${options.map(([one, text]) => html`<option value=${one} ?selected=${one === (value ?? '')}>${text}</option>`)}</select>`, more);
  }

  flag(name, label, value) {
    return html`<label class="check"><input type="checkbox" name=${name} .checked=${Boolean(value)}>${label}</label>`;
  }

  view(update) {
    this.update = update;
    const { before, protocol } = this;
    const [, endpoint, example, hint] = PROTOCOLS[protocol];
    return html`
      ${before ? nothing : html`<div class="fields">
        ${this.topics ? this.choice('topic', 'Topic', this.topic, [...(this.topic ? [] : [['', 'choose …']]), ...this.topics.map((one) => [one, one])], { required: true }) : nothing}
        ${this.choice('protocol', 'Kind of endpoint', protocol, Object.entries(PROTOCOLS).map(([name, [text]]) => [name, text]), {
          change: (event) => {
            this.protocol = event.target.value;
            update();
          },
        })}</div>`}
      ${this.text('endpoint', endpoint, before?.endpoint, { placeholder: example, required: true, hint: hint || nothing })}
      ${this.whose()}
      ${this.carrier()}
      ${this.area('filter', 'Filter (JSON)', before?.filter ? pretty(before.filter) : '', {
        placeholder: '{"type": ["order.created"]}',
        hint: 'Only messages whose attributes have one of these values. Empty: all messages.',
      })}
      ${this.retries(update)}
      ${this.limits()}
      ${isHttp(protocol) ? this.http() : nothing}`;
  }

  whose() {
    const now = this.before;
    const text = Object.entries(now?.labels ?? {}).map(([key, value]) => `${key}=${value}`).join('\n');
    return html`<div class="fields">
        ${this.text('name', 'Name', now?.name, { hint: 'For people. Like labels and customer, it is shown to everybody who may read: never a secret.' })}
        ${this.text('customer', 'Customer', now?.customer, { hint: 'The id of your customer whose endpoint it is.' })}
      </div>
      ${this.area('labels', 'Labels', text, { placeholder: 'team=billing', hint: 'One a line: key=value. Lists are filtered by them.' })}`;
  }

  carrier() {
    const fits = this.carriers.filter((one) => this.types.find((type) => type.name === one.type)?.protocols.includes(this.protocol) ?? true);
    const needed = !isHttp(this.protocol);
    if (!needed && fits.length === 0 && !this.before?.carrier) return nothing;
    const names = [...new Set([this.before?.carrier, ...fits.map((one) => one.name)].filter(Boolean))];
    return this.choice('carrier', 'Carrier', this.before?.carrier, [['', names.length || !needed ? (needed ? 'choose …' : 'none: straight to the URL') : 'there is none for it yet'], ...names.map((one) => [one, one])], {
      hint: needed ? 'What reaches the endpoint.' : 'A forward proxy.',
    });
  }

  retries(update) {
    const own = this.policy === 'own';
    const presets = this.presets.filter((one) => one.healthyRetryPolicy).map((one) => one.name);
    return html`<fieldset class="stack tight"><legend>Retries</legend>
      <div class="fields">
        ${this.choice('policy', 'Policy', this.firstPolicy, [['', "the topic's, or else the protocol's preset"], ...presets.map((one) => [one, `preset ${one}`]), ['own', 'its own …']], {
          names: own ? [] : ['policy'],
          hint: this.insists
            ? html`What is chosen here, the rate included, has no effect: topic ${this.before.topic} overrides it (<code>disableSubscriptionOverrides</code>, “Ignore Subscription Replace”).`
            : nothing,
          change: (event) => {
            this.policy = event.target.value;
            update();
          },
        })}
        ${this.text('throttle', 'Attempts per second', this.before?.policy?.throttlePolicy?.maxReceivesPerSecond, { placeholder: 'no limit of its own', names: ['policy.throttlePolicy'] })}
      </div>
      ${own
        ? this.area('policyDocument', 'Its own policy (JSON)', pretty(this.own ?? { healthyRetryPolicy: { numRetries: 10, minDelayTarget: 20, maxDelayTarget: 600, backoffFunction: 'exponential' } }), {
            names: ['policy'],
            hint: html`See what each field does in the <a href="policies" target="_blank">policy editor</a>, and copy the JSON from there.`,
          })
        : nothing}
    </fieldset>`;
  }

  limits() {
    const now = this.before;
    const names = ['format', 'lifetime', 'maxInFlight', 'deadLetters', 'deadLetterTarget', 'startSuspended', 'suspendWhenGone', 'shards'];
    return html`<details class="more" ?open=${names.some((name) => this.wrong(name))}><summary>Format, limits and dead letters</summary>
      <div class="stack tight">
        ${['sms', 'email'].includes(this.protocol) ? nothing : this.choice('format', 'Format', now?.format, [...(now ? [] : [['', 'the usual one']]), ...Object.entries(FORMATS).map(([name, text]) => [name, `${name}: ${text}`])])}
        <div class="fields">
          ${this.text('lifetime', 'Lifetime', now?.lifetime, { placeholder: 'for ever', hint: 'Such as 1h or P3D: how long a delivery may take, all waiting included.' })}
          ${this.text('maxInFlight', 'Attempts at the same time', now?.maxInFlight, { placeholder: 'the usual number', hint: '1 to 1000' })}
          ${now ? nothing : this.text('shards', 'Shards', '', { placeholder: '1', hint: 'More than one for a subscription that gets more than a shard can do. It stays so.' })}
          ${this.choice('deadLetters', 'What is given up is', now?.deadLetters ?? 'keep', [['keep', 'kept as a dead letter'], ['discard', 'discarded']])}
          ${this.text('deadLetterTarget', 'Dead letters go to', now?.deadLetterTarget, { placeholder: 'this subscription', hint: this.targetWords(), typed: (event) => this.seekTarget(event.target.value.trim(), TYPING_MILLIS), list: 'sub-targets' })}
          <datalist id="sub-targets">${this.found.map((one) => html`<option value=${one.id} label=${`${one.topic} · ${one.endpoint}`}></option>`)}</datalist>
        </div>
        ${now ? nothing : this.flag('startSuspended', 'Start suspended: hold what is published until it is released', false)}
        ${this.flag('suspendWhenGone', 'Suspend it when the endpoint answers 410 Gone', now?.suspendWhenGone)}
      </div></details>`;
  }

  /** Looks for subscriptions with a text in their id or endpoint, once it is typed. */
  seekTarget(text, pause = 0) {
    clearTimeout(this.seeking);
    this.target = text;
    this.sought = '';
    if (!text) return this.update();
    this.seeking = setTimeout(async () => {
      try {
        const { items } = await api.get(`/v1/subscriptions${api.query({ search: text, limit: TARGETS })}`);
        const exact = items.find((one) => one.id === text) ?? (await api.find(api.path`/v1/subscriptions/${text}`));
        if (this.target !== text) return;
        this.found = exact && !items.includes(exact) ? [exact, ...items] : items;
        this.sought = text;
        this.update();
      } catch {
        // The service says what is wrong with it when the form is sent.
      }
    }, pause);
    return undefined;
  }

  /** Whose dead letters they would become: one wrong id sends messages of one customer to another. */
  targetWords() {
    if (!this.target || this.sought !== this.target) return 'The id of another subscription.';
    const one = this.found.find((each) => each.id === this.target);
    return one ? html`It is <span class="break">${whereTo(one)}</span>.` : `There is no subscription ${this.target}.`;
  }

  http() {
    const now = this.before?.http ?? {};
    const set = Object.keys(now).filter((name) => !same(now[name], {}) && now[name] !== false && now[name]?.set !== false);
    const text = Object.entries(now.headers ?? {}).map(([name, value]) => `${name}: ${value}`).join('\n');
    const secret = ([name, label, hint]) => html`<div class="stack tight">${this.text(`http.${name}`, label, '', {
      type: 'password',
      placeholder: now[name]?.set ? 'is set, and never shown' : 'not set',
      hint: now[name]?.set ? 'Empty: it stays as it is.' : hint || nothing,
    })}${now[name]?.set ? this.flag(`remove.${name}`, 'Remove it', false) : nothing}</div>`;
    return html`<details class="more" ?open=${Boolean(this.wrong('http'))}><summary>Headers, login and TLS${set.length ? html` <span class="soft small">${set.join(', ')}</span>` : nothing}</summary>
      <div class="stack tight">
        ${this.area('http.headers', 'Headers', text, { placeholder: 'X-Tenant: blue', hint: 'One a line. They are shown to everybody who may read: a secret belongs into the fields below.' })}
        <div class="fields">
          ${LOGIN.slice(0, 1).map(([name, label, hint]) => this.text(`http.${name}`, label, now[name], { hint: hint || nothing }))}
          ${SECRETS.slice(0, 2).map(secret)}
          ${LOGIN.slice(1).map(([name, label, hint]) => this.text(`http.${name}`, label, now[name], { hint }))}
          ${SECRETS.slice(2).map(secret)}
        </div>
        ${PEM.map(([name, label]) => this.area(`http.${name}`, label, now[name]))}
        ${this.area('http.privateKey', 'Private key of the client certificate (PEM)', '', { placeholder: now.privateKey?.set ? 'is set, and never shown' : 'not set', hint: now.privateKey?.set ? 'Empty: it stays as it is.' : nothing })}
        ${now.privateKey?.set ? this.flag('remove.privateKey', 'Remove the private key', false) : nothing}
        ${this.flag('http.handshake', 'The endpoint must allow deliveries first (CloudEvents handshake)', now.handshake)}
        ${now.signingSecret?.set || !this.before ? nothing : html`<p class="hint">Signatures: "Sign …" on the page of the subscription, or <code>./reprise subscription sign ${this.before.id}</code></p>`}
      </div></details>`;
  }

  /** The whole settings as they stand in the form; null for what is empty. */
  read(form) {
    const text = (name) => (form.get(name) ?? '').trim() || null;
    const settings = {
      endpoint: text('endpoint'),
      name: text('name'),
      labels: sorted(labels(form.get('labels') ?? '')),
      customer: text('customer'),
      carrier: text('carrier'),
      filter: json('filter', form.get('filter') ?? ''),
      policy: this.readPolicy(form),
      lifetime: text('lifetime'),
      maxInFlight: number(form.get('maxInFlight') ?? ''),
      deadLetters: text('deadLetters'),
      deadLetterTarget: text('deadLetterTarget'),
      suspendWhenGone: form.has('suspendWhenGone'),
    };
    if (form.has('format')) settings.format = text('format');
    if (isHttp(this.protocol)) settings.http = this.readHttp(form, text);
    return settings;
  }

  readPolicy(form) {
    const throttle = number(form.get('throttle') ?? '');
    const limit = throttle === null ? {} : { throttlePolicy: { maxReceivesPerSecond: throttle } };
    if (this.policy === 'own') return { ...json('policy', form.get('policyDocument') ?? ''), ...limit };
    if (this.policy === '') return throttle === null ? null : limit;
    const { healthyRetryPolicy } = this.before?.policy ?? {};
    // As it was shown, so that nothing counts as changed.
    if (this.policy === this.firstPolicy && healthyRetryPolicy) return { healthyRetryPolicy, ...limit };
    return { preset: this.policy, ...limit };
  }

  readHttp(form, text) {
    const now = this.before?.http ?? {};
    const http = { headers: headers(form.get('http.headers') ?? '') };
    for (const [name] of [...LOGIN, ...PEM]) http[name] = text(`http.${name}`);
    http.handshake = form.has('http.handshake');
    for (const name of [...SECRETS.map(([one]) => one), 'privateKey']) {
      const value = form.get(`http.${name}`);
      if (value) http[name] = value;
      else if (form.has(`remove.${name}`)) http[name] = null;
    }
    // Only what differs is sent: a change of a field asks for the endpoint's address again.
    for (const name of Object.keys(http)) {
      const isSecret = http[name] === null ? now[name]?.set : false;
      const before = name === 'headers' && same(now.headers, {}) ? null : name === 'handshake' ? now.handshake ?? false : now[name];
      if (!isSecret && same(http[name], before)) delete http[name];
    }
    return http;
  }

  /** What `PATCH` is sent: the fields that differ. */
  change(form) {
    const settings = this.read(form);
    for (const name of Object.keys(settings)) {
      if (name === 'http' ? Object.keys(settings.http).length === 0 : same(settings[name], name === 'labels' ? sorted(this.before.labels) : this.before[name] === '' ? null : this.before[name])) delete settings[name];
    }
    return settings;
  }

  /** What `POST` is sent: the fields that have a value. */
  creation(form) {
    const settings = this.read(form);
    if (settings.http) {
      settings.http = Object.fromEntries(Object.entries(settings.http).filter(([, value]) => value !== null && value !== false));
      if (Object.keys(settings.http).length === 0) delete settings.http;
    }
    if (!settings.suspendWhenGone) delete settings.suspendWhenGone;
    const made = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
    const shards = number(form.get('shards') ?? '');
    return { ...made, protocol: this.protocol, ...(form.has('startSuspended') ? { startSuspended: true } : {}), ...(shards === null ? {} : { shards }) };
  }

  /** Shows each broken rule at its field. */
  async sending(work) {
    this.violations = [];
    try {
      return await work();
    } catch (error) {
      this.violations = error.violations ?? [];
      setTimeout(() => document.querySelector('dialog [aria-invalid="true"]')?.focus());
      throw error;
    }
  }
}

async function choices(app) {
  try {
    const [presets, carriers, types] = await Promise.all([api.get('/v1/presets'), api.get('/v1/carriers?limit=1000'), api.get('/v1/carrier-types')]);
    return { presets, carriers: carriers.items, types: types.items };
  } catch (error) {
    app.tell(error.message, true);
    return null;
  }
}

const told = (subscription) => (subscription.warnings?.length ? ` Note: ${subscription.warnings.join(' ')}` : '');

/** Creates a subscription. `topics` are to choose from; without them it is of `topic`. Resolves with it. */
export async function newSubscription(app, { topic, topics }) {
  const all = await choices(app);
  if (!all) return undefined;
  const form = new Form(null, { ...all, topic, topics });
  const made = await openDialog({
    title: topics ? 'New subscription' : `New subscription of ${topic}`,
    wide: true,
    confirm: 'Create',
    body: ({ update }) => form.view(update),
    action: (data) => form.sending(() => api.post(api.path`/v1/topics/${topics ? data.get('topic') : topic}/subscriptions`, form.creation(data))),
  });
  if (made) app.tell(`${made.id} is created.${told(made)}`);
  return made;
}

/** Changes a subscription. Resolves with it as it is then. */
export async function editSubscription(app, subscription) {
  const [all, before] = await Promise.all([choices(app), api.get(api.path`/v1/subscriptions/${subscription.id}`).catch((error) => app.tell(error.message, true))]);
  if (!all || !before) return undefined;
  // Whether what is chosen here will count; without an answer the API's warning says so afterwards.
  const topic = await api.find(api.path`/v1/topics/${before.topic}`).catch(() => null);
  const form = new Form(before, { ...all, insists: topic?.policy?.disableSubscriptionOverrides === true });
  const changed = await openDialog({
    title: `Edit ${before.id}`,
    wide: true,
    body: ({ update }) => form.view(update),
    action: (data) => form.sending(() => api.patch(api.path`/v1/subscriptions/${before.id}`, form.change(data))),
  });
  if (changed) app.tell(`${before.id} is changed.${told(changed)}`);
  return changed;
}
