// Plots in the colours and type of the page. Chart.js is loaded by the first page that plots.

let loading = null;
const plots = new Set();

function library() {
  loading ??= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = import.meta.resolve('chart.js');
    script.onload = () => done(globalThis.Chart);
    script.onerror = () => {
      loading = null;
      failed(new Error('the library of plots could not be loaded'));
    };
    document.head.append(script);
  });
  return loading;
}

/** The value of a custom property of console.css, such as `--accent`. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The same colour, seen through: `share` is from 0 to 1. */
export function faded(name, share) {
  return `color-mix(in srgb, ${colour(name)} ${Math.round(share * 100)}%, transparent)`;
}

function applyDefaults(Chart) {
  const style = getComputedStyle(document.documentElement);
  Chart.defaults.font.family = style.getPropertyValue('--font').trim();
  Chart.defaults.font.size = Math.round(parseFloat(style.fontSize) * 0.75);
  Chart.defaults.color = colour('--ink-soft');
  Chart.defaults.borderColor = colour('--line');
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.responsive = true;
  Chart.defaults.elements.point.radius = 0;
  Chart.defaults.elements.point.hitRadius = 8;
  Chart.defaults.elements.line.borderWidth = 1.5;
  Chart.defaults.interaction = { mode: 'index', intersect: false };
  Chart.defaults.plugins.legend.align = 'start';
  Chart.defaults.plugins.legend.labels.boxWidth = 10;
  Chart.defaults.plugins.legend.labels.boxHeight = 2;
  Chart.defaults.plugins.tooltip.backgroundColor = colour('--ink');
  Chart.defaults.plugins.tooltip.titleColor = colour('--paper');
  Chart.defaults.plugins.tooltip.bodyColor = colour('--paper');
  Chart.defaults.plugins.tooltip.cornerRadius = 4;
  Chart.defaults.plugins.tooltip.padding = 8;
}

/**
 * Draws on a canvas. `config` is what Chart.js takes, or a function that makes it and reads colours
 * by `colour()`: that one is asked again when the theme changes. Resolves with
 * `{chart, update(), destroy()}`; destroy it when its page goes.
 */
export async function plot(canvas, config) {
  const Chart = await library();
  const make = typeof config === 'function' ? config : () => config;
  applyDefaults(Chart);
  const handle = {
    chart: new Chart(canvas, make()),
    update() {
      handle.chart.update('none');
    },
    redraw() {
      if (typeof config !== 'function') return;
      handle.chart.destroy();
      handle.chart = new Chart(canvas, make());
    },
    destroy() {
      plots.delete(handle);
      handle.chart.destroy();
    },
  };
  plots.add(handle);
  return handle;
}

function themeChanged() {
  if (!globalThis.Chart) return;
  applyDefaults(globalThis.Chart);
  plots.forEach((handle) => handle.redraw());
}

addEventListener('reprise-theme', themeChanged);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', themeChanged);
