// The lists of functions in README.md, between markers: rows of the op tables from these, everything else that the package
// exports from the sources, by the compiler: names, parameters and the first sentence of the documentation.
import { basename } from 'node:path';
import ts from 'typescript';

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

// The first sentence, without a full stop.
function summary(symbol, checker) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll('\n', ' ').trim();
  return text.split(/(?<=[^.])\.(?:\s|$)|:\s*$/)[0].trim();
}

// Parameters as they are written in a call; of several forms those of the one with the most.
function parameters(declarations) {
  const forms = declarations.filter((node) => !node.body || declarations.length === 1);
  const isOptional = (node, k) => {
    const own = node.parameters[k];
    return !own || own.questionToken || own.initializer;
  };
  const longest = forms.reduce((a, b) => (b.parameters.length > a.parameters.length ? b : a));
  return longest.parameters
    .map(({ dotDotDotToken, name }, k) => {
      const mark = !dotDotDotToken && forms.some((node) => isOptional(node, k)) ? '?' : '';
      return `${dotDotDotToken ? '...' : ''}${name.getText()}${mark}`;
    })
    .join(', ');
}

const isInternal = (node) => ts.getJSDocTags(node).some((tag) => tag.tagName.text === 'internal');

// The whole documentation, and every form as it is declared.
const documentation = (symbol, checker) => ({
  doc: ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim(),
  forms: symbol.declarations
    .filter((node) => !node.body || symbol.declarations.length === 1)
    .map((node) => {
      const end = node.body?.pos ?? node.end;
      const text = node.getSourceFile().text.slice(node.getStart(), end);
      return text
        .replace(/^(export |declare |public |override )*/, '')
        .replace(/\s+/g, ' ')
        .replace(/;$/, '')
        .trim();
    }),
});

let found;
/** Public functions by file, and public members of Tensor that are written in tensor.ts. */
export function exported(root) {
  found ??= readExported(root);
  return found;
}

let program;
function programOf(root) {
  const config = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const files = ['index', 'nn', 'optim'].map((name) => `${root}src/${name}.ts`);
  return (program ??= ts.createProgram(files, options));
}

function readExported(root) {
  const program = programOf(root);
  const checker = program.getTypeChecker();
  const index = checker.getSymbolAtLocation(program.getSourceFile(`${root}src/index.ts`));
  const functions = [];
  const members = [];
  const takers = new Map(); // interfaces of options: who takes them
  const interfaces = new Map();
  for (const symbol of checker.getExportsOfModule(index)) {
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const file = basename(own.declarations[0].getSourceFile().fileName, '.ts');
    if (own.flags & ts.SymbolFlags.Function) {
      const text = `${symbol.name}(${parameters(own.declarations)})`;
      const types = own.declarations.map((node) => node.parameters.map(({ type }) => type?.getText()).join());
      for (const [name] of types.join().matchAll(/\b\w+Options\b/g))
        takers.set(name, new Set([...(takers.get(name) ?? []), symbol.name]));
      functions.push({
        name: symbol.name,
        file,
        text,
        summary: summary(own, checker),
        ...documentation(own, checker),
      });
    } else if (/Options$/.test(symbol.name)) {
      const fields = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(own));
      interfaces.set(
        symbol.name,
        fields.map(({ name }) => name),
      );
    }
    if (symbol.name === 'Tensor')
      for (const member of own.declarations[0].members) {
        if (!member.name || !ts.isIdentifier(member.name) || isInternal(member)) continue;
        if (members.some(({ name }) => name === member.name.text)) continue;
        if (member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword)) continue;
        const of = checker.getSymbolAtLocation(member.name);
        const call = ts.isMethodDeclaration(member) ? `(${parameters(of.declarations)})` : '';
        members.push({
          name: of.name,
          text: `x.${of.name}${call}`,
          summary: summary(of, checker),
          ...documentation(of, checker),
        });
      }
  }
  return { functions, members, takers, interfaces };
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
const listed = (rows) =>
  table(
    ['', ''],
    rows.map(({ text, summary }) => [`\`${text}\``, summary]),
  );

// Exports of stria/nn and stria/optim that are classes and functions, by the blocks that list them.
function learning(root, rowNames) {
  const program = programOf(root);
  const checker = program.getTypeChecker();
  const exportsOf = (symbol) => checker.getExportsOfModule(symbol);
  const moduleOf = (name) => checker.getSymbolAtLocation(program.getSourceFile(`${root}src/${name}.ts`));
  const found = {
    modules: [],
    layers: [],
    losses: [],
    initialisers: [],
    data: [],
    optimisers: [],
    schedulers: [],
    clipping: [],
  };
  const inherits = (type, name) =>
    (type.getBaseTypes?.() ?? []).some((base) => base.symbol?.name === name || inherits(base, name));
  const blockOf = (file, type, prefix) => {
    if (prefix === 'init.') return 'initialisers';
    if (file === 'spatial') return 'layers';
    if (file === 'layers') return inherits(type, 'Loss') ? 'losses' : 'layers';
    return {
      module: 'modules',
      data: 'data',
      optim: 'optimisers',
      schedulers: 'schedulers',
      clipping: 'clipping',
    }[file];
  };
  const add = (symbol, prefix) => {
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (own.flags & ts.SymbolFlags.ValueModule) {
      for (const member of exportsOf(own)) add(member, `${symbol.name}.`);
      return;
    }
    const [declaration] = own.declarations;
    const file = basename(declaration.getSourceFile().fileName, '.ts');
    if (!(own.flags & ts.SymbolFlags.Value)) return;
    if (file === 'ops.gen') {
      if (!rowNames.has(symbol.name)) throw new Error(`README.md has no place for ${symbol.name}`);
      return;
    }
    const type = checker.getTypeOfSymbol(own);
    const [made] = type.getConstructSignatures();
    const form = made ?? type.getCallSignatures()[0];
    const isOptional = ({ valueDeclaration: node }) => node?.questionToken || node?.initializer;
    const list = form.parameters.map(
      (one) => `${one.valueDeclaration?.dotDotDotToken ? '...' : ''}${one.name}${isOptional(one) ? '?' : ''}`,
    );
    const isBase = declaration.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword);
    const what = `${made && !isBase ? 'new ' : prefix}${symbol.name}(${list.join(', ')})`;
    const row = { text: isBase ? `class ${symbol.name}` : what, summary: summary(own, checker) };
    const block = blockOf(file, made ? checker.getDeclaredTypeOfSymbol(own) : type, prefix);
    if (!found[block]) throw new Error(`README.md has no place for ${symbol.name}`);
    if (row.summary === '') throw new Error(`${symbol.name} has no documentation`);
    found[block].push(row);
  };
  for (const name of ['nn', 'optim']) for (const symbol of exportsOf(moduleOf(name))) add(symbol, '');
  return Object.fromEntries(Object.entries(found).map(([name, rows]) => [name, listed(rows)]));
}

/** The blocks by the names of their markers. `forms` says how a row is called; `tables` are those of the core. */
export function blocks(root, tables, { element, reduction, whole }) {
  const { functions, members, takers, interfaces } = exported(root);
  const rows = [
    ...tables.ops.map(element),
    ...tables.reductions.map(reduction),
    ...tables.functions.map(whole),
  ];
  const inTables = new Set(rows.map((text) => text.split('(')[0]));
  const rest = functions.filter(({ name }) => !inTables.has(name));
  const of = (...files) => listed(rest.filter(({ file }) => files.includes(file)));
  const known = [
    'create',
    'generator',
    'memory',
    'memory_info',
    'devices',
    'init',
    'web',
    'kernel',
    'compile',
    'programs',
    'inspect',
    'safetensors',
    'gradients',
    'functional',
  ];
  const lost = rest.filter(({ file, name }) => !known.includes(file) && !['variance', 'tidy'].includes(name));
  if (lost.length > 0)
    throw new Error(`README.md has no place for ${lost.map(({ name }) => name).join(', ')}`);
  const summaries = (list, form) => list.map((row) => [`\`${form(row)}\``, row.summary]);
  // out alone is what every op takes; functions with the same options share a line
  const takersOf = new Map();
  for (const [name, fields] of interfaces) {
    if (!takers.has(name) || name === 'InitOptions' || name === 'OutOptions') continue;
    const key = fields.map((field) => `\`${field}\``).join(' ');
    const own = [...takers.get(name)].filter((taker) => taker !== 'variance').map((taker) => `\`${taker}\``);
    takersOf.set(key, [...(takersOf.get(key) ?? []), ...own]);
  }
  const optionRows = [...takersOf].map(([fields, names]) => [names.join(' '), fields]);
  return {
    options: table(['', 'options'], optionRows),
    making: of('create', 'generator'),
    start: of('init', 'web'),
    gradients: of('gradients', 'functional'),
    memory: of('memory', 'memory_info'),
    devices: of('devices'),
    files: of('safetensors'),
    loops: of('kernel', 'compile', 'programs', 'inspect'),
    ...learning(root, inTables),
    members: listed(members.filter(({ name }) => !inTables.has(name.replace(/_$/, '')))),
    ops: table(['', ''], summaries(tables.ops, element)),
    reductions: table(['', ''], summaries(tables.reductions, reduction)),
    functions: table(['', ''], summaries(tables.functions, whole)),
  };
}

/** text with what is between `<!-- name: written by .. -->` and `<!-- end -->` replaced, for every block. */
export function fill(text, parts) {
  for (const [name, part] of Object.entries(parts)) {
    const marked = new RegExp(`(<!-- ${name}: [^\\n]*-->\\n)[^]*?(\\n<!-- end -->)`);
    if (!marked.test(text)) throw new Error(`README.md has no block ${name}`);
    text = text.replace(marked, (_, begin, end) => `${begin}\n${part}\n${end}`);
  }
  return text;
}
