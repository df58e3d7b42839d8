// The library and its subpaths, as npm ships them, put here by web/setup.mjs.
export * from '../stria.js';
export * as nn from '../vendor/stria/dist/nn.js';
export * as optim from '../vendor/stria/dist/optim.js';
export { explainSvg } from '../vendor/stria/dist/explain.js';
