// The effect of an outage, drawn and in words: the answer of POST /v1/preview/outage.
import { html, nothing } from 'lit';
import { colour, faded } from '../lib/plot.js';
import { exact, rough, span } from '../lib/text.js';
import { timeMarks } from './schedule.js';

const band = (seconds) => ({
  id: 'outage',
  beforeDatasetsDraw(chart) {
    const { left, right, top, bottom } = chart.chartArea;
    const end = Math.min(right, chart.scales.x.getPixelForValue(seconds * 1000));
    chart.ctx.fillStyle = faded('--bad', 0.08);
    chart.ctx.fillRect(left, top, end - left, bottom - top);
  },
});

/** What Chart.js draws: attempts a second, the backlog and what was given up, over time. */
export function outageConfig(forecast) {
  const series = (values) => [{ x: 0, y: values === forecast.attemptsPerSecond ? values[0] : 0 }].concat(values.map((y, i) => ({ x: (i + 1) * forecast.binSeconds * 1000, y })));
  const line = (label, values, ink, more = {}) => ({ type: 'line', label, data: series(values), borderColor: colour(ink), backgroundColor: faded(ink, 0.14), ...more });
  return {
    data: {
      datasets: [
        line('attempts a second', forecast.attemptsPerSecond, '--accent', { yAxisID: 'rate', stepped: 'after' }),
        line('messages that wait', forecast.backlog, '--warn', { fill: 'origin' }),
        ...(forecast.givenUp > 0 ? [line('given up so far', forecast.givenUpSoFar, '--bad')] : []),
      ],
    },
    options: {
      parsing: false,
      interaction: { mode: 'nearest', axis: 'x', intersect: false },
      scales: {
        x: { ...timeMarks(), type: 'linear', max: forecast.binSeconds * forecast.backlog.length * 1000, ticks: { callback: (value) => (value === 0 ? '0' : span(value)), maxRotation: 0 }, grid: { display: false } },
        y: { beginAtZero: true, title: { display: true, text: 'messages' }, ticks: { callback: exact, maxTicksLimit: 6 } },
        rate: { position: 'right', beginAtZero: true, grid: { display: false }, title: { display: true, text: 'attempts a second' }, ticks: { callback: rough, maxTicksLimit: 6 } },
      },
      plugins: {
        legend: { display: false },
        tooltip: { callbacks: { title: (items) => (items.length ? `${span(items[0].parsed.x)} after the outage began` : ''), label: (item) => `${item.dataset.label}: ${rough(item.parsed.y)}` } },
      },
    },
    plugins: [band(forecast.outageSeconds)],
  };
}

/** The figures, as a list. */
export function outageFigures(forecast) {
  const fact = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<ul class="sentences">${forecast.sentences.map((one) => html`<li>${one}</li>`)}</ul>
    <dl class="figures">
      ${fact('published', exact(forecast.published))}
      ${fact('delivered', exact(forecast.delivered))}
      ${fact('given up', html`<span class=${forecast.givenUp > 0 ? 'bad' : nothing}>${exact(forecast.givenUp)}</span>`)}
      ${fact('backlog gone', forecast.lastDeliverySeconds === null ? 'never delivered' : html`${span(forecast.lastDeliverySeconds * 1000)} <small>after it</small>`)}
      ${fact('attempts each', html`${forecast.attempts.toLocaleString('en', { maximumSignificantDigits: 3 })} <small>at most ${exact(forecast.mostAttempts)}</small>`)}
      ${fact('busiest', html`${rough(Math.max(...forecast.attemptsPerSecond))} <small>attempts a second</small>`)}
    </dl>`;
}
