import './lib/shell.js';

document.getElementById('app').replaceChildren(document.createElement('reprise-console'));
