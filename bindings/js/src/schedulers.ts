// Learning rates that change from step to step, by the formulas of torch.optim.lr_scheduler. Each step() looks at the rates that groups have
// then, so that several schedulers of one optimiser work together as they do there.
import { refuse } from './abi.js';
import { listOf, print } from './arguments.js';
import { isArray } from './intrinsics.js';
import { atMost, namesOf, readOptions, refuseMore } from './options.js';
import { refuseState } from './recording.js';
import {
  aCount,
  aCountAbove0,
  aFlag,
  aNumber,
  above0,
  aShare,
  aShareAbove0,
  atLeast0,
  below1,
  held,
  holdAll,
  oneOf,
  type Rule,
} from './rules.js';

/** What a scheduler changes: an optimiser. */
export interface Scheduled {
  readonly paramGroups: readonly { lr: number; initialLr?: number }[];
}

type Group = Scheduled['paramGroups'][number] & Record<string, unknown>;

function groupsOf(op: string, optimizer: unknown): Group[] {
  const groups = (optimizer as { paramGroups?: unknown } | null | undefined)?.paramGroups;
  if (!isArray(groups)) refuse('ERR_ARGUMENT', op, 'optimizer', 'an optimiser', print(optimizer));
  return groups as Group[];
}

// A value for each group, of one for all or a list of as many.
function forGroups<T>(
  op: string,
  name: string,
  groups: readonly Group[],
  given: T | readonly T[],
  rule: Rule,
): T[] {
  const all: unknown[] = isArray(given)
    ? listOf(op, name, given, groups.length + 1)
    : groups.map(() => given);
  if (all.length !== groups.length || !all.every(rule.test))
    refuse('ERR_ARGUMENT', op, name, `${rule.words}, or ${groups.length} in a list`, print(given));
  return all as T[];
}

const aFunction: Rule = { words: 'a function', test: (value) => typeof value === 'function' };
const wholeNumbers: Rule = {
  words: 'a list of whole numbers',
  test: (value) => isArray(value) && value.every((x) => Number.isSafeInteger(x)),
};

/** The base of schedulers: the rates of epoch 0 are set when one is made, those of the next by each step(). */
export abstract class LRScheduler {
  /** How many steps were taken. */
  lastEpoch = -1;
  readonly baseLrs: number[];
  /** @internal */
  readonly groups: Group[];

  readonly #op: string;

  constructor(op: string, optimizer: Scheduled) {
    this.#op = op;
    this.groups = [...groupsOf(op, optimizer)]; // one that is added later is not scheduled
    this.#holdRates();
    this.baseLrs = this.groups.map(({ initialLr, lr }) => initialLr ?? lr);
  }

  // Anybody may set the rate of a group.
  #holdRates(): void {
    this.groups.forEach(({ lr }, k) => held(this.#op, `paramGroups[${k}].lr`, aNumber, lr));
  }

  /** The rate of a group from the one it has, at epoch lastEpoch. @internal */
  protected abstract next(lr: number, base: number, k: number): number;

  step(): void {
    if (arguments.length > 0) refuseMore('step', 0, arguments);
    refuseState('step', 'call it after the compiled function');
    this.#holdRates();
    this.lastEpoch++;
    let rates: number[];
    try {
      rates = this.groups.map(({ lr }, k) => this.next(lr, this.baseLrs[k]!, k));
    } catch (error) {
      this.lastEpoch--; // as if it had not been called
      throw error;
    }
    this.groups.forEach((group, k) => {
      group.initialLr ??= this.baseLrs[k]!; // not before options are known to be right
      group.lr = rates[k]!;
    });
  }

  /** The rates of the groups now. */
  getLastLr(): number[] {
    return this.groups.map(({ lr }) => lr);
  }

  /** What loadStateDict takes: numbers alone, fit for JSON. */
  stateDict(): Record<string, unknown> {
    return { lastEpoch: this.lastEpoch, baseLrs: [...this.baseLrs], lrs: this.getLastLr() };
  }

  loadStateDict(dict: Record<string, unknown>): void {
    const { lastEpoch, baseLrs, lrs } = dict ?? {};
    const isList = (list: unknown): list is number[] =>
      isArray(list) && list.length === this.groups.length && Array.from(list).every(aNumber.test); // holes, too
    if (!aCount.test(lastEpoch) || !isList(baseLrs) || !isList(lrs))
      refuse(
        'ERR_ARGUMENT',
        `${this.#op}.loadStateDict`,
        'dict',
        'what stateDict() gave for as many groups',
        print(dict),
      );
    this.lastEpoch = lastEpoch as number;
    (baseLrs as number[]).forEach((base, k) => (this.baseLrs[k] = base));
    (lrs as number[]).forEach((lr, k) => (this.groups[k]!.lr = lr));
  }
}

/** Times gamma every stepSize steps. */
export class StepLR extends LRScheduler {
  constructor(
    optimizer: Scheduled,
    readonly stepSize: number,
    readonly gamma = 0.1,
  ) {
    atMost('StepLR', 3, arguments);
    super('StepLR', optimizer);
    holdAll('StepLR', { stepSize: aCountAbove0, gamma: aNumber }, this);
    this.step();
  }

  /** @internal */
  protected next(lr: number): number {
    return this.lastEpoch === 0 || this.lastEpoch % this.stepSize !== 0 ? lr : lr * this.gamma;
  }
}

/** Times gamma at each of the milestones. */
export class MultiStepLR extends LRScheduler {
  readonly milestones: readonly number[];

  constructor(
    optimizer: Scheduled,
    milestones: readonly number[],
    readonly gamma = 0.1,
  ) {
    atMost('MultiStepLR', 3, arguments);
    super('MultiStepLR', optimizer);
    held('MultiStepLR', 'gamma', aNumber, gamma);
    this.milestones = [...held('MultiStepLR', 'milestones', wholeNumbers, milestones)];
    this.step();
  }

  /** @internal */
  protected next(lr: number): number {
    return lr * this.gamma ** this.milestones.filter((x) => x === this.lastEpoch).length;
  }
}

/** Times gamma at each step. */
export class ExponentialLR extends LRScheduler {
  constructor(
    optimizer: Scheduled,
    readonly gamma: number,
  ) {
    atMost('ExponentialLR', 2, arguments);
    super('ExponentialLR', optimizer);
    held('ExponentialLR', 'gamma', aNumber, gamma);
    this.step();
  }

  /** @internal */
  protected next(lr: number): number {
    return this.lastEpoch === 0 ? lr : lr * this.gamma;
  }
}

/** Down to etaMin along half a cosine in tMax steps, and up again. */
export class CosineAnnealingLR extends LRScheduler {
  constructor(
    optimizer: Scheduled,
    readonly tMax: number,
    readonly etaMin = 0,
  ) {
    atMost('CosineAnnealingLR', 3, arguments);
    super('CosineAnnealingLR', optimizer);
    holdAll('CosineAnnealingLR', { tMax: aCountAbove0, etaMin: aNumber }, this);
    this.step();
  }

  /** @internal */
  protected next(lr: number, base: number): number {
    const { lastEpoch: t, tMax, etaMin } = this;
    if (t === 0) return lr;
    if ((t - 1 - tMax) % (2 * tMax) === 0) return lr + ((base - etaMin) * (1 - Math.cos(Math.PI / tMax))) / 2;
    const factor = (1 + Math.cos((Math.PI * t) / tMax)) / (1 + Math.cos((Math.PI * (t - 1)) / tMax));
    return factor * (lr - etaMin) + etaMin;
  }
}

/** From startFactor to endFactor of the rate in totalIters steps. */
export class LinearLR extends LRScheduler {
  constructor(
    optimizer: Scheduled,
    readonly startFactor = 1 / 3,
    readonly endFactor = 1,
    readonly totalIters = 5,
  ) {
    atMost('LinearLR', 4, arguments);
    super('LinearLR', optimizer);
    const rules = { startFactor: aShareAbove0, endFactor: aShare, totalIters: aCountAbove0 };
    holdAll('LinearLR', rules, this);
    this.step();
  }

  /** @internal */
  protected next(lr: number): number {
    const { lastEpoch: t, startFactor: from, endFactor: to, totalIters: n } = this;
    if (t === 0) return lr * from;
    return t > n ? lr : lr * (1 + (to - from) / (n * from + (t - 1) * (to - from)));
  }
}

/** The first rate of each group times what a function says of the epoch; one function for all groups, or one for each. */
export class LambdaLR extends LRScheduler {
  readonly lrLambdas: readonly ((epoch: number) => number)[];

  constructor(
    optimizer: Scheduled,
    lrLambda: ((epoch: number) => number) | readonly ((epoch: number) => number)[],
  ) {
    atMost('LambdaLR', 2, arguments);
    super('LambdaLR', optimizer);
    this.lrLambdas = forGroups('LambdaLR', 'lrLambda', this.groups, lrLambda, aFunction);
    this.step();
  }

  /** @internal */
  protected next(_lr: number, base: number, k: number): number {
    return base * held('LambdaLR', 'the result of lrLambda', aNumber, this.lrLambdas[k]!(this.lastEpoch));
  }
}

// ---------------------------------------------------------------- one cycle

/** Of OneCycleLR. */
export interface OneCycleOptions {
  /** The highest rate; one for each group, or one for all. */
  maxLr: number | readonly number[];
  /** How many steps the cycle has. */
  totalSteps: number;
  /** Share of the steps in which the rate grows. Default: 0.3. */
  pctStart?: number;
  /** Default: 'cos'. */
  annealStrategy?: 'cos' | 'linear';
  /** Move the momentum, or beta1, the other way. Default: true. */
  cycleMomentum?: boolean;
  baseMomentum?: number;
  maxMomentum?: number;
  /** The first rate is maxLr / divFactor. Default: 25. */
  divFactor?: number;
  /** The last rate is the first one / finalDivFactor. Default: 1e4. */
  finalDivFactor?: number;
  /** Come down to the first rate as it went up, then to the last one. Default: false. */
  threePhase?: boolean;
}

const cycleNames = namesOf<OneCycleOptions>({
  maxLr: 'maxLr',
  totalSteps: 'totalSteps',
  pctStart: 'pctStart',
  annealStrategy: 'annealStrategy',
  cycleMomentum: 'cycleMomentum',
  baseMomentum: 'baseMomentum',
  maxMomentum: 'maxMomentum',
  divFactor: 'divFactor',
  finalDivFactor: 'finalDivFactor',
  threePhase: 'threePhase',
});

const cycleUsual = {
  ...({ pctStart: 0.3, annealStrategy: 'cos', cycleMomentum: true, threePhase: false } as const),
  ...{ baseMomentum: 0.85, maxMomentum: 0.95, divFactor: 25, finalDivFactor: 1e4 },
};
const cycleRules = {
  totalSteps: aCountAbove0,
  pctStart: aShare,
  annealStrategy: oneOf('cos', 'linear'),
  cycleMomentum: aFlag,
  baseMomentum: aNumber,
  maxMomentum: aNumber,
  divFactor: above0,
  finalDivFactor: above0,
  threePhase: aFlag,
};

type Phase = { end: number; from: number; to: number; momentumFrom: number; momentumTo: number };

/** Up to maxLr, then down far below the first rate, in one cycle. */
export class OneCycleLR extends LRScheduler {
  readonly totalSteps: number;
  readonly #phases: Phase[][]; // of each group
  readonly #isLinear: boolean;
  readonly #cyclesMomentum: boolean;

  constructor(optimizer: Scheduled, options: OneCycleOptions) {
    const op = 'OneCycleLR';
    atMost(op, 2, arguments);
    super(op, optimizer);
    const read = readOptions(op, options, cycleNames);
    const all = { ...cycleUsual, ...read };
    holdAll(op, cycleRules, all);
    const { annealStrategy, cycleMomentum, baseMomentum, maxMomentum, threePhase, pctStart } = all;
    const { divFactor, finalDivFactor } = all;
    this.totalSteps = all.totalSteps;
    const tops = forGroups(op, 'maxLr', this.groups, read.maxLr, atLeast0);
    this.#isLinear = annealStrategy === 'linear';
    this.#cyclesMomentum =
      cycleMomentum && this.groups.every((group) => 'momentum' in group || 'betas' in group);
    if (cycleMomentum && !this.#cyclesMomentum)
      refuse('ERR_ARGUMENT', op, 'cycleMomentum', 'false for an optimiser without momentum', 'true');
    const up = pctStart * this.totalSteps - 1;
    const last = this.totalSteps - 1;
    this.#phases = tops.map((top, k) => {
      const first = top / divFactor;
      const low = first / finalDivFactor;
      this.groups[k]!.initialLr = this.baseLrs[k] = first;
      const rise = { end: up, from: first, to: top, momentumFrom: maxMomentum, momentumTo: baseMomentum };
      const fall = { momentumFrom: baseMomentum, momentumTo: maxMomentum };
      if (!threePhase) return [rise, { end: last, from: top, to: low, ...fall }];
      return [
        rise,
        { end: 2 * pctStart * this.totalSteps - 2, from: top, to: first, ...fall },
        { end: last, from: first, to: low, momentumFrom: maxMomentum, momentumTo: maxMomentum },
      ];
    });
    this.step();
  }

  override step(): void {
    if (this.lastEpoch + 1 > this.totalSteps)
      refuse(
        'ERR_ARGUMENT',
        'OneCycleLR',
        'step',
        `at most ${this.totalSteps} steps`,
        `${this.lastEpoch + 1}`,
      );
    super.step();
  }

  #anneal(from: number, to: number, share: number): number {
    if (this.#isLinear) return (to - from) * share + from;
    return to + ((from - to) / 2) * (1 + Math.cos(Math.PI * share));
  }

  /** @internal */
  protected next(_lr: number, _base: number, k: number): number {
    const phases = this.#phases[k]!;
    const t = this.lastEpoch;
    let at = phases.findIndex(({ end }) => t <= end);
    if (at < 0) at = phases.length - 1;
    const { end, from, to, momentumFrom, momentumTo } = phases[at]!;
    const begin = at === 0 ? 0 : phases[at - 1]!.end;
    const share = end > begin ? (t - begin) / (end - begin) : 1; // a phase of one step is at its end
    if (this.#cyclesMomentum) {
      const group = this.groups[k]!;
      const momentum = this.#anneal(momentumFrom, momentumTo, share);
      if ('betas' in group) group.betas = [momentum, (group.betas as number[])[1]];
      else group.momentum = momentum;
    }
    return this.#anneal(from, to, share);
  }
}

// ---------------------------------------------------------------- plateaus

/** Of ReduceLROnPlateau. */
export interface PlateauOptions {
  /** Whether less is better, or more. Default: 'min'. */
  mode?: 'min' | 'max';
  /** Rates are multiplied by it. Default: 0.1. */
  factor?: number;
  /** Steps without progress that are let pass. Default: 10. */
  patience?: number;
  /** What counts as progress. Default: 1e-4. */
  threshold?: number;
  /** Whether the threshold is a share of the best value, or a distance from it. Default: 'rel'. */
  thresholdMode?: 'rel' | 'abs';
  /** Steps after a reduction in which none counts. Default: 0. */
  cooldown?: number;
  /** No rate falls below. Default: 0. */
  minLr?: number;
  /** Smaller changes are not made. Default: 1e-8. */
  eps?: number;
}

const plateauNames = namesOf<PlateauOptions>({
  mode: 'mode',
  factor: 'factor',
  patience: 'patience',
  threshold: 'threshold',
  thresholdMode: 'thresholdMode',
  cooldown: 'cooldown',
  minLr: 'minLr',
  eps: 'eps',
});

const anyNumber: Rule = { words: 'a number', test: (value) => typeof value === 'number' }; // a loss may be NaN

const plateauUsual = {
  ...({ mode: 'min', factor: 0.1, patience: 10, threshold: 1e-4, thresholdMode: 'rel' } as const),
  ...{ cooldown: 0, minLr: 0, eps: 1e-8 },
};
const plateauRules = {
  mode: oneOf('min', 'max'),
  factor: below1,
  patience: atLeast0,
  threshold: atLeast0,
  thresholdMode: oneOf('rel', 'abs'),
  cooldown: atLeast0,
  minLr: atLeast0,
  eps: atLeast0,
};

/** Times factor where a value, given to each step(), has stopped getting better. */
export class ReduceLROnPlateau {
  best: number;
  numBadEpochs = 0;
  cooldownCounter = 0;
  lastEpoch = 0;
  readonly #groups: Group[];
  readonly #options: Required<PlateauOptions>;

  constructor(optimizer: Scheduled, options?: PlateauOptions) {
    const op = 'ReduceLROnPlateau';
    atMost(op, 2, arguments);
    this.#groups = [...groupsOf(op, optimizer)];
    const all: Required<PlateauOptions> = { ...plateauUsual, ...readOptions(op, options, plateauNames) };
    holdAll(op, plateauRules, all);
    this.#options = all;
    this.best = this.#worst();
  }

  #isBetter(value: number): boolean {
    const { mode, threshold, thresholdMode } = this.#options;
    const sign = mode === 'min' ? -1 : 1;
    const bound = thresholdMode === 'rel' ? this.best * (1 + sign * threshold) : this.best + sign * threshold;
    return mode === 'min' ? value < bound : value > bound;
  }

  step(value: number): void {
    const { patience, cooldown, factor, minLr, eps } = this.#options;
    refuseState('step', 'call it after the compiled function');
    held('ReduceLROnPlateau', 'value', anyNumber, value);
    this.lastEpoch++;
    if (this.#isBetter(value)) {
      this.best = value;
      this.numBadEpochs = 0;
    } else this.numBadEpochs++;
    if (this.cooldownCounter > 0) {
      this.cooldownCounter--;
      this.numBadEpochs = 0;
    }
    if (this.numBadEpochs <= patience) return;
    for (const group of this.#groups) {
      const lr = Math.max(group.lr * factor, minLr);
      if (group.lr - lr > eps) group.lr = lr;
    }
    this.cooldownCounter = cooldown;
    this.numBadEpochs = 0;
  }

  /** The rates of the groups now. */
  getLastLr(): number[] {
    return this.#groups.map(({ lr }) => lr);
  }

  #worst(): number {
    return this.#options.mode === 'min' ? Infinity : -Infinity;
  }

  /** What loadStateDict takes, fit for JSON; `best` is null where no value was better than none. */
  stateDict(): Record<string, number | null> {
    const { best, numBadEpochs, cooldownCounter, lastEpoch } = this;
    return { best: best === this.#worst() ? null : best, numBadEpochs, cooldownCounter, lastEpoch };
  }

  loadStateDict(dict: Record<string, number | null>): void {
    const op = 'ReduceLROnPlateau.loadStateDict';
    const { best, ...counts } = plateauState;
    holdAll(op, { ...counts, ...(dict?.best === null ? {} : { best }) }, dict ?? {});
    this.best = dict.best ?? this.#worst();
    for (const name of ['numBadEpochs', 'cooldownCounter', 'lastEpoch'] as const) this[name] = dict[name]!;
  }
}

const plateauState = { best: aNumber, numBadEpochs: aCount, cooldownCounter: aCount, lastEpoch: aCount };
