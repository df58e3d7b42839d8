// dist/fflate.js, which scripts/vendor.mjs writes.
export declare function inflateSync(data: Uint8Array, options: { out: Uint8Array }): Uint8Array;
export declare function deflateSync(data: Uint8Array): Uint8Array;
