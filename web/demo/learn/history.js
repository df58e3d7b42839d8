// A curve of bounded length: values come one by one; where they are too many, neighbours become their mean.
const MOST = 500;

export class History {
  #first;
  #last;

  constructor(most = MOST) {
    this.most = most;
    this.clear();
  }

  clear() {
    this.xs = [];
    this.ys = [];
    this.width = 1; // values of a point
    this.sum = 0;
    this.count = 0;
    this.#first = this.#last = undefined;
  }

  /** Where the first value was. */
  get first() {
    return this.#first;
  }

  /** The last value. */
  get last() {
    return this.#last;
  }

  add(x, y) {
    this.#first ??= x;
    this.#last = y;
    this.sum += y;
    this.count++;
    if (this.count < this.width) return;
    this.xs.push(x);
    this.ys.push(this.sum / this.count);
    this.sum = this.count = 0;
    if (this.xs.length === this.most) this.#halve();
  }

  #halve() {
    this.width *= 2;
    const pairs = Array.from({ length: this.most / 2 }, (_, k) => 2 * k);
    this.ys = pairs.map((k) => (this.ys[k] + this.ys[k + 1]) / 2);
    this.xs = pairs.map((k) => this.xs[k + 1]);
  }
}
