// The worker, as the page sees it.

export class Engine {
  #worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  #waiting = new Map(); // type of a message to the promise that it settles
  #heard;
  #isOpen = false;

  /** `heard` has a function for each type of message. */
  constructor(heard) {
    this.#heard = heard;
    this.#worker.onmessage = ({ data: { type, ...content } }) => {
      const { resolve, reject } = this.#take(type === 'failed' ? undefined : type) ?? {};
      if (type === 'failed' && reject) reject(new Error(content.text));
      else if (resolve) resolve(content);
      else this.#heard[type](content);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      const text = `The worker does not run: ${event.message || 'its program does not load'}.`;
      const { reject } = this.#take() ?? {};
      if (reject) reject(new Error(text));
      else this.#heard.failed({ text });
    };
  }

  // The promise that waits for a type of message, or for any.
  #take(type) {
    const key = type ?? [...this.#waiting.keys()][0];
    const found = this.#waiting.get(key);
    this.#waiting.delete(key);
    return found;
  }

  #ask(type, content, answer) {
    return new Promise((resolve, reject) => {
      this.#waiting.set(answer, { resolve, reject });
      this.#worker.postMessage({ type, ...content });
    });
  }

  /** Whether library and digits are loaded, and there is a network. */
  get isOpen() {
    return this.#isOpen;
  }

  /** Before the worker is open there is nothing to send to. */
  send(type, content = {}) {
    if (this.#isOpen) this.#worker.postMessage({ type, ...content });
  }

  /** Loads library and digits; gives what runs, and the settings of the network. */
  async open(options) {
    const found = await this.#ask('open', options, 'ready');
    this.#isOpen = true;
    return found;
  }

  /** The network as the bytes of a file. */
  async file() {
    return (await this.#ask('save', {}, 'saved')).file;
  }

  end() {
    this.#worker.terminate();
  }
}
