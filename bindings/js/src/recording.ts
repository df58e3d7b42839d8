// What records, while something does: compile.ts sets it. Those who must know of it import no more than this.
import type { Generator } from './generator.js';
import type { Device } from './tables.gen.js';

/** Numbers that JavaScript counts on, such as the step of an optimiser, in the last call that was recorded. */
export interface Turn {
  /** Number of the row. */
  row: number;
  /** Before each run: goes on by one. */
  advance(): void;
  /** After a run that failed: takes that back. */
  back(): void;
  /** Attributes by their names; what each is in a run, asked when this turn has gone on. */
  numbers: Readonly<Record<string, () => number>>;
}

export interface Recorder {
  /** Where the arguments are, which are symbols on META here. */
  readonly device: Device;
  /** fn does what a replay could not do again. `words` say what. */
  refuse(op: string, words: string): never;
  /** Runs body, whose calls are made and not recorded. */
  pause<R>(body: () => R): R;
  /** What fn looks at beside tensors and arguments: where it gives something else before a call, fn is recorded again. Once for each `of`. */
  watch(look: () => readonly unknown[], of?: object): void;
  /** Every run has its own numbers in the last call that was recorded, which has gone on by one already. */
  turn(turn: Turn): void;
  /** fn was given a generator, from which replays may draw. */
  draws(generator: Generator): void;
  /** fn has run backward(). */
  walks(): void;
}

export let recorder: Recorder | undefined;

/** The elements of a tensor are going to be read; `instead`: what to do but where(). */
export function refuseReading(op: string, instead = 'return the tensor and read it outside'): void {
  recorder?.refuse(
    op,
    `tensors have no elements while compile() records: ${instead}, or choose with where()`,
  );
}

/** The shape of a result is not known without elements. */
export function refuseShape(op: string): void {
  const others: Record<string, string> = {
    oneHot: 'give numClasses',
    repeatInterleave: 'repeat by a number',
  };
  recorder?.refuse(
    op,
    `the shape would depend on elements: ${others[op] ?? 'choose with where()'}, or call it outside`,
  );
}

/** The same of something whose state is no part of what is recorded. */
export function refuseState(op: string, place = 'call it outside'): void {
  recorder?.refuse(op, `would happen while compile() records, and not in each replay: ${place}`);
}

/** Called by compile.ts. */
export function setRecorder(next: Recorder | undefined): void {
  recorder = next;
}

/** Grows when a module may have got other parameters, or a tensor requires a gradient from now on, or no more. */
export let epoch = 0;

/** What was recorded before may look at tensors that took no part then. */
export function beginEpoch(): void {
  epoch++;
}
