// Runs before anything is painted, so that a theme which was chosen does not flash the other one.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('reprise-theme');
  } catch {
    // Storage may be refused; the system's theme holds then.
  }
  if (chosen === 'dark' || chosen === 'light') {
    document.documentElement.dataset.theme = chosen;
  }
})();
