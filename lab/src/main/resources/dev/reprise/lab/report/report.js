// Has Chart.js draw the plots of the page, which stand in it as data, and switches the theme.
(function () {
  'use strict';
  const root = document.documentElement;
  const plots = JSON.parse(document.getElementById('plots').textContent);
  const NO_BREAK = '\u00a0';
  const FONT = getComputedStyle(document.body).fontFamily;

  // Marks of time axes, in seconds: even steps, and those of logarithmic axes that people have a word for.
  const TIME_STEPS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
  const TIMES = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 864000];
  const MORE_TIMES = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600,
    1200, 1800, 3600, 7200, 18000, 36000, 86400, 172800, 432000, 864000,
  ];

  // How lines are drawn; without an ink they take the colour of their policy.
  const LINES = {
    line: { borderWidth: 1.75 },
    area: { borderWidth: 1.75, fill: 'origin', opacity: 0.18 },
    served: { ink: 'ink', borderWidth: 1.25 },
    offered: { ink: 'soft', borderWidth: 1.5, borderDash: [1, 3] },
    capacity: { ink: 'soft', borderWidth: 1.5, borderDash: [6, 4] },
    ideal: { ink: 'soft', borderWidth: 1.5, borderDash: [1, 4], borderCapStyle: 'round' },
    back: { borderWidth: 1.75, borderDash: [5, 4] },
    whisker: { borderWidth: 3, borderCapStyle: 'round', stroke: 0.45 },
    low: { borderWidth: 0 },
    high: { borderWidth: 0, fill: '-1', opacity: 0.16 },
  };
  const COLOURS = 6;

  function colour(name, opacity) {
    const value = getComputedStyle(root).getPropertyValue('--' + name).trim();
    return opacity === undefined ? value : value + Math.round(opacity * 255).toString(16).padStart(2, '0');
  }

  function ofPolicy(index, opacity) {
    return colour('c' + (index % COLOURS), opacity);
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

  function shown(axis, value) {
    if (axis.unit === 's') return axis.log ? alone(value) : time(value, axis.high);
    const unit = axis.unit;
    return number(value) + (unit && !unit.startsWith('/') ? NO_BREAK : '') + unit;
  }

  function evenTimes(axis, wanted) {
    const length = axis.high - axis.low;
    const step = TIME_STEPS.find((one) => length / one <= wanted && length / one >= 1);
    if (!step) return null;
    const first = Math.ceil(axis.low / step);
    return Array.from({ length: Math.floor(axis.high / step) - first + 1 }, (_, i) => (first + i) * step);
  }

  function decades(axis, wanted) {
    const span = Math.log10(axis.high / axis.low);
    const every = Math.max(1, Math.ceil(span / wanted));
    const steps = span < 0.7 ? [1, 1.5, 2, 3, 4, 5, 7] : span * 3 <= wanted * 1.5 ? [1, 2, 5] : span * 2 <= wanted * 1.5 ? [1, 3] : [1];
    const marks = [];
    for (let power = Math.floor(Math.log10(axis.low)); power <= Math.log10(axis.high) + 1e-9; power += every) {
      steps.forEach((step) => marks.push(Number((step * Math.pow(10, power)).toPrecision(6))));
    }
    return marks;
  }

  // Returns the values of an axis that get a mark, or null where Chart.js finds them itself.
  function marks(axis, wanted) {
    const named = (axis.marks || []).map((mark) => mark[0]);
    if (named.length && axis.until === undefined) return named;
    let values = null;
    if (axis.unit === 's' && axis.log) {
      const within = MORE_TIMES.filter((one) => one >= axis.low && one <= axis.high);
      values = within.length <= wanted ? within : TIMES;
    } else if (axis.unit === 's') {
      values = evenTimes(axis, wanted);
    } else if (axis.log) {
      values = decades(axis, wanted);
    }
    if (!values && !named.length) return null;
    const until = axis.until === undefined ? axis.high * (1 + 1e-9) : axis.until;
    return (values || []).filter((one) => one >= axis.low * (1 - 1e-9) && one <= until).concat(named);
  }

  function scale(axis, horizontal) {
    const names = new Map(axis.marks || []);
    const rows = !horizontal && names.size > 0;
    return {
      type: axis.log ? 'logarithmic' : 'linear',
      min: axis.low,
      max: axis.high,
      grid: {
        display: !horizontal || rows,
        drawTicks: horizontal,
        tickLength: 4,
        tickColor: colour('faint'),
        color: (context) => colour(!rows && context.tick && context.tick.value === axis.low ? 'faint' : 'grid'),
      },
      border: { display: horizontal && !rows, color: colour('faint') },
      afterBuildTicks: (scale) => {
        const wanted = horizontal ? Math.max(3, Math.floor(scale.width / 74)) : Math.max(3, Math.floor(scale.height / 34));
        const values = marks(axis, wanted);
        if (values) scale.ticks = values.map((value) => ({ value }));
      },
      // Plots that stand one above the other begin at one place.
      afterFit: (scale) => {
        if (!horizontal) scale.width = Math.max(scale.width, 40);
      },
      ticks: {
        includeBounds: false,
        autoSkip: false,
        maxRotation: 0,
        padding: rows ? 8 : 4,
        maxTicksLimit: horizontal ? 6 : 5,
        color: colour(rows ? 'ink' : 'soft'),
        font: { size: 12, family: FONT },
        callback: (value) => (names.has(value) ? names.get(value) : shown(axis, value)),
      },
    };
  }

  // On a logarithmic axis, what is 0 lies at its lower end.
  function within(plot, x, y) {
    return { x: plot.x.log ? Math.max(x, plot.x.low) : x, y: plot.y.log ? Math.max(y, plot.y.low) : y };
  }

  // A bin lasts from edge to edge; its value stands in its middle, at the ends of a line also at the edge.
  function points(plot, line) {
    if (line.points) {
      // Only the last of the points before the axis begins says where the line enters.
      const entry = line.points.filter((point) => point[0] <= plot.x.low).length - 1;
      return line.points.slice(Math.max(0, entry)).map((point) => within(plot, point[0], point[1]));
    }
    const found = [];
    line.values.forEach((value, i) => {
      if (value !== null) found.push(within(plot, Math.min((i + 0.5) * line.bin, plot.x.high), value));
    });
    if (found.length) {
      const first = found[0];
      const last = found[found.length - 1];
      found.unshift({ x: Math.max(first.x - line.bin / 2, plot.x.low), y: first.y });
      found.push({ x: Math.min(last.x + line.bin / 2, plot.x.high), y: last.y });
    }
    return found;
  }

  function lineSet(plot, line) {
    const style = LINES[line.style];
    const set = Object.assign({}, style, {
      label: line.name,
      data: points(plot, line),
      borderColor: style.ink ? colour(style.ink) : ofPolicy(line.policy, style.stroke),
      backgroundColor: style.opacity ? ofPolicy(line.policy, style.opacity) : 'transparent',
      pointRadius: 0,
      borderJoinStyle: 'round',
      order: 2,
    });
    if (line.policy >= COLOURS && !set.borderDash) set.borderDash = [8, 3];
    return set;
  }

  function dotSet(plot, dot) {
    const hollow = dot.style === 'hollow' || (dot.style === 'dot' && dot.policy >= COLOURS);
    const bubble = dot.style === 'bubble';
    return {
      data: [Object.assign(within(plot, dot.x, dot.y), { title: dot.name })],
      showLine: false,
      pointRadius: dot.radius,
      pointHoverRadius: dot.radius,
      pointHitRadius: dot.name ? 6 : 0,
      pointBorderWidth: hollow ? 2 : bubble ? 1.5 : 0,
      pointBorderColor: ofPolicy(dot.policy),
      pointBackgroundColor: hollow ? colour('paper') : ofPolicy(dot.policy, bubble ? 0.55 : 1),
      clip: false,
      order: 1,
    };
  }

  function barSet(plot) {
    const data = [];
    plot.bars.forEach((bar) => {
      const corner = (x, y) => Object.assign(within(plot, x, y), { title: bar.name, from: bar.from, to: bar.to });
      data.push(corner(bar.from, 0), corner(bar.from, bar.height), corner(bar.to, bar.height), corner(bar.to, 0));
    });
    return {
      data,
      pointRadius: 0,
      fill: 'origin',
      borderWidth: 0.5,
      borderColor: colour('paper'),
      backgroundColor: ofPolicy(plot.bars[0].policy, 0.8),
    };
  }

  // Of each line the point that is nearest across; of bars the one below the pointer.
  Chart.Interaction.modes.each = function (chart, event) {
    const at = chart.scales.x.getValueForPixel(event.x);
    const items = [];
    chart.getSortedVisibleDatasetMetas().forEach((meta) => {
      const data = chart.data.datasets[meta.index].data;
      const bars = data.length > 0 && data[0].from !== undefined;
      let best = -1;
      meta.data.forEach((element, i) => {
        const apart = Math.abs(element.x - event.x);
        const fits = !bars || (data[i].from <= at && at <= data[i].to);
        if (fits && (best < 0 || apart < Math.abs(meta.data[best].x - event.x))) best = i;
      });
      if (best >= 0) items.push({ element: meta.data[best], datasetIndex: meta.index, index: best });
    });
    return items;
  };

  function tooltip(plot) {
    const titled = (item) => item.raw && item.raw.title;
    return {
      animation: false,
      displayColors: false,
      backgroundColor: colour('paper'),
      titleColor: colour('ink'),
      bodyColor: colour('ink'),
      borderColor: colour('faint'),
      borderWidth: 1,
      cornerRadius: 4,
      filter: (item, index, items) =>
        titled(item)
          ? items.findIndex((other) => titled(other) === titled(item)) === index
          : Boolean(item.dataset.label) && !items.some(titled),
      callbacks: {
        title: (items) => (items.length && !titled(items[0]) ? 'at ' + shown(plot.x, items[0].parsed.x) : ''),
        label: (item) => titled(item) || item.dataset.label + ': ' + shown(plot.y, item.parsed.y),
      },
    };
  }

  function meets(one, other) {
    return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  }

  function write(context, text, x, y, align, ink, bold) {
    context.font = (bold ? '700 ' : '') + '12.5px ' + FONT;
    context.textAlign = align;
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    context.lineWidth = 4;
    context.strokeStyle = colour('paper');
    context.strokeText(text, x, y);
    context.fillStyle = ink;
    context.fillText(text, x, y);
  }

  // Writes the names of dots, each at the first side that is free.
  function nameDots(chart, plot) {
    const context = chart.ctx;
    const { left, right, top, bottom } = chart.chartArea;
    const place = (dot) => ({ x: chart.scales.x.getPixelForValue(dot.x), y: chart.scales.y.getPixelForValue(dot.y) });
    const taken = plot.dots.filter((dot) => dot.style === 'bubble').map((dot) => {
      const at = place(dot);
      return { left: at.x - dot.radius, right: at.x + dot.radius, top: at.y - dot.radius, bottom: at.y + dot.radius };
    });
    plot.dots.filter((dot) => dot.label).forEach((dot) => {
      const at = place(dot);
      if (dot.style !== 'bubble') {
        write(context, dot.label, at.x + 9, at.y, 'left', colour(dot.label === '\u2013' ? 'soft' : 'ink'), dot.style === 'best');
        return;
      }
      context.font = '12.5px ' + FONT;
      const width = context.measureText(dot.label).width;
      const aside = dot.radius + 5;
      const above = dot.radius + 10;
      const sides = [[1, 0], [-1, 0], [0, -above], [0, above], [1, -15], [1, 15], [-1, -15], [-1, 15], [0, -above - 15], [0, above + 15]];
      const boxes = sides.map(([side, down]) => {
        const start = side > 0 ? at.x + aside : side < 0 ? at.x - aside - width : at.x - width / 2;
        return { left: start, right: start + width, top: at.y + down - 7, bottom: at.y + down + 7 };
      });
      const inside = (box) => box.left > left && box.right < right && box.top > top - 12 && box.bottom < bottom;
      const box = boxes.find((one) => inside(one) && !taken.some((other) => meets(one, other))) || boxes[2];
      taken.push(box);
      const start = Math.max(left, Math.min(box.left, right - width));
      write(context, dot.label, start, box.top + 7, 'left', ofPolicy(dot.policy));
    });
  }

  function overlay(plot) {
    return {
      id: 'overlay',
      beforeDatasetsDraw: (chart) => {
        const { top, bottom, left, right } = chart.chartArea;
        const across = (value) => Math.max(left, Math.min(right, chart.scales.x.getPixelForValue(value)));
        chart.ctx.fillStyle = colour('shade');
        (plot.bands || []).forEach((band) => {
          chart.ctx.fillRect(across(band.from), top, across(band.to) - across(band.from), bottom - top);
        });
      },
      afterDatasetsDraw: (chart) => {
        const { top, bottom, left, right } = chart.chartArea;
        const context = chart.ctx;
        (plot.rules || []).forEach((rule) => {
          const x = chart.scales.x.getPixelForValue(rule.at);
          context.save();
          context.strokeStyle = colour('soft');
          context.setLineDash([2, 3]);
          context.beginPath();
          context.moveTo(x, top);
          context.lineTo(x, bottom);
          context.stroke();
          context.restore();
          const before = x > left + 0.7 * (right - left);
          write(context, rule.name, x + (before ? -5 : 5), top + 8, before ? 'right' : 'left', colour('soft'));
        });
        if (plot.dots) nameDots(chart, plot);
      },
    };
  }

  function draw(canvas) {
    const plot = plots[Number(canvas.dataset.plot)];
    const labels = (plot.dots || []).filter((dot) => dot.label && dot.style !== 'bubble');
    canvas.parentElement.style.height = plot.height + 26 + 'px';
    return new Chart(canvas, {
      type: 'line',
      data: {
        datasets: (plot.bars ? [barSet(plot)] : [])
          .concat((plot.lines || []).map((line) => lineSet(plot, line)))
          .concat((plot.dots || []).map((dot) => dotSet(plot, dot))),
      },
      options: {
        animation: false,
        parsing: false,
        normalized: true,
        maintainAspectRatio: false,
        layout: { padding: { right: labels.length ? 62 : 12, top: 8 } },
        interaction: plot.dots ? { mode: 'nearest', intersect: true } : { mode: 'each', intersect: false },
        scales: { x: scale(plot.x, true), y: scale(plot.y, false) },
        plugins: {
          legend: { display: false },
          // The lowest and the highest value of each pixel.
          decimation: { enabled: !plot.dots && !plot.bars, algorithm: 'min-max' },
          tooltip: tooltip(plot),
        },
      },
      plugins: [overlay(plot)],
    });
  }

  let charts = [];
  function drawAll() {
    charts.forEach((chart) => chart.destroy());
    charts = Array.from(document.querySelectorAll('canvas[data-plot]')).map(draw);
  }

  const system = matchMedia('(prefers-color-scheme: dark)');
  function dark() {
    return root.dataset.theme ? root.dataset.theme === 'dark' : system.matches;
  }

  const button = document.createElement('button');
  button.className = 'theme';
  button.type = 'button';
  function nameButton() {
    button.textContent = dark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', 'Change to the ' + button.textContent.toLowerCase() + ' theme');
  }
  function use(theme) {
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    nameButton();
    drawAll();
  }
  button.addEventListener('click', () => use(dark() ? 'light' : 'dark'));
  system.addEventListener('change', () => use(root.dataset.theme));
  document.body.insertBefore(button, document.body.firstChild);

  // Paper is white whatever the theme.
  let before;
  addEventListener('beforeprint', () => {
    before = root.dataset.theme;
    if (dark()) use('light');
  });
  addEventListener('afterprint', () => {
    if (root.dataset.theme !== before) use(before);
  });
  // A page that holds this one may choose its theme, and make room for all of it.
  const chosen = location.hash.slice(1);
  use(chosen === 'dark' || chosen === 'light' ? chosen : undefined);
  if (parent !== window) {
    button.hidden = true;
    const tellHeight = () => parent.postMessage({ reportHeight: root.scrollHeight }, '*');
    // Of a frame that is out of sight, browsers let observers wait.
    tellHeight();
    new ResizeObserver(tellHeight).observe(document.body);
  }
})();
