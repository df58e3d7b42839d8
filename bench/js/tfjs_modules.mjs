// tfjs_modules.mjs - hooks of Node's loader for tfjs. What its packages offer to Node is a bundle without gradients;
// the modules that bundlers for pages take have them, but neither say that they are ES modules, nor name files in full.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const inTfjs = /\/@tensorflow\/tfjs-[^/]+\/dist\//;

export async function resolve(specifier, context, next) {
  const own = /^@tensorflow\/tfjs-[^/]+(\/dist\/.*)?$/.exec(specifier);
  const isRelative = specifier.startsWith('.') && inTfjs.test(context.parentURL ?? '');
  if (!own && !isRelative) return next(specifier, context);
  const base = isRelative
    ? new URL(specifier, context.parentURL)
    : new URL(`../node_modules/${specifier}${own[1] ? '' : '/dist/index'}`, import.meta.url);
  const found = ['', '.js', '/index.js'].map((end) => new URL(base.href + end)).find(isFile);
  return found ? { url: found.href, shortCircuit: true } : next(specifier, context);
}

const isFile = (url) => /\.\w+$/.test(url.pathname) && existsSync(url);

export async function load(url, context, next) {
  if (!inTfjs.test(url) || !url.endsWith('.js')) return next(url, context);
  return { format: 'module', source: await readFile(fileURLToPath(url)), shortCircuit: true };
}
