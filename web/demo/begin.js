// Loads a page's program. What goes wrong where nobody else says so is said in the page.
import './masthead.js';

const alert = document.getElementById('alert');

function say(text) {
  alert.hidden = false;
  alert.textContent = text;
}

export function begin(load) {
  addEventListener('error', ({ message }) => say(`This page has an error: ${message}`));
  addEventListener('unhandledrejection', ({ reason }) =>
    say(`This page has an error: ${reason?.message ?? reason}`),
  );
  load().catch((error) => {
    document.documentElement.dataset.state = 'failed';
    document.getElementById('status').textContent = 'The page is incomplete.';
    say(`${error.message}. Was the demo set up? \`make demo\` does it.`);
  });
}
