// The schedule of a policy, drawn and as a table: the answer of POST /v1/preview.
import { html, nothing } from 'lit';
import { colour } from '../lib/plot.js';
import { exact, span } from '../lib/text.js';

/** Retries that are drawn one by one; of longer schedules the first. */
export const MAX_BARS = 300;

const STAGES = {
  immediate: ['immediate', '--stage-1'],
  minDelay: ['minimum delay', '--stage-2'],
  backoff: ['backoff', '--stage-3'],
  maxDelay: ['maximum delay', '--stage-4'],
};

export const stageName = (stage) => STAGES[stage]?.[0] ?? stage ?? '';
const stageColour = (stage) => STAGES[stage]?.[1] ?? '--accent';

/** Returns one point for each retry: `{retry, stage, delay, lowest, highest, cumulative}`, times in ms. */
export function points(preview) {
  const all = [];
  for (const row of preview.rows) {
    const times = row.times ?? MAX_BARS;
    // The sum at the end of a row is known; within it each retry adds its delay.
    const before = row.times === null ? row.cumulativeMillis - row.delayMillis : row.cumulativeMillis - row.delayMillis * row.times;
    for (let i = 0; i < times && all.length < MAX_BARS; i++) {
      all.push({
        retry: row.retry + i,
        stage: row.stage,
        delay: row.delayMillis,
        lowest: row.lowestMillis,
        highest: row.highestMillis,
        cumulative: before + row.delayMillis * (i + 1),
      });
    }
  }
  return all;
}

/** A span to the millisecond where that matters. */
export const delay = (millis) => (millis === 0 ? 'none' : millis < 60_000 && millis % 1000 !== 0 ? `${exact(millis / 1000)} s` : span(millis));

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000];

/** The part of an axis of milliseconds that puts marks at times that people count in. */
export const timeMarks = (wanted = 6) => ({
  beginAtZero: true,
  afterBuildTicks: (axis) => {
    const step = STEPS.find((one) => axis.max / one <= wanted) ?? Math.ceil(axis.max / wanted / 86_400_000) * 86_400_000;
    axis.ticks = Array.from({ length: Math.floor(axis.max / step) + 1 }, (_, i) => ({ value: i * step }));
  },
});

const mark = (millis) => (millis === 0 ? '0' : span(millis));

/** What Chart.js draws: the delay of each retry as a bar, and all of them together as a line. */
export function scheduleConfig(preview) {
  const all = points(preview);
  const jittered = all.some((one) => one.lowest !== one.highest);
  return {
    data: {
      labels: all.map((one) => one.retry),
      datasets: [
        {
          type: 'line',
          label: 'all delays together',
          data: all.map((one) => one.cumulative),
          yAxisID: 'sum',
          borderColor: colour('--ink-soft'),
          borderDash: [4, 3],
          stepped: 'middle',
          order: 0,
        },
        {
          type: 'bar',
          label: 'delay',
          data: all.map((one) => one.delay),
          backgroundColor: all.map((one) => colour(stageColour(one.stage))),
          minBarLength: 2,
          maxBarThickness: 28,
          order: 1,
        },
        ...(jittered
          ? [{ type: 'bar', label: 'range', data: all.map((one) => [one.lowest, one.highest]), backgroundColor: colour('--line'), maxBarThickness: 6, grouped: false, order: 0 }]
          : []),
      ],
    },
    options: {
      scales: {
        x: { title: { display: true, text: 'retry' }, grid: { display: false }, ticks: { maxRotation: 0, autoSkipPadding: 12 } },
        y: { ...timeMarks(), title: { display: true, text: 'delay' }, ticks: { callback: mark } },
        sum: { ...timeMarks(), position: 'right', title: { display: true, text: 'together' }, grid: { display: false }, ticks: { callback: mark } },
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: (items) => `retry ${items[0].label}${all[items[0].dataIndex].stage ? `, ${stageName(all[items[0].dataIndex].stage)}` : ''}`,
            label: (item) => {
              const one = all[item.dataIndex];
              if (item.dataset.label === 'range') return `from ${delay(one.lowest)} to ${delay(one.highest)}`;
              return `${item.dataset.label}: ${delay(item.parsed.y)}`;
            },
          },
        },
      },
    },
  };
}

/** The stages that occur, with their colours. */
export function stageKey(preview) {
  const stages = [...new Set(preview.rows.map((row) => row.stage).filter(Boolean))];
  return html`<p class="legend">
    ${stages.map((stage) => html`<span><i class="stage ${stage}"></i>${stageName(stage)}</span>`)}
    <span><i class="sum"></i>all delays together</span>
  </p>`;
}

/** How many attempts and how long, in one line. */
export function summary(preview) {
  if (preview.retries === null) return 'Attempts without end.';
  if (preview.retries === 0) return 'One attempt, and no retries.';
  const together = preview.totalDelayMillis === null ? '' : ` Gives up after ${delay(preview.totalDelayMillis)} of delays`;
  const most = preview.highestTotalMillis > preview.totalDelayMillis ? ` on average, ${delay(preview.highestTotalMillis)} at most` : '';
  return `${exact(preview.attempts)} attempts: the first, and ${exact(preview.retries)} retries.${together}${together ? `${most}.` : ''}`;
}

/** The same as a table, for those who read rather than look. */
export function scheduleTable(preview) {
  const staged = preview.rows.some((row) => row.stage);
  const jittered = preview.rows.some((row) => row.lowestMillis !== row.highestMillis);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Every delay"><table id="schedule-table">
    <thead><tr><th scope="col">retry</th>${staged ? html`<th scope="col">stage</th>` : nothing}<th scope="col">delay</th>
      ${jittered ? html`<th scope="col">range</th>` : nothing}<th scope="col">together</th></tr></thead>
    <tbody>${preview.rows.map((row) => html`<tr data-retry=${row.retry} data-stage=${row.stage ?? ''} data-delay-millis=${row.delayMillis} data-times=${row.times ?? ''}>
      <th scope="row">${row.times === 1 ? row.retry : row.times === null ? `${row.retry} and on` : `${exact(row.retry)}–${exact(row.retry + row.times - 1)}`}</th>
      ${staged ? html`<td><i class="stage ${row.stage}"></i>${stageName(row.stage)}</td>` : nothing}
      <td>${delay(row.delayMillis)}</td>
      ${jittered ? html`<td>${delay(row.lowestMillis)} – ${delay(row.highestMillis)}</td>` : nothing}
      <td>${row.times === null ? '' : delay(row.cumulativeMillis)}</td></tr>`)}</tbody>
  </table></div>`;
}
