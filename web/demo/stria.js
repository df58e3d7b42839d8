// The library as npm ships it, put here by web/setup.mjs.
export * from './vendor/stria/dist/index.js';
