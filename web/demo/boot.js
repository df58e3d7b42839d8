// Loads the page's program; says so in the page if it or the library is not there.
import './masthead.js';

import('./main.js').catch((error) => {
  document.documentElement.dataset.state = 'failed';
  document.getElementById('loading').textContent = 'The page is incomplete.';
  const alert = document.getElementById('alert');
  alert.hidden = false;
  alert.textContent = `${error.message}. Was the demo set up? \`make demo\` does it.`;
});
