/** The bytes of stria-simd.wasm in base64. */
declare const text: string;
export default text;
