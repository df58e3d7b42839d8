import type { ModuleFactory } from '../init.js';
declare const factory: ModuleFactory;
export default factory;
