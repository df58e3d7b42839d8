// onnx_model.mjs - ONNX models of a few nodes, as the bytes that ONNX Runtime reads.
//
// Field numbers: onnx.proto3 of ONNX, https://github.com/onnx/onnx (IR version 8, opset 13); the encoding is that of
// protocol buffers: https://protobuf.dev/programming-guides/encoding/

const text = new TextEncoder();

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 127n);
    rest >>= 7n;
    bytes.push(rest ? low | 128 : low);
  } while (rest);
  return bytes;
}

const integer = (field, value) => [...varint(field << 3), ...varint(value)];
const block = (field, bytes) => [...varint((field << 3) | 2), ...varint(bytes.length), ...bytes];
const string = (field, value) => block(field, [...text.encode(value)]);

const FLOAT = 1;
const INT64 = 7;

/** ValueInfoProto: a named f32 tensor of known shape. */
function valueInfo(name, shape) {
  const dims = shape.flatMap((size) => block(1, integer(1, size)));
  const tensorType = [...integer(1, FLOAT), ...block(2, dims)];
  return [...string(1, name), ...block(2, block(1, tensorType))];
}

/** AttributeProto: an integer, or a list of them. */
function attribute([name, value]) {
  const content = Array.isArray(value)
    ? [...value.flatMap((item) => integer(8, item)), ...integer(20, 7)]
    : [...integer(3, value), ...integer(20, 2)];
  return block(5, [...string(1, name), ...content]);
}

/** NodeProto. */
function node([op, inputs, output, attributes = {}]) {
  return [
    ...inputs.flatMap((name) => string(1, name)),
    ...string(2, output),
    ...string(4, op),
    ...Object.entries(attributes).flatMap(attribute),
  ];
}

/** TensorProto of int64 numbers, one axis. */
function constant([name, values]) {
  return [
    ...integer(1, values.length),
    ...integer(2, INT64),
    ...values.flatMap((v) => integer(7, v)),
    ...string(8, name),
  ];
}

/**
 * The bytes of a model.
 *
 * inputs     { name: shape }, f32
 * nodes      [[op, input names, output name, attributes], ..]; the last output is called 'y'
 * outShape   shape of y, f32
 * constants  { name: [integers] }, as operators that take axes as an input want them
 */
export function onnxModel({ inputs, nodes, outShape, constants = {} }) {
  const graph = [
    ...nodes.flatMap((n) => block(1, node(n))),
    ...string(2, 'bench'),
    ...Object.entries(constants).flatMap((c) => block(5, constant(c))),
    ...Object.entries(inputs).flatMap(([name, shape]) => block(11, valueInfo(name, shape))),
    ...block(12, valueInfo('y', outShape)),
  ];
  return new Uint8Array([...integer(1, 8), ...block(7, graph), ...block(8, integer(2, 13))]);
}
