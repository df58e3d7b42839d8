// The hash that ties a module to the JavaScript that calls it: of every name, number and usual value that one of them takes from
// the other, in order. stria_abi_fingerprint (native/abi.c) is the same.

const parameterWords = ({ kind, name, usual, dtype, words, n }) => [
  ...[kind, name, usual ?? dtype ?? '', words ?? ''],
  String(n ?? 0),
];

function* wordsOf({ ops, reductions, functions, dtypes, statuses, devices }, abi) {
  for (const { name, arity, result } of ops) yield* [name, String(arity), result];
  for (const { name, result } of reductions) yield* [name, result];
  for (const { name, tensors, attributes, outputs } of functions)
    yield* [name, ...[...tensors, ...attributes, ...outputs].flatMap(parameterWords)];
  for (const { js } of dtypes) yield js;
  for (const { name } of statuses) yield name;
  for (const { name, most } of devices) yield* [name, String(most)];
  for (const [, name, count] of abi) yield* [name, count];
}

/** Of the tables that opdump prints, and of the rows of native/abi.def: [_, name, number of arguments]. */
export function fingerprint(tables, abi) {
  let hash = 2166136261; // FNV-1a
  for (const word of wordsOf(tables, abi))
    for (const letter of word + '\n') hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return hash >>> 0;
}

/** The rows of the text of native/abi.def: [_, name, number of arguments, summary]. */
export const abiRows = (text) => [...text.matchAll(/^STRIA_ABI\((\w+),\s*(\d),\s*"(.*)"\)$/gm)];
