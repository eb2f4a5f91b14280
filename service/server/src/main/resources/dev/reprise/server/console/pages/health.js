// The figures of an endpoint over time: the answer of GET /v1/subscriptions/{id}/minutes, drawn and as a table.
import { html, nothing } from 'lit';
import { colour, faded } from '../lib/plot.js';
import { count, exact, rough, span, time } from '../lib/text.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Ranges that can be looked at: how far back, in steps of how long, a mark each so long, seen anew after how long. */
export const RANGES = {
  '1h': { text: '1 h', words: 'hour', millis: HOUR, step: '1m', stepMillis: MINUTE, mark: 10 * MINUTE, again: 5000 },
  '24h': { text: '24 h', words: '24 hours', millis: DAY, step: '5m', stepMillis: 5 * MINUTE, mark: 3 * HOUR, again: 30_000 },
  '7d': { text: '7 d', words: '7 days', millis: 7 * DAY, step: '1h', stepMillis: HOUR, mark: DAY, again: 60_000 },
};

// Outcomes by class: in the order that they are stacked in.
const OUTCOMES = [
  ['2xx', '2xx', '--stage-2'],
  ['ok', 'taken', '--stage-2'],
  ['3xx', '3xx', '--stage-1'],
  ['429', '429', '--stage-3'],
  ['retryable', 'retryable', '--stage-3'],
  ['4xx', '4xx', '--stage-4'],
  ['permanent', 'permanent', '--stage-4'],
  ['5xx', '5xx', '--bad'],
  ['timeout', 'no answer in time', '--warn'],
  ['connection', 'no connection', '--line-strong'],
  ['refused', 'refused by this service', '--ink-soft'],
];

/** One entry for each step of the range, with the minute's figures where there are any. */
export function slots(items, range, now = Date.now()) {
  const { stepMillis, millis } = RANGES[range];
  const known = new Map(items.map((each) => [new Date(each.at).getTime(), each]));
  const all = [];
  for (let at = Math.floor((now - millis) / stepMillis) * stepMillis + stepMillis; at <= now; at += stepMillis) {
    all.push({ at, figures: known.get(at) ?? null });
  }
  return all;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: '2-digit' });
const moment = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit', hour12: false });

function timeAxis(all, range, shown) {
  const { mark } = RANGES[range];
  const local = (at) => at - new Date(at).getTimezoneOffset() * MINUTE;
  return {
    type: 'category',
    grid: { display: false },
    ticks: {
      display: shown,
      autoSkip: false,
      maxRotation: 0,
      callback: (value) => (mark === DAY ? day : clock).format(all[value].at),
    },
    afterBuildTicks: (axis) => {
      // A narrow plot has room for fewer marks.
      const every = axis.width < 420 ? 2 : 1;
      axis.ticks = all.flatMap(({ at }, value) => (local(at) % (mark * every) === 0 ? [{ value }] : []));
    },
  };
}

// The share of a band next to another band that has no marks: those of two bands would be drawn over each other.
const ROOM = 0.14;

const rootSize = () => parseFloat(getComputedStyle(document.documentElement).fontSize);
// All plots begin at the same place, so that a moment is in one line through them.
const wide = (axis) => {
  axis.width = rootSize() * 3.7;
};
const band = (text) => ({ display: true, text, font: { size: Math.round(rootSize() * 0.65) } });

const tooltip = (all, label) => ({
  callbacks: { title: ([first]) => (first ? moment.format(all[first.dataIndex].at) : ''), label },
  filter: (item) => item.raw !== null && item.raw !== 0,
});

/** Latency, and under it how many attempts were allowed at the same time, and when the endpoint asked for silence. */
export function latencyConfig(all, range) {
  const { stepMillis } = RANGES[range];
  const latency = (name) => all.map(({ figures }) => figures?.latencyMillis?.[name] || null);
  const line = (label, name, stroke, more = {}) => ({ type: 'line', label, data: latency(name), yAxisID: 'latency', borderColor: stroke, backgroundColor: stroke, tension: 0, spanGaps: false, pointRadius: lonely(latency(name)), ...more });
  return {
    data: {
      labels: all.map(({ at }) => at),
      datasets: [
        line('longest', 'max', faded('--ink-soft', 0.6), { borderWidth: 1, borderDash: [2, 3] }),
        line('p99', 'p99', colour('--stage-4')),
        line('p50', 'p50', colour('--stage-1')),
        {
          type: 'line', label: 'limit', data: all.map(({ figures }) => figures?.limit ?? null), yAxisID: 'limit', stepped: 'middle', fill: 'origin',
          borderColor: colour('--stage-2'), backgroundColor: faded('--stage-2', 0.18), borderWidth: 1,
        },
        {
          type: 'bar', label: 'asked for silence', data: all.map(({ figures }) => (figures?.pausedMillis ? Math.min(1, figures.pausedMillis / stepMillis) : null)), yAxisID: 'pause',
          backgroundColor: colour('--stage-3'), barPercentage: 1, categoryPercentage: 1, minBarLength: 2,
        },
      ],
    },
    options: {
      scales: {
        x: { ...timeAxis(all, range, true), offset: true },
        // The axes are stacked from the bottom.
        pause: { stack: 'bands', stackWeight: 1.7, min: 0, max: 1, afterFit: wide, grid: { display: false }, ticks: { display: false }, title: band('silence') },
        limit: { stack: 'bands', stackWeight: 2.4, beginAtZero: true, suggestedMax: 2, afterFit: wide, grid: { display: false }, ticks: { maxTicksLimit: 3, precision: 0 }, title: band('limit'),
          // The highest limit keeps its mark.
          afterDataLimits: (axis) => {
            axis.max *= 1 + 2 * ROOM;
          },
          afterBuildTicks: (axis) => {
            axis.ticks = axis.ticks.filter(({ value }) => value <= axis.max * (1 - ROOM));
          },
        },
        latency: {
          stack: 'bands', stackWeight: 7, type: 'logarithmic', afterFit: wide,
          afterBuildTicks: (axis) => {
            const least = axis.min * (axis.max / axis.min) ** (ROOM / 2);
            const all = marks(axis.min, axis.max);
            const clear = all.filter((value) => value >= least);
            axis.ticks = (clear.length ? clear : all).map((value) => ({ value }));
          },
          ticks: { callback: (value) => span(value), autoSkip: false },
        },
      },
      plugins: {
        legend: { display: false },
        tooltip: tooltip(all, (item) => {
          if (item.dataset.yAxisID === 'pause') return `asked for silence: ${span(item.raw * stepMillis)}`;
          return `${item.dataset.label}: ${item.dataset.yAxisID === 'limit' ? exact(item.raw) : span(item.raw)}`;
        }),
      },
    },
  };
}

/** Marks of a logarithmic axis: 1, 2 and 5 of each decade, or of many decades the 1 alone. */
function marks(least, most) {
  const steps = most / least > 300 ? [1] : [1, 2, 5];
  const all = [];
  for (let decade = 10 ** Math.floor(Math.log10(least)); decade <= most; decade *= 10) {
    all.push(...steps.map((step) => step * decade).filter((value) => value >= least && value <= most));
  }
  return all;
}

// A value with nothing beside it is no line: it is drawn as a point.
const lonely = (values) => values.map((value, i) => (value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? 2.5 : 0));

/** The classes of outcomes that occur, as `[name, words, colour]`. */
export const occurring = (all) => OUTCOMES.filter(([name]) => all.some(({ figures }) => figures?.outcomes[name]));

/** Attempts by what came of them. */
export function outcomesConfig(all, range) {
  return {
    type: 'bar',
    data: {
      labels: all.map(({ at }) => at),
      datasets: occurring(all).map(([name, words, of]) => ({
        label: words, data: all.map(({ figures }) => figures?.outcomes[name] ?? null), backgroundColor: colour(of), barPercentage: 1, categoryPercentage: 0.92, stack: 'all',
      })),
    },
    options: {
      scales: { x: timeAxis(all, range, true), y: { stacked: true, beginAtZero: true, afterFit: wide, ticks: { maxTicksLimit: 4, precision: 0 } } },
      plugins: { legend: { display: false }, tooltip: tooltip(all, (item) => `${item.dataset.label}: ${exact(item.raw)}`) },
    },
  };
}

/** Deliveries that were pending at the end of each step. */
export function pendingConfig(all, range) {
  return {
    type: 'line',
    data: {
      labels: all.map(({ at }) => at),
      datasets: [{ label: 'pending', data: all.map(({ figures }) => figures?.pending ?? null), borderColor: colour('--accent'), backgroundColor: faded('--accent', 0.15), fill: 'origin', stepped: 'middle', spanGaps: false }],
    },
    options: {
      scales: { x: { ...timeAxis(all, range, true), offset: true }, y: { beginAtZero: true, suggestedMax: 2, afterFit: wide, ticks: { maxTicksLimit: 3, precision: 0 } } },
      plugins: { legend: { display: false }, tooltip: tooltip(all, (item) => `pending: ${exact(item.raw)}`) },
    },
  };
}

/** The range added up: `{attempts, delivered, retried, givenUp, pausedMillis, lowest, highest, p99}`. */
export function totals(all) {
  const sum = { attempts: 0, delivered: 0, retried: 0, givenUp: 0, pausedMillis: 0, least: null, most: null, p50: null, p99: null };
  let weighed = 0;
  for (const { figures } of all) {
    if (!figures) continue;
    for (const name of ['attempts', 'delivered', 'retried', 'givenUp', 'pausedMillis']) sum[name] += figures[name];
    if (figures.attempts) {
      sum.least = Math.min(sum.least ?? Infinity, figures.minLimit);
      sum.most = Math.max(sum.most ?? 0, figures.limit);
    }
    if (figures.latencyMillis) {
      weighed += figures.latencyMillis.p50 * figures.attempts;
      sum.p99 = Math.max(sum.p99 ?? 0, figures.latencyMillis.p99);
    }
  }
  if (sum.attempts) sum.p50 = weighed / sum.attempts;
  return sum;
}

/** The plots in words, for those who do not see them and those in a hurry. */
export function inWords(all, range) {
  const sum = totals(all);
  if (!sum.attempts && !sum.pausedMillis) return `Nothing was attempted in the last ${RANGES[range].words}.`;
  const said = [`In the last ${RANGES[range].words}: ${count(sum.attempts, 'attempt')}`];
  if (sum.attempts) said.push(`${rough((sum.delivered / sum.attempts) * 100)} % delivered`);
  if (sum.p99 !== null) said.push(`p99 at worst ${span(sum.p99)}`);
  if (sum.most !== null) said.push(sum.least === sum.most ? `limit ${exact(sum.most)}` : `limit between ${exact(sum.least)} and ${exact(sum.most)}`);
  if (sum.pausedMillis) said.push(`it asked for silence for ${span(sum.pausedMillis)}`);
  return `${said.join(', ')}.`;
}

/** The same figures as a table, newest first. */
export function healthTable(all) {
  const classes = occurring(all);
  const known = all.filter(({ figures }) => figures).reverse();
  return html`<div class="scroll tall" role="group" tabindex="0" aria-label="Figures of each step"><table id="minutes"><thead><tr><th scope="col">From</th><th scope="col" class="number">Attempts</th>
      ${classes.map(([, words]) => html`<th scope="col" class="number">${words}</th>`)}
      <th scope="col" class="number">p50</th><th scope="col" class="number">p99</th><th scope="col" class="number">Longest</th>
      <th scope="col" class="number">Limit</th><th scope="col" class="number">Silence</th><th scope="col" class="number">Pending</th></tr></thead>
    <tbody>${known.map(({ figures }) => html`<tr><th scope="row">${time(figures.at)}</th><td class="number">${exact(figures.attempts)}</td>
      ${classes.map(([name]) => html`<td class="number">${exact(figures.outcomes[name])}</td>`)}
      ${['p50', 'p99', 'max'].map((name) => html`<td class="number nowrap">${figures.latencyMillis ? span(figures.latencyMillis[name]) : nothing}</td>`)}
      <td class="number">${exact(figures.limit)}</td><td class="number nowrap">${figures.pausedMillis ? span(figures.pausedMillis) : nothing}</td><td class="number">${exact(figures.pending)}</td></tr>`)}</tbody>
  </table></div>`;
}
