// The package as Node, Deno and Bun see it (package.json, "exports").
export * from './index.js';
export { init } from './node_platform.js';
