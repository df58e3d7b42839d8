// Put into the JavaScript that Emscripten writes around a module (--pre-js), inside its function. Files are found, and
// workers started, by the package (src/load_wasm.ts), so that one text serves pages, workers, Node, and every bundler.
var Worker = Module['striaWorker'];
// an engine without it: asked only if nobody set the number of threads
var navigator = globalThis.navigator || { hardwareConcurrency: 1 };
if (typeof ENVIRONMENT_IS_PTHREAD != 'undefined') ENVIRONMENT_IS_PTHREAD = !!Module['striaThread'];
