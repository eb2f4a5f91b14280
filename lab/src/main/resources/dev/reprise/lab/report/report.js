// The page is complete without this: it adds a switch of the theme, and reads values off lines.
(function () {
  'use strict';
  var root = document.documentElement;

  function dark() {
    return root.dataset.theme
      ? root.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
  }

  function addSwitch() {
    var button = document.createElement('button');
    button.className = 'theme';
    button.type = 'button';
    function name() {
      button.textContent = dark() ? 'Light' : 'Dark';
      button.setAttribute('aria-label', 'Change to the ' + button.textContent.toLowerCase() + ' theme');
    }
    button.addEventListener('click', function () {
      root.dataset.theme = dark() ? 'light' : 'dark';
      name();
    });
    name();
    document.body.insertBefore(button, document.body.firstChild);
  }

  function scale(text) {
    var parts = text.split(' ');
    var low = +parts[0];
    var high = +parts[1];
    return function (place) {
      return parts[2] ? low * Math.pow(high / low, place) : low + place * (high - low);
    };
  }

  function points(path) {
    var numbers = path.getAttribute('d').match(/-?\d+/g) || [];
    var list = [];
    for (var i = 0; i + 1 < numbers.length; i += 2) {
      var last = list[list.length - 1] || [0, 0];
      list.push([last[0] + +numbers[i], last[1] + +numbers[i + 1]]);
    }
    return list;
  }

  // The height of a line at a place across, or null where there is none.
  function heightAt(list, across) {
    for (var i = 1; i < list.length; i++) {
      var a = list[i - 1];
      var b = list[i];
      if (a[0] <= across && across <= b[0]) {
        return b[0] === a[0] ? b[1] : a[1] + (b[1] - a[1]) * (across - a[0]) / (b[0] - a[0]);
      }
    }
    return null;
  }

  function shown(value) {
    return value >= 100
      ? Math.round(value).toLocaleString('en-US')
      : String(+value.toPrecision(2));
  }

  function addReadout(chart) {
    var paths = chart.querySelector('.paths');
    var box = paths.viewBox.baseVal;
    var x = scale(chart.dataset.x);
    var y = scale(chart.dataset.y);
    var lines = null;
    var cross = document.createElement('div');
    var readout = document.createElement('div');
    cross.className = 'cross';
    readout.className = 'readout';

    function hide() {
      cross.remove();
      readout.remove();
    }

    chart.addEventListener('pointerleave', hide);
    chart.addEventListener('pointermove', function (event) {
      var frame = chart.getBoundingClientRect();
      var place = (event.clientX - frame.left) / frame.width;
      if (place < 0 || place > 1) {
        hide();
        return;
      }
      lines = lines || Array.from(paths.querySelectorAll('.line, .served, .offered')).map(function (path) {
        return { path: path, name: path.querySelector('title').textContent, points: points(path) };
      });
      readout.textContent = 'at ' + shown(x(place)) + ' s';
      lines.forEach(function (line) {
        var down = heightAt(line.points, place * box.width);
        if (down !== null) {
          var row = document.createElement('div');
          row.className = line.path.getAttribute('class').replace(/\b(line|served|offered)\b/g, '');
          row.textContent = line.name + ': ' + shown(y(1 - down / box.height));
          readout.appendChild(row);
        }
      });
      document.body.appendChild(cross);
      document.body.appendChild(readout);
      cross.style.left = event.clientX + scrollX + 'px';
      cross.style.top = frame.top + scrollY + 'px';
      cross.style.height = box.height / 10 + 'px';
      var left = event.clientX + 14;
      if (left + readout.offsetWidth > root.clientWidth) {
        left = event.clientX - 14 - readout.offsetWidth;
      }
      readout.style.left = Math.max(4, left) + scrollX + 'px';
      readout.style.top = frame.top + scrollY + 24 + 'px';
    });
  }

  addSwitch();
  document.querySelectorAll('#arrivals .chart, #connected .chart, #queue .chart').forEach(addReadout);
})();
