// Has Chart.js draw the plots of the page, which stand in it as data, and switches the theme.
(function () {
  'use strict';
  const { NO_BREAK, FONT, NEVER, colour, number, alone, shown, short, isLogarithmic, scale } = Axes;
  const root = document.documentElement;
  const plots = JSON.parse(document.getElementById('plots').textContent);

  // How lines are drawn; without an ink they take the colour of their policy.
  const LINES = {
    line: { borderWidth: 1.75, radius: 3 },
    swept: { borderWidth: 1.75, radius: 3, banded: true },
    alone: { showLine: false, radius: 3 },
    level: { borderWidth: 1.75, stays: true },
    area: { borderWidth: 1.75, fill: 'origin', opacity: 0.18 },
    served: { ink: 'ink', borderWidth: 1.25 },
    offered: { ink: 'soft', borderWidth: 1.5, borderDash: [1, 3] },
    capacity: { ink: 'soft', borderWidth: 1.5, borderDash: [6, 4] },
    ideal: { ink: 'soft', borderWidth: 1.5, borderDash: [1, 4], borderCapStyle: 'round', stays: true },
    back: { borderWidth: 1.75, borderDash: [5, 4], radius: 3, hollow: true },
    whisker: { borderWidth: 3, borderCapStyle: 'round', stroke: 0.45 },
    low: { borderWidth: 0 },
    high: { borderWidth: 0, fill: '-1', opacity: 0.16 },
  };
  const COLOURS = 6;

  function ofPolicy(index, opacity) {
    return colour('c' + (index % COLOURS), opacity);
  }

  // A bin lasts from edge to edge; its value stands in its middle, at the ends of a line also at the edge.
  function points(plot, line) {
    if (line.points) return line.points.map(([x, y]) => ({ x, y }));
    const { bin, from, values } = line;
    const stays = LINES[line.style].stays;
    const all = values.map((y, i) => ({ x: (i + 0.5) * bin - from, y })).filter((point) => point.y !== null);
    const found = all.filter((point) => point.x >= 0);
    if (stays && !found.length) found.push({ x: 0, y: all.length ? all[all.length - 1].y : 0 });
    if (!found.length) return found;
    const last = found[found.length - 1];
    const first = { x: Math.max(0, found[0].x - bin / 2), y: found[0].y };
    return [first].concat(found, { x: stays ? plot.x.max : last.x + bin / 2, y: last.y });
  }

  function lineSet(plot, line) {
    const style = LINES[line.style];
    const again = line.policy >= COLOURS;
    const hollow = style.hollow || again;
    return Object.assign(
      {
        label: line.name,
        data: points(plot, line),
        borderColor: style.ink ? colour(style.ink) : ofPolicy(line.policy, style.stroke),
        borderDash: again ? [8, 3] : [],
        backgroundColor: style.opacity ? ofPolicy(line.policy, style.opacity) : 'transparent',
        pointRadius: style.radius || 0,
        pointHoverRadius: style.radius || 0,
        pointHitRadius: style.radius ? 6 : 0,
        pointBorderWidth: hollow ? 2 : 0,
        pointBorderColor: ofPolicy(line.policy),
        pointBackgroundColor: hollow ? colour('paper') : ofPolicy(line.policy),
        borderJoinStyle: 'round',
        order: 2,
      },
      // Dots at an edge are drawn whole.
      style.radius ? { clip: false } : {},
      style
    );
  }

  // The ends of the ranges of a line, below the line.
  function bandSets(plot, line) {
    if (!LINES[line.style].banded) return [];
    const end = (i, style) => lineSet(plot, { style, name: '', policy: line.policy, points: line.points.map((point) => [point[0], point[i]]) });
    return [end(2, 'low'), end(3, 'high')];
  }

  function dotSet(place, policy, look) {
    return Object.assign(
      { data: [place], showLine: false, pointHoverRadius: look.pointRadius, pointHitRadius: 6, pointBorderColor: ofPolicy(policy), clip: false, order: 1 },
      look
    );
  }

  function rowSets(plot) {
    return (plot.rows || []).flatMap((row, i) => {
      if (!Number.isFinite(row.mean)) return [];
      const hollow = i >= COLOURS;
      return [
        lineSet(plot, { style: 'whisker', name: '', policy: i, points: [[row.low, i], [row.high, i]] }),
        dotSet({ x: row.mean, y: i, title: row.name }, i, {
          pointRadius: 5,
          pointBorderWidth: hollow ? 2 : 0,
          pointBackgroundColor: hollow ? colour('paper') : ofPolicy(i),
        }),
      ];
    });
  }

  function bubbleSets(plot) {
    const bubbles = plot.bubbles || [];
    const most = Math.max(...bubbles.map((bubble) => bubble.size));
    return bubbles.map((bubble) => {
      bubble.radius = most > 0 ? 4 + 10 * Math.sqrt(bubble.size / most) : 7;
      const place = { x: bubble.x, y: bubble.y, title: bubble.name };
      if (bubble.x === NEVER) plot.endless.push(place);
      const look = { pointRadius: bubble.radius, pointBorderWidth: 1.5, pointBackgroundColor: ofPolicy(bubble.policy, 0.55) };
      return dotSet(place, bubble.policy, look);
    });
  }

  // Ranges that are wider on the axis than others stand lower, so that areas are shares.
  function histogramSet(plot) {
    const { bounds, counts, policy } = plot.histogram;
    const { min, max, unit } = plot.x;
    const along = (value) => (plot.x.log ? Math.log(value) : value);
    const total = counts.reduce((sum, count) => sum + count, 0);
    // A number of attempts stands in the middle of its bar.
    const shift = unit === 's' ? 0 : 0.5;
    const ranges = [];
    let from = bounds.length > 1 ? Math.max(min, 2 * bounds[0] - bounds[1] + shift) : min;
    let count = 0;
    bounds.forEach((bound, i) => {
      const to = Math.min(max, (Number.isFinite(bound) ? bound : max) + shift);
      count += counts[i];
      // What lies before the axis is counted with the first range on it.
      if (to <= from) return;
      ranges.push({ from, to, share: count / total });
      from = to;
      count = 0;
    });
    const longest = bounds[bounds.length - 1];
    const before = !ranges.length && (longest > 0 ? 'up to ' + alone(longest) : '0' + NO_BREAK + 's');
    if (before) ranges.push({ from: min, to: plot.x.log ? min * Math.pow(max / min, 1 / 60) : min + (max - min) / 60, share: 1 });
    const width = (range) => along(range.to) - along(range.from);
    const usual = Math.min(...ranges.filter((range, i) => i > 0 && range.to < max).map(width));
    const title = ({ from, to, share }) => {
      const [low, high] = shift ? [from + shift, to - shift] : [alone(from), alone(to)];
      // Only the whole is 100 %.
      const percent = number(100 * (share < 1 ? Math.min(share, 0.999) : 1)) + NO_BREAK + '%';
      return share > 0 && (before || (low === high ? low : low + ' to ' + high)) + ': ' + percent;
    };
    return {
      data: ranges
        .map((range) => ({ x: range.from, y: 100 * range.share * Math.min(1, usual / width(range)), title: title(range) }))
        .concat({ x: ranges[ranges.length - 1].to, y: 0 }),
      stepped: 'before',
      pointRadius: 0,
      fill: 'origin',
      borderWidth: 0,
      backgroundColor: ofPolicy(policy, 0.8),
    };
  }

  // Of each line the point that is nearest across; of a histogram the step at the pointer.
  Chart.Interaction.modes.each = function (chart, event) {
    const at = chart.scales.x.getValueForPixel(event.x);
    const items = [];
    chart.getSortedVisibleDatasetMetas().forEach((meta) => {
      const data = chart.data.datasets[meta.index].data;
      const stepped = chart.data.datasets[meta.index].stepped;
      let best = -1;
      meta.data.forEach((element, i) => {
        const apart = Math.abs(element.x - event.x);
        const fits = !stepped || (data[i].x <= at && i + 1 < data.length && at < data[i + 1].x);
        if (fits && (best < 0 || apart < Math.abs(meta.data[best].x - event.x))) best = i;
      });
      if (best >= 0) items.push({ element: meta.data[best], datasetIndex: meta.index, index: best });
    });
    return items;
  };

  function tooltip(plot) {
    const titled = (item) => item.raw && item.raw.title;
    const text = (item, key) => shown(plot[key], item.parsed[key], item.chart.scales[key].max);
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
        title: (items) => (items.length && !titled(items[0]) ? 'at ' + text(items[0], 'x') : ''),
        label: (item) => titled(item) || item.dataset.label + ': ' + text(item, 'y'),
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

  // Writes values beside the dots of rows.
  function nameRows(chart, plot) {
    const { left, right } = chart.chartArea;
    plot.rows.forEach((row, i) => {
      const end = Number.isFinite(row.mean) ? chart.scales.x.getPixelForValue(Math.max(row.mean, row.high)) : row.mean === NEVER ? right : left;
      write(chart.ctx, row.text, end + 9, chart.scales.y.getPixelForValue(i), 'left', colour(row.mean === undefined ? 'soft' : 'ink'), row.best);
    });
  }

  // Writes the names of bubbles, each at the first side that is free; those at one place have one text.
  function nameBubbles(chart, plot) {
    const context = chart.ctx;
    const { left, right, top, bottom } = chart.chartArea;
    const bubbles = plot.bubbles.map((bubble) => ({
      label: bubble.label,
      policy: bubble.policy,
      radius: bubble.radius,
      x: chart.scales.x.getPixelForValue(bubble.x === NEVER ? plot.room.middle : bubble.x),
      y: chart.scales.y.getPixelForValue(bubble.y),
    }));
    const taken = bubbles.map(({ radius, x, y }) => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }));
    const named = new Set();
    bubbles.forEach((at) => {
      if (named.has(at)) return;
      const together = bubbles.filter((other) => Math.abs(at.x - other.x) < 12 && Math.abs(at.y - other.y) < 4);
      together.forEach((one) => named.add(one));
      const label = short(together.map((one) => one.label).join(', '), 42);
      context.font = '12.5px ' + FONT;
      const width = context.measureText(label).width;
      const aside = at.radius + 5;
      const above = at.radius + 10;
      const sides = [[1, 0], [-1, 0], [0, -above], [0, above], [1, -15], [1, 15], [-1, -15], [-1, 15], [0, -above - 15], [0, above + 15]];
      const boxes = sides.map(([side, down]) => {
        const start = side > 0 ? at.x + aside : side < 0 ? at.x - aside - width : at.x - width / 2;
        return { left: start, right: start + width, top: at.y + down - 7, bottom: at.y + down + 7 };
      });
      const inside = (box) => box.left > left && box.right < right && box.top > top - 12 && box.bottom < bottom;
      const box = boxes.find((one) => inside(one) && !taken.some((other) => meets(one, other))) || boxes[2];
      taken.push(box);
      write(context, label, Math.max(left, Math.min(box.left, right - width)), box.top + 7, 'left', ofPolicy(at.policy));
    });
  }

  function overlay(plot) {
    return {
      id: 'overlay',
      beforeDatasetsDraw: (chart) => {
        const { top, bottom, left, right } = chart.chartArea;
        const across = (value) => Math.max(left, Math.min(right, chart.scales.x.getPixelForValue(value)));
        chart.ctx.fillStyle = colour('shade');
        (plot.bands || []).concat(plot.room || []).forEach((band) => {
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
        if (plot.rows) nameRows(chart, plot);
        if (plot.bubbles) nameBubbles(chart, plot);
      },
    };
  }

  function draw(canvas) {
    const plot = plots[Number(canvas.dataset.plot)];
    const apart = plot.rows || plot.bubbles || (plot.lines || []).some((line) => LINES[line.style].radius);
    plot.endless = [];
    plot.x.log = isLogarithmic(plot, 'x');
    plot.y.log = isLogarithmic(plot, 'y');
    canvas.parentElement.style.height = plot.height + 26 + 'px';
    return new Chart(canvas, {
      type: 'line',
      data: {
        datasets: (plot.histogram ? [histogramSet(plot)] : [])
          .concat((plot.lines || []).flatMap((line) => bandSets(plot, line).concat(lineSet(plot, line))))
          .concat(rowSets(plot), bubbleSets(plot)),
      },
      options: {
        animation: false,
        parsing: false,
        normalized: true,
        maintainAspectRatio: false,
        layout: { padding: { right: plot.rows ? 62 : 12, top: 8 } },
        interaction: apart ? { mode: 'nearest', intersect: true } : { mode: 'each', intersect: false },
        scales: { x: scale(plot, 'x'), y: scale(plot, 'y') },
        plugins: {
          legend: { display: false },
          // The lowest and the highest value of each pixel.
          decimation: { enabled: !apart && !plot.histogram, algorithm: 'min-max' },
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
