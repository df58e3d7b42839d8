// Bad input of every function on whole tensors, from its row: each parameter is given the wrong values of its kind, by position and by
// name, and must be refused by its name; what cannot be missing must be missed.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as stria from 'stria';
import {
  functionRows,
  Generator,
  scope,
  StriaError,
  tensor,
  zeros,
  type FunctionRow,
  type Parameter,
  type Tensor,
} from 'stria';
import { checkLeaksAtEnd, load } from './support.js';

await load();
checkLeaksAtEnd();

// In place of the axis there may be a second tensor.
const ofTwo = new Set(['max', 'min']);
// Whose list of tensors may stand one by one.
const oneByOne = new Set(['einsum']);
// Whose first attribute is left out where one is given: arange(end), randint(high, shape).
const secondAlone = new Set(['arange', 'randint', 'randintLike']);

const inPlaceName = ({ name }: FunctionRow): string => (name === 'fillNormal' ? 'normal_' : `${name}_`);

type Values = Record<string, unknown>;
type Function = (...given: unknown[]) => unknown;
const isArgument = ({ kind }: Parameter): boolean => kind !== 'OPTIONAL' && kind !== 'UPDATED_OR_NONE';
// Views have no options beside their arguments.
const isView = ({ outputs }: FunctionRow): boolean => ['VIEW', 'TENSORS'].includes(outputs[0]?.kind);
// Rows that write into lists have none.
const hasOut = (row: FunctionRow): boolean => row.outputs.length > 0 && !isView(row);
// Rows that write into lists, all of whose attributes are arguments.
const hasNoOptions = ({ tensors, attributes, outputs, positional }: FunctionRow): boolean =>
  outputs.length === 0 && positional === attributes.length && tensors.every(isArgument);
const isList = ({ kind }: Parameter): boolean => ['AXES', 'SHAPE', 'INT_LIST'].includes(kind);
// Whether the last argument is a list, whose members may stand one by one.
const endsInList = ({ attributes, positional }: FunctionRow): boolean =>
  positional > 0 && isList(attributes[positional - 1]);
const isTensor = ({ kind }: Parameter): boolean => ['IN', 'BASE', 'OPTIONAL'].includes(kind);

const object = { some: 1 };
const noTensors = [3, 1n, true, 'x', [1], object, new Float32Array(2), () => 1, Symbol('s')];
const noWholes = [0.5, NaN, Infinity, 2 ** 53, '1', true, 1n];

// Wrong values by kind; x is a tensor, gone one that was disposed of. What is null or undefined was not given.
function wrong({ kind, n = 1 }: Parameter, x: Tensor, gone: Tensor): unknown[] {
  const lists = [new Array<number>(n + 1).fill(1), [], [0.5], ['a'], x];
  switch (kind) {
    case 'IN':
    case 'BASE':
      return [...noTensors, gone, undefined, null];
    case 'OPTIONAL':
      return [...noTensors, gone];
    case 'OPERAND':
      return ['x', [1], object, gone, undefined, null, 2n ** 64n];
    case 'UPDATED_OR_NONE':
      return [x, 3, object, [x, 3], [gone], [x, undefined], [x, x]];
    case 'LIST':
    case 'UPDATED':
      return [x, 3, object, [x, 3], [gone], [x, undefined], undefined, null];
    case 'AXIS':
      return [...noWholes, [0], x, 64, -65, 2 ** 40];
    case 'AXES':
      return [
        ...noWholes.filter((value) => typeof value === 'number'),
        '0',
        true,
        x,
        [0, 0],
        [0.5],
        [64],
        64,
      ];
    case 'SHAPE':
      return [...noWholes, x, [0.5], ['2'], -7, new Array<number>(65).fill(1)];
    case 'INT_LIST':
      return [...noWholes, x, [0.5], ['2'], new Array<number>(129).fill(1)];
    case 'INT_OR_LIST':
      return [...noWholes, x, [0.5], ['2'], new Array<number>(4096).fill(0)];
    case 'INTS':
      return [...noWholes, ...lists];
    case 'INT':
      return [...noWholes, [1], x];
    case 'NUMBER':
      return ['1', 1n, true, [1], x];
    case 'SCALAR':
      return ['1', [1], x, 2n ** 64n];
    case 'FLAG':
      return ['true', 0, 1, [], x];
    case 'DTYPE':
      return ['f32', 'float31', 3, [], 'constructor'];
    case 'DEVICE':
      return ['', 'cpu:1', 'cuda:16', 'cuda:01', 'gpu', 'cuda:', 0, true, [], x];
    case 'TEXT':
      return [3, true, ['ij'], x, undefined, null, 'ij\u00e9', 'ij\0', '\ud83d', 'i'.repeat(1025)];
    case 'GENERATOR':
      return [0, 7n, true, 'seed', [], {}, x, new Proxy(new Generator(1), {}), Generator];
    case 'WORD':
      return ['', 'no word', 0, [], x];
    default:
      throw new Error(`no wrong values of ${kind}`);
  }
}

function right({ kind, words }: Parameter, x: Tensor): unknown {
  if (kind === 'LIST' || kind === 'UPDATED' || kind === 'UPDATED_OR_NONE') return [x];
  if (kind === 'FLAG') return false;
  if (kind === 'WORD') return words![0];
  if (kind === 'TEXT') return 'ij'; // an equation
  if (kind === 'DTYPE') return 'float32';
  if (kind === 'DEVICE') return 'cpu';
  if (kind === 'SHAPE') return [2];
  return ['IN', 'BASE', 'OPTIONAL', 'OPERAND'].includes(kind) ? x : 0;
}

// How many arguments there are up to the last tensor.
function countLeading({ tensors, order }: FunctionRow): number {
  const count = tensors.filter(isArgument).length;
  return order ? Math.max(...order.map((place, k) => (place < count ? k + 1 : 0))) : count;
}

// The arguments of a call: those that must be given, with the values that are to be tried.
function argumentsOf(row: FunctionRow, x: Tensor, values: Values, isNamed: boolean): unknown[] {
  const tensors = row.tensors.filter(isArgument);
  const given = tensors.map((one) => (one.name in values ? values[one.name] : right(one, x)));
  const options: Values = {};
  for (const one of row.tensors)
    if (!isArgument(one) && one.name in values) options[one.name] = values[one.name];
  row.attributes.forEach((one, k) => {
    const value =
      one.name in values ? values[one.name] : one.usual === 'REQUIRED' ? right(one, x) : undefined;
    const isPlaced = k < row.positional && !(isNamed && one.name in values);
    if (isPlaced || row.order) given.push(isPlaced ? value : undefined);
    if (!isPlaced && value !== undefined) options[one.name] = value;
  });
  if ('out' in values) options.out = values.out;
  const ordered = row.order ? row.order.map((place) => given[place]) : given;
  while (ordered.length > countLeading(row) && ordered.at(-1) === undefined) ordered.pop();
  return Object.keys(options).length > 0 ? [...ordered, options] : ordered;
}

function refused(row: FunctionRow, name: string, run: () => unknown, what: string): void {
  assert.throws(run, (error: unknown) => {
    assert.ok(error instanceof StriaError, `${what}: ${String(error)}`);
    assert.equal(error.op, row.name, what);
    assert.match(error.argument, new RegExp(`^${name}(\\[\\d+\\]|\\.\\w+)?$`), `${what}: ${error.message}`);
    assert.ok(
      (error.message.startsWith(`${row.name}: `) && error.message.includes(error.argument.split('[')[0])) ||
        error.code === 'ERR_AXIS',
      error.message,
    );
    return true;
  });
}

const show = (value: unknown): string => {
  try {
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  } catch {
    return typeof value;
  }
};

for (const row of functionRows) {
  test(`${row.name}: every parameter is refused by its name`, () => {
    scope(() => {
      const x = tensor([
        [1, 2],
        [3, 4],
      ]);
      const gone = tensor([1]);
      gone.dispose();
      const fn = (stria as unknown as Record<string, Function>)[row.name];
      const method = (x as unknown as Record<string, Function>)[row.name];
      let tried = 0;
      for (const one of [...row.tensors, ...row.attributes])
        for (const value of wrong(one, x, gone))
          for (const isNamed of [false, true]) {
            if (ofTwo.has(row.name) && one.kind === 'AXIS' && value === x && !isNamed) continue;
            if (oneByOne.has(row.name) && one.kind === 'LIST' && value === x) continue;
            const given = argumentsOf(row, x, { [one.name]: value }, isNamed);
            const what = `${row.name} ${one.name} ${show(value)}`;
            refused(row, one.name, () => fn(...given), what);
            if (
              row.tensors.length > 0 &&
              one !== row.tensors[0] &&
              isTensor(row.tensors[0]) &&
              row.outputs.length > 0 &&
              row.name !== 'copy'
            )
              refused(row, one.name, () => method.apply(x, given.slice(1)), what);
            tried++;
          }
      row.attributes.slice(0, row.positional).forEach((one, k) => {
        if (one.usual !== 'REQUIRED') return;
        for (const missing of [undefined, null]) {
          const given = argumentsOf(row, x, { [one.name]: missing }, false);
          given[row.tensors.filter(isArgument).length + k] ??= missing; // no member at all is an empty list
          refused(row, one.name, () => fn(...given), one.name);
        }
      });
      if (!hasOut(row)) return;
      for (const out of [...noTensors, null, gone]) {
        const given = argumentsOf(row, x, { out }, false);
        refused(row, 'out', () => fn(...given), `${row.name} out ${show(out)}`);
      }
      assert.ok(tried > 10, `${tried} values`);
    });
  });

  test(`${row.name}: arguments beyond the last, options that there are not, values given twice`, () => {
    scope(() => {
      const x = zeros([2, 2]);
      const fn = (stria as unknown as Record<string, Function>)[row.name];
      const given = argumentsOf(row, x, {}, false);
      const most = row.tensors.filter(isArgument).length + row.positional;
      const more = [...given, ...new Array<undefined>(most + 2 - given.length).fill(undefined)];
      if (endsInList(row)) more[most - 1] = [1];
      assert.throws(() => fn(...more), { code: 'ERR_ARGUMENT', op: row.name, argument: 'arguments' });
      const hasNone = isView(row) || hasNoOptions(row);
      if (hasNone && row.positional === 0) return;
      const before = hasNone ? given.slice(0, row.tensors.filter(isArgument).length) : given;
      const unknown = { code: 'ERR_ARGUMENT', op: row.name, argument: 'colour' };
      assert.throws(() => fn(...before, { colour: 1 }), unknown);
      if (row.positional === 0 || (hasNone && row.positional < 2) || secondAlone.has(row.name)) return;
      const [first] = row.attributes;
      const value = right(first, x);
      const own = argumentsOf(row, x, { [first.name]: value }, false);
      const count = Math.max(countLeading(row), row.tensors.filter(isArgument).length + 1);
      const twice = [...own.slice(0, count), { [first.name]: value }];
      assert.throws(() => fn(...twice), { code: 'ERR_CONFIG', op: row.name, argument: first.name });
    });
  });

  // where the arguments before it may be left out
  if (
    endsInList(row) &&
    row.attributes.slice(0, row.positional - 1).every(({ usual }) => usual !== 'REQUIRED')
  )
    test(`${row.name}: the last argument as a list, or member by member`, () => {
      scope(() => {
        const x = tensor([
          [1, 2],
          [3, 4],
        ]);
        const fn = (stria as unknown as Record<string, Function>)[row.name];
        const method = (x as unknown as Record<string, Function>)[row.name];
        const before = row.attributes.slice(0, row.positional - 1).map(() => undefined);
        const one = row.attributes[row.positional - 1];
        const isMade = row.tensors.length === 0; // of a shape; its elements may be undefined
        const tensors = row.tensors.filter(({ kind }) => kind !== 'OPTIONAL').map(() => x);
        const elements = (y: unknown): unknown => {
          if (isMade) return (y as Tensor).shape;
          if (row.outputs.length === 1) return (y as Tensor).toArray();
          return Object.values(y as Record<string, Tensor>).map((one) => one.toArray());
        };
        for (const list of one.kind === 'AXES'
          ? [
              [1, 0],
              [0, 1],
            ]
          : [[2, 2]]) {
          const wanted = elements(fn(...tensors, ...before, list));
          assert.deepEqual(elements(fn(...tensors, ...before, ...list)), wanted);
          if (!isMade)
            assert.deepEqual(elements(method.call(x, ...tensors.slice(1), ...before, ...list)), wanted);
          assert.deepEqual(elements(fn(...tensors, ...before, new Int32Array(list))), wanted);
          assert.deepEqual(elements(fn(...tensors, ...before, { [one.name]: list })), wanted);
          if (!isView(row) && row.outputs.length === 1) {
            const out = stria.empty([1], { dtype: (fn(...tensors, ...before, list) as Tensor).dtype });
            assert.equal(
              (isMade ? fn : method).call(x, ...tensors.slice(1), ...before, ...list, { out }),
              out,
            );
            assert.deepEqual(elements(out), wanted);
          }
        }
        for (const wrong of ['0', null, undefined, [0], 0.5, x, 1n]) {
          if (!isView(row) && !wrong) continue; // no options
          refused(row, one.name, () => fn(...tensors, ...before, 1, wrong, 0), show(wrong));
          refused(
            row,
            isView(row) ? one.name : `(options|${one.name})`,
            () => (isMade ? fn : method).call(x, ...tensors.slice(1), ...before, 1, wrong),
            show(wrong),
          );
        }
        const members = new Array<number>(one.kind === 'INT_LIST' ? 129 : 65).fill(1);
        refused(row, one.name, () => fn(...tensors, ...before, ...members), 'too many');
        const twice = { code: 'ERR_CONFIG', op: row.name, argument: one.name };
        assert.throws(() => fn(...tensors, ...before, 1, 1, { [one.name]: 1 }), twice);
        const more = { code: 'ERR_ARGUMENT', op: row.name, argument: 'arguments' };
        assert.throws(() => (isMade ? fn : method).call(x, ...tensors.slice(1), ...before, [1], {}, 1), more);
      });
    });

  // Of copy there is copy_ alone, which takes arrays, too.
  if (row.outputs[0]?.kind === 'INPLACE' && row.name !== 'copy')
    test(`${row.name}_: neither out nor dtype`, () => {
      scope(() => {
        const x = zeros([2, 2]);
        const method = (x as unknown as Record<string, Function>)[inPlaceName(row)];
        const given = argumentsOf(row, x, {}, true).slice(1);
        const tensors = row.tensors.filter(isArgument).length;
        const hasOptions =
          row.attributes.length > countLeading(row) - tensors || row.tensors.length > tensors;
        for (const name of ['out', 'dtype'])
          assert.throws(() => method.apply(x, [...given.slice(0, countLeading(row) - 1), { [name]: x }]), {
            code: 'ERR_ARGUMENT',
            op: hasOptions ? row.name : inPlaceName(row),
            argument: hasOptions ? name : 'arguments',
          });
        assert.throws(() => method.call(3, ...given), {
          code: 'ERR_ARGUMENT',
          op: row.name,
          argument: row.tensors[0].name,
        });
      });
    });
}
