// A form made of a JSON Schema: whatever the schema gains, the form has.
import { html, nothing } from 'lit';

/** Resolves references of schemas; `roots` are whole schemas by their `$id`. */
export class Schemas {
  constructor(...roots) {
    this.roots = new Map(roots.map((root) => [root.$id, root]));
    this.home = roots[0];
  }

  /** Returns a node without references; what stands beside a reference wins over what it refers to. */
  resolve(node, root = this.home) {
    const home = node.$id && this.byId(node.$id) ? this.byId(node.$id) : root;
    if (!node.$ref) return { ...node, home };
    const [file, pointer = ''] = node.$ref.split('#');
    const where = file ? this.byId(file) || home : home;
    const target = pointer.split('/').slice(1).reduce((at, part) => at?.[part.replaceAll('~1', '/')], where) ?? where;
    const { $ref, ...beside } = node;
    const found = this.resolve(target, where);
    // What the kind of value says goes on where the field says something of its own.
    const kindSays = beside.description ? found.description : found.kindSays;
    return { ...found, ...beside, kindSays, home: found.home };
  }

  byId(id) {
    for (const [known, root] of this.roots) if (known === id || known?.endsWith(`/${id}`)) return root;
    for (const root of this.roots.values()) {
      const inside = Object.values(root.$defs || {}).find((one) => one?.$id === id || one?.$id?.endsWith(`/${id}`));
      if (inside) return inside;
    }
    return null;
  }
}

// What a field is: how it is shown, and which values it takes.
function kindOf(schemas, node) {
  const all = (node.anyOf || node.oneOf || []).map((one) => schemas.resolve(one, node.home));
  const objects = all.filter((one) => one.type === 'object');
  if (all.length && all.every((one) => one.title && one.pattern)) return { kind: 'choice', values: all.map((one) => one.title), alternatives: all };
  if (node.const !== undefined || node.type === 'null') return { kind: 'none' };
  if (node.enum) return { kind: 'choice', values: node.enum };
  if (node.type === 'boolean') return { kind: 'flag' };
  if (node.type === 'integer' || node.type === 'number') return { kind: 'number' };
  if (node.type === 'object' && node.properties) return { kind: 'group', group: node };
  if (node.type === 'string') return { kind: 'text' };
  if (objects.length && objects.every((one) => one.properties?.type?.const !== undefined)) {
    const named = all.filter((one) => one.const !== undefined).map((one) => one.const);
    return { kind: 'variants', variants: objects, named };
  }
  if (objects.length) return { kind: 'group', group: objects[objects.length - 1] };
  if (all.length) return { kind: 'mixed', values: all.flatMap((one) => one.enum || (one.const !== undefined ? [one.const] : [])) };
  return { kind: 'text' };
}

/** Which of the values of a choice a document has, under whichever of its names. */
function chosenOf({ values, alternatives }, value) {
  if (typeof value !== 'string') return undefined;
  const byName = alternatives?.find((one) => new RegExp(one.pattern, 'u').test(value))?.title;
  return byName ?? values.find((one) => String(one).toLowerCase() === value.toLowerCase());
}

// No bound, for those who read.
const ENDLESS = 2 ** 31 - 2;

/** Which values a field takes, and what holds without one: `0 to 100; default 3`. */
function rangeOf(schemas, node, required) {
  const all = [node, ...(node.anyOf || node.oneOf || []).map((one) => schemas.resolve(one, node.home))];
  const bounded = all.find((one) => one.minimum !== undefined && one.maximum !== undefined);
  const range = bounded && (bounded.maximum < ENDLESS ? `${bounded.minimum} to ${bounded.maximum}` : `${bounded.minimum} or more`);
  const absent = required ? 'must be given' : node.default === undefined ? 'no default' : `default ${node.default}`;
  return [range, absent].filter(Boolean).join('; ');
}

/** A number where the text is one, otherwise the text; nothing when it is empty. */
function valueOf(text) {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** Returns a copy of a document with a field set, or removed when the value is undefined. */
export function withField(document, path, value) {
  const copy = { ...(document && typeof document === 'object' ? document : {}) };
  const [first, ...rest] = path;
  const next = rest.length ? withField(copy[first], rest, value) : value;
  if (next === undefined) delete copy[first];
  else copy[first] = next;
  return copy;
}

/**
 * The form of a document.
 *
 * @param state `{schemas, document, violations, change(document), told}`; `told` gets each violation that a field says
 * @param node the schema of the document, an object
 */
export function schemaForm(state, node) {
  return fields(state, state.schemas.resolve(node), [], state.document);
}

function fields(state, group, path, value) {
  const shown = Object.entries(group.properties).map(([name, node]) => field(state, group, name, node, path, value));
  return html`<div class="fields">${shown}</div>`;
}

function field(state, group, name, raw, path, parent) {
  if (raw === false || raw === true) return nothing;
  const node = state.schemas.resolve(raw, group.home);
  const { kind, values, group: inner, variants, named, alternatives } = kindOf(state.schemas, node);
  const here = [...path, name];
  const value = parent && typeof parent === 'object' ? parent[name] : undefined;
  const id = `f-${here.join('-')}`;
  const set = (next) => state.change(withField(state.document, here, next));
  const required = group.required?.includes(name);
  const wrong = state.violations.filter((one) => one.field === here.join('.'));
  // A field with a better place is shown there, but for a document that has it here.
  if (node.deprecated && value === undefined && wrong.length === 0) return nothing;
  const label = html`<span class="name">${name}${required ? html`<abbr title="must be given">*</abbr>` : nothing}</span>`;
  const simple = kind !== 'group' && kind !== 'variants';
  const words = [node.description, simple && node.kindSays].filter(Boolean).join(' ');
  const range = simple ? html`<span class="range">${rangeOf(state.schemas, node, required)}</span>` : nothing;
  const said = html`<p class="hint" id="${id}-s">${words} ${range}</p>
    ${wrong.map((one) => html`<p class="wrong" role="alert">${one.rule}</p>`)}`;
  const absent = node.default === undefined ? '' : String(node.default);
  const described = `${id}-s`;
  if (kind === 'none') return nothing;
  wrong.forEach((one) => state.told.add(one));
  if (kind === 'group' || kind === 'variants') {
    const asObject = value !== undefined && value !== null && typeof value === 'object';
    const types = variants?.map((one) => one.properties.type.const) || [];
    const choice = html`<select aria-label=${`${here.join('.')} type`} @change=${(event) => set(chosen(event.target.value, named))}>
      <option value="" ?selected=${value === undefined}>not set</option>
      ${(named || []).map((one) => html`<option value=${one} ?selected=${value === one}>${one}</option>`)}
      ${types.map((one) => html`<option value=${`type:${one}`} ?selected=${asObject && value.type === one}>${one}</option>`)}
    </select>`;
    const variant = variants?.find((one) => asObject && one.properties.type.const === value.type);
    const open = kind === 'group' ? inner : variant;
    return html`<fieldset class="group">
      <legend>${label} ${kind === 'variants'
        ? choice
        : html`<label class="check"><input type="checkbox" .checked=${asObject} @change=${(event) => set(event.target.checked ? {} : undefined)}> set</label>`}</legend>
      ${said}
      ${asObject && open ? fields(state, open, here, value) : nothing}
    </fieldset>`;
  }
  if (kind === 'flag') {
    return html`<div class="field"><label class="check" for=${id}>
      <input id=${id} type="checkbox" aria-describedby=${described} .checked=${value ?? node.default ?? false}
        @change=${(event) => set(event.target.checked === (node.default ?? false) ? undefined : event.target.checked)}>
      ${label}</label>${said}</div>`;
  }
  if (kind === 'choice') {
    const now = chosenOf({ values, alternatives }, value);
    const text = (one) => [one, alternatives && `(${alternatives.find((each) => each.title === one).description})`].filter(Boolean).join(' ');
    return html`<div class="field"><label for=${id}>${label}</label>
      <select id=${id} aria-describedby=${described} @change=${(event) => set(event.target.value || undefined)}>
        <option value="" ?selected=${value === undefined}>${absent ? `${absent} (default)` : 'not set'}</option>
        ${values.map((one) => html`<option value=${one} ?selected=${one === now}>${text(one)}</option>`)}
      </select>${said}</div>`;
  }
  const number = kind === 'number';
  return html`<div class="field"><label for=${id}>${label}</label>
    <input id=${id} aria-describedby=${described} aria-invalid=${wrong.length > 0} inputmode=${number ? 'decimal' : 'text'}
      type=${number ? 'number' : 'text'} step=${node.type === 'integer' ? '1' : 'any'}
      min=${node.minimum ?? nothing} max=${node.maximum ?? nothing} placeholder=${absent || nothing} autocomplete="off" spellcheck="false"
      list=${values?.length ? `${id}-l` : nothing} .value=${value === undefined || value === null ? '' : String(value)}
      @input=${(event) => set(node.type === 'string' ? event.target.value.trim() || undefined : valueOf(event.target.value))}>
    ${values?.length ? html`<datalist id="${id}-l">${values.map((one) => html`<option value=${one}></option>`)}</datalist>` : nothing}
    ${said}</div>`;
}

function chosen(choice, named) {
  if (choice === '') return undefined;
  return named?.includes(choice) ? choice : { type: choice.slice('type:'.length) };
}
