// The axes of plots, as far as Chart.js does not find them itself: which are logarithmic, and ticks that people read.
const Axes = (function () {
  'use strict';
  const NO_BREAK = '\u00a0';
  const FONT = getComputedStyle(document.body).fontFamily;
  const NEVER = 'never';

  // Steps between the ticks of even time axes, in seconds.
  const TIME_STEPS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
  // Ticks of logarithmic axes, the first choice that fits: times that people have a word for, and leading digits.
  const TIMES = [
    [
      0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600,
      1200, 1800, 3600, 7200, 18000, 36000, 86400, 172800, 432000, 864000,
    ],
    [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 864000],
  ];
  const DIGITS = ['123456789', '1235', '125', '13', '1'];

  function colour(name, opacity) {
    const value = getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
    return opacity === undefined ? value : value + Math.round(opacity * 255).toString(16).padStart(2, '0');
  }

  function number(value) {
    const size = Math.abs(value);
    const digits = { maximumSignificantDigits: 3 };
    const text = (v, unit) => v.toLocaleString('en-US', digits) + unit;
    if (size >= 1e9) return text(value / 1e9, 'G');
    if (size >= 1e6) return text(value / 1e6, 'M');
    return size >= 1e4 ? text(value / 1e3, 'k') : text(value, '');
  }

  // All marks of an axis have the unit that suits its end.
  function time(seconds, highest) {
    if (seconds === 0) return '0';
    if (seconds < 1) return number(seconds * 1000) + NO_BREAK + 'ms';
    if (highest >= 3 * 3600) return number(seconds / 3600) + NO_BREAK + 'h';
    return highest >= 600 ? number(seconds / 60) + NO_BREAK + 'min' : number(seconds) + NO_BREAK + 's';
  }

  function alone(seconds) {
    const hours = seconds >= 3600 && seconds % 360 === 0;
    return time(seconds, hours ? 3 * 3600 : seconds >= 60 && seconds % 60 === 0 ? 600 : 1);
  }

  function shown(axis, value, highest) {
    if (axis.names) return axis.names[value];
    if (axis.unit === 's') return axis.log || axis.bare ? alone(value) : time(value, highest);
    return number(value) + (axis.unit && !axis.unit.startsWith('/') ? NO_BREAK : '') + axis.unit;
  }

  function short(name, most) {
    const letters = Array.from(name);
    const half = Math.floor(most / 2);
    return letters.length > most ? letters.slice(0, half).concat('\u2026', letters.slice(-half)).join('') : name;
  }

  // Whether the values of an axis lie so far apart that each step has to be a factor.
  function isLogarithmic(plot, key) {
    const axis = plot[key];
    const values = [axis.min, axis.max, axis.reach]
      .concat((plot.lines || []).flatMap((line) => line.points || []).flatMap((point) => (key === 'x' ? point[0] : point.slice(1))))
      .concat((plot.rows || []).flatMap((row) => (key === 'x' ? [row.low, row.high] : [])))
      .concat((plot.bubbles || []).map((bubble) => bubble[key]))
      .filter(Number.isFinite);
    const lowest = Math.min(...values);
    return axis.evenUpTo !== undefined && lowest > 0 && Math.max(...values) > axis.evenUpTo * lowest;
  }

  // Chart.js marks every step of a logarithmic axis; these are as many as can be read.
  function thinned(scale, timed, wanted) {
    const isRound = (value, digits) => Number(value.toPrecision(1)) === Number(value.toPrecision(9)) && digits.includes(value.toExponential()[0]);
    const choices = timed
      ? TIMES.map((times) => times.filter((one) => one >= scale.min && one <= scale.max).map((value) => ({ value })))
      : DIGITS.map((digits) => scale.ticks.filter((tick) => isRound(tick.value, digits)));
    return choices.find((ticks) => ticks.length <= wanted) || choices[choices.length - 1];
  }

  function evenTimes(scale, wanted) {
    const step = TIME_STEPS.find((one) => scale.max - scale.min >= one && (scale.max - scale.min) / one <= wanted);
    const times = step && Array.from({ length: Math.floor(scale.max / step) + 1 }, (_, i) => ({ value: i * step }));
    return times && times.filter((tick) => tick.value >= scale.min);
  }

  // What has no end stands in a room of its own behind the last tick.
  function addRoom(scale, plot) {
    const beyond = (share) => (plot.x.log ? scale.max * Math.pow(scale.max / scale.min, share) : scale.max + share * (scale.max - scale.min));
    plot.room = { from: scale.max, middle: beyond(0.09), to: beyond(0.18) };
    plot.endless.forEach((dot) => (dot.x = plot.room.middle));
    scale.ticks.push({ value: plot.room.middle });
    scale.max = plot.room.to;
  }

  function scale(plot, key) {
    const axis = plot[key];
    const horizontal = key === 'x';
    const rows = !horizontal && axis.names !== undefined;
    const timed = axis.unit === 's' && !axis.bare;
    const wanted = (scale) => Math.max(3, Math.floor(horizontal ? scale.width / 74 : scale.height / 34));
    return {
      type: axis.names ? 'category' : axis.log ? 'logarithmic' : 'linear',
      labels: axis.names,
      offset: axis.names !== undefined,
      min: axis.min,
      max: axis.max,
      suggestedMax: axis.reach,
      beginAtZero: !axis.log,
      grace: plot.bubbles ? '5%' : 0,
      grid: {
        display: !horizontal || rows,
        offset: false,
        drawTicks: horizontal,
        tickLength: 4,
        tickColor: colour('faint'),
        color: (context) => colour(!rows && context.tick && context.tick.value === context.scale.min ? 'faint' : 'grid'),
      },
      border: { display: horizontal && !rows, color: colour('faint') },
      beforeDataLimits: () => {
        if (horizontal) plot.endless.forEach((dot) => (dot.x = NaN));
      },
      // What lies at the ends of a logarithmic axis would be cut by them.
      afterDataLimits: (scale) => {
        if (axis.log && axis.min === undefined) scale.min /= 1.15;
        if (axis.log && axis.max === undefined && axis.reach === undefined) scale.max *= 1.15;
      },
      afterBuildTicks: (scale) => {
        if (axis.log) scale.ticks = thinned(scale, timed, Math.max(horizontal ? 4 : 5, wanted(scale)));
        else if (timed) scale.ticks = evenTimes(scale, wanted(scale)) || scale.ticks;
        if (horizontal && plot.endless.length) addRoom(scale, plot);
      },
      // Plots that stand one above the other begin at one place.
      afterFit: (scale) => {
        if (!horizontal) scale.width = Math.max(scale.width, 40);
      },
      ticks: {
        includeBounds: false,
        autoSkip: false,
        maxRotation: axis.names ? 50 : 0,
        padding: rows ? 8 : 4,
        maxTicksLimit: axis.names || axis.log || timed ? 100 : horizontal ? 6 : 5,
        color: colour(rows ? 'ink' : 'soft'),
        font: { size: 12, family: FONT },
        callback: function (value) {
          if (horizontal && plot.room && value === plot.room.middle) return NEVER;
          if (axis.names) return short(axis.names[value], rows ? 18 : Math.max(14, this.width / axis.names.length / 8));
          return axis.bare ? number(value) : shown(axis, value, this.max);
        },
      },
    };
  }

  return { NO_BREAK, FONT, NEVER, colour, number, alone, shown, short, isLogarithmic, scale };
})();

