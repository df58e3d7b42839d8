// The library and its two subpaths, as npm ships them, put here by web/setup.mjs. Import maps do not reach workers,
// so paths are written out.
export * from '../stria.js';
export * as nn from '../vendor/stria/dist/nn.js';
export * as optim from '../vendor/stria/dist/optim.js';
