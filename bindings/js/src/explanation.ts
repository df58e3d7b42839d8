// What explain() of a compiled function gives.

/** A call of a recording, or a step of its replay, in what explain() gives. */
export interface ExplainedStep {
  /** Name of the row in the core. */
  row: string;
  /** Element-wise ops that run as one. */
  ops?: string[];
  /** The values that each of them takes, by their numbers: what is read comes first, then constants, then the ops. */
  operands?: number[][];
  constants?: ExplainedNumber[];
  /** The values that are written. */
  gives?: number[];
  /** Whether it depends on nothing, and is made once. */
  once?: true;
  /** Whether the next group takes it with it, tile by tile: a matrix product. */
  joined?: true;
  reads: ExplainedTensor[];
  /** Also what it changes, such as the parameters of an optimiser. */
  writes: ExplainedTensor[];
}

/** With 15 digits; of a complex number its parts. The texts are 'inf', '-inf' and 'nan'. */
export type ExplainedNumber = number | string | (number | string)[];

/** A tensor that a step reads or writes; steps with the same buffer share its memory. */
export interface ExplainedTensor {
  buffer: number;
  of: 'input' | 'held' | 'number' | 'made';
  dtype: string;
  shape: number[];
  /** Of a number. */
  value?: ExplainedNumber;
  /** Whether it leaves the program as a result, or as a gradient alone. */
  result?: true;
  gradient?: true;
  /** The group that made it, and why it is another one. */
  from?: number;
  why?: string;
}

/** Groups that a replay runs together, for one piece of their leading dimensions after another. */
export interface ExplainedBlocks {
  /** Number of the first group, and how many they are. */
  from: number;
  steps: number;
  /**
   * Leading dimensions that are cut, into how many pieces, of how many slices of the last one at most. 0: a reduction of everything, or over the
   * first dimensions, has its elements made part by part; or a step of an optimiser takes a gradient, which is a matrix product, tile by tile.
   */
  dims: number;
  pieces: number;
  slices: number;
  /** Why the next group is not among them. */
  why?: string;
}

/** What explain() gives: a recording, its calls, and what a replay makes of them. */
export interface Explanation {
  inputs: number;
  results: number;
  numbers: number;
  gradients: number;
  /** Of all that the calls make. */
  recordedBytes: number;
  /** Of that at a time, if each tensor lived from the first call that mentions it to the last one. */
  peakBytesRecorded: number;
  /** Of what a replay makes, results among it. */
  peakBytes: number;
  arenaBytes: number;
  /** Beside the arena, for each thread. */
  blockBytes: number;
  /** On a CUDA device: steps that replays launch together as CUDA graphs, and how often such graphs were captured and launched so far. */
  captured?: { steps: number; captures: number; launches: number };
  /** When most memory is taken: the group that is made then, and the largest of what is there, by the numbers of their buffers. */
  live: { group: number; bytes: number; buffers: { buffer: number; bytes: number }[] };
  /** Which of the groups run block by block, so that what they hand on to each other stays in the cache. */
  blocks: ExplainedBlocks[];
  /** The calls that were recorded. */
  nodes: ExplainedStep[];
  /** The steps of a replay. */
  groups: ExplainedStep[];
}
