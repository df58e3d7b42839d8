// Steps in short slices, at a pace, one run at a time.
const SLICE = 10; // ms of steps before messages are looked at
const LONGEST = 50; // ms of a pause

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Loop {
  #step;
  #between;
  #nextTask;
  #run = 0; // number of the run that goes on; it is over when another number stands here
  #isRunning = false;
  #pace = Infinity;
  #begin = 0; // when the pace began to hold
  #made = 0; // steps since then

  /**
   * `step` makes one, and says whether others may follow; `between` is called after each slice; `nextTask` lets
   * messages in.
   */
  constructor({ step, between, nextTask }) {
    this.#step = step;
    this.#between = between;
    this.#nextTask = nextTask;
  }

  get isRunning() {
    return this.#isRunning;
  }

  /** Steps a second, at most; it holds from now on. */
  set pace(pace) {
    this.#pace = pace;
    this.renew();
  }

  /** Forgets steps that were made, and those that are due. */
  renew() {
    this.#begin = performance.now();
    this.#made = 0;
  }

  /**
   * Makes steps until it is stopped, or another run begins; false if a step said that no other may follow. A step
   * that throws ends it.
   */
  async run() {
    const own = ++this.#run;
    this.#isRunning = true;
    this.renew();
    try {
      while (own === this.#run) {
        if (!this.#slice()) return false;
        this.#between();
        const isAhead = this.#made > this.#due();
        await (isAhead ? pause(Math.min(LONGEST, 1000 / this.#pace)) : this.#nextTask());
      }
      return true;
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  stop() {
    this.#run++;
    this.#isRunning = false;
  }

  #due() {
    return (this.#pace * (performance.now() - this.#begin)) / 1000;
  }

  #slice() {
    const due = this.#due();
    for (const end = performance.now() + SLICE; performance.now() < end && this.#made <= due;) {
      this.#made++;
      if (this.#step()) continue;
      this.stop();
      return false;
    }
    return true;
  }
}
