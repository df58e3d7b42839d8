import type { ModuleFactory } from '../load_wasm.js';
declare const factory: ModuleFactory;
export default factory;
