// What numbers and flags that a caller gives must be, and the words for it.
import { refuse } from './abi.js';
import { print } from './arguments.js';
import { isArray } from './intrinsics.js';

/** What a value must be. */
export interface Rule {
  readonly words: string;
  readonly test: (value: unknown) => boolean;
}

const numbers = (words: string, test: (x: number) => boolean): Rule => ({
  words,
  test: (value) => typeof value === 'number' && test(value),
});

export const aFlag: Rule = { words: 'true or false', test: (value) => typeof value === 'boolean' };
export const aNumber = numbers('a number', (x) => !Number.isNaN(x));
export const atLeast0 = numbers('a number >= 0', (x) => x >= 0);
export const above0 = numbers('a number above 0', (x) => x > 0);
export const below1 = numbers('a number below 1', (x) => x < 1);
export const aShare = numbers('in [0, 1]', (x) => x >= 0 && x <= 1);
export const aShareAbove0 = numbers('in (0, 1]', (x) => x > 0 && x <= 1);
export const aCount = numbers('a whole number >= 0', (x) => Number.isSafeInteger(x) && x >= 0);
export const aCountAbove0 = numbers('a whole number above 0', (x) => Number.isSafeInteger(x) && x > 0);
export const twoShares: Rule = {
  words: 'two numbers in [0, 1)',
  test: (value) =>
    isArray(value) && value.length === 2 && value.every((x) => typeof x === 'number' && x >= 0 && x < 1),
};
export const oneOf = (...words: string[]): Rule => ({
  words: words.map((word) => `'${word}'`).join(' or '),
  test: (value) => words.includes(value as string),
});

/** The value, refused by its name if it breaks the rule. */
export function held<T>(op: string, name: string, rule: Rule, value: T): T {
  return rule.test(value) ? value : refuse('ERR_ARGUMENT', op, name, rule.words, print(value));
}

/** The same for several. */
export function holdAll(op: string, rules: Readonly<Record<string, Rule>>, values: object): void {
  for (const [name, rule] of Object.entries(rules))
    held(op, name, rule, (values as Record<string, unknown>)[name]);
}
