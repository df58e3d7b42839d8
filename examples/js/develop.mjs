// develop.mjs - a picture in bytes, and what a darkroom does with it, as tensor ops. server.mjs serves it.
//
// The steps are those of the photo page (web/demo/pipeline.js), on whatever device the picture is on: a CUDA device runs them without a
// line of their own.
import { empty, fromBytes, fromNpy, lerp, linspace, matmul, MemoryError, scope, tensor } from 'stria';

/** What was sent is no picture, or one that is not taken; `status` is that of HTTP. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Of each setting: its default, the least and the most that it may be. */
export const ranges = {
  exposure: [0, -4, 4],
  contrast: [1, 0, 4],
  temperature: [0, -1, 1],
  tint: [0, -1, 1],
  saturation: [1, 0, 4],
  vignette: [0, 0, 2],
  mirror: [0, 0, 1],
};

const LUMA = [0.2126, 0.7152, 0.0722];

/** Settings from the parameters of an address; the defaults stand for what is not given. */
export function settingsFrom(parameters) {
  const settings = Object.fromEntries(Object.entries(ranges).map(([name, [value]]) => [name, value]));
  for (const [name, text] of parameters) {
    if (!Object.hasOwn(ranges, name))
      throw new Refused(
        400,
        `no setting '${name.slice(0, 40)}'; there are ${Object.keys(ranges).join(', ')}`,
      );
    const [, least, most] = ranges[name];
    const value = text.trim() === '' ? NaN : Number(text);
    if (!(value >= least && value <= most))
      throw new Refused(400, `${name} must be a number from ${least} to ${most}, not '${text.slice(0, 40)}'`);
    settings[name] = value;
  }
  return settings;
}

// ---------------------------------------------------------------- pictures as bytes

const space = (byte) => byte === 32 || (byte >= 9 && byte <= 13);

// The three numbers of a PPM header, between which comments may stand, and the place behind it.
function ppmHeader(bytes) {
  const numbers = [];
  let at = 2;
  while (numbers.length < 3) {
    if (at >= bytes.length || at > 4096) throw new Refused(400, 'the header of the PPM file does not end');
    if (space(bytes[at])) at++;
    else if (bytes[at] === 35) {
      while (at < bytes.length && bytes[at] !== 10) at++;
    } else {
      const word = /^\d{1,9}(?=[\t-\r #])/.exec(bytes.toString('latin1', at, at + 16))?.[0];
      if (word === undefined)
        throw new Refused(400, 'the header of the PPM file has something else than numbers');
      numbers.push(Number(word));
      at += word.length;
    }
  }
  if (!space(bytes[at])) throw new Refused(400, 'the header of the PPM file does not end');
  return [...numbers, at + 1];
}

function readPpm(bytes, checkSize) {
  if (bytes.toString('latin1', 0, 2) !== 'P6') throw new Refused(400, 'a PPM file of bytes begins with P6');
  const [width, height, most, begin] = ppmHeader(bytes);
  if (most !== 255) throw new Refused(400, `a PPM file of bytes has 255 as its largest value, not ${most}`);
  checkSize(height, width);
  const found = bytes.length - begin;
  if (found !== 3 * width * height)
    throw new Refused(
      400,
      `a PPM file of ${width} x ${height} has ${3 * width * height} bytes of colours, not ${found}`,
    );
  return fromBytes(bytes.subarray(begin), { dtype: 'uint8', shape: [height, width, 3] });
}

function readNpy(bytes, checkSize) {
  let x;
  try {
    x = fromNpy(bytes); // a FormatError says what is wrong
  } catch (error) {
    if (error instanceof MemoryError) throw error;
    throw new Refused(400, error.message);
  }
  if (x.dtype !== 'uint8' || x.ndim !== 3 || x.shape[2] !== 3)
    throw new Refused(400, `a picture is uint8 [height, width, 3], not ${x.dtype} [${x.shape}]`);
  checkSize(x.shape[0], x.shape[1]);
  return x;
}

/** The head of a .npy file of uint8 with this shape. */
function npyHead(shape) {
  const text = `{'descr': '|u1', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`;
  const head = Buffer.alloc(64 * Math.ceil((text.length + 11) / 64), ' ');
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(head.length - 10, 8);
  head.write(text, 10, 'latin1');
  head[head.length - 1] = 10;
  return head;
}

/** By the type of their contents: how pictures are read, and the head of a file of the bytes that follow. */
export const formats = {
  'image/x-portable-pixmap': {
    read: readPpm,
    head: ([height, width]) => Buffer.from(`P6\n${width} ${height}\n255\n`),
  },
  'application/x-npy': { read: readNpy, head: npyHead },
};

// ---------------------------------------------------------------- what is done with them

// Of each colour in the result, how much it has of each one before.
function mixOf(saturation) {
  return [0, 1, 2].map((i) => LUMA.map((luma, j) => (1 - saturation) * luma + (i === j ? saturation : 0)));
}

/** The picture uint8 [height, width, 3] developed: another one of its shape, on its device. */
export function develop(photo, { exposure, contrast, temperature, tint, saturation, vignette, mirror }) {
  return scope(() => {
    const [height, width] = photo.shape;
    const { device } = photo;
    const planes = photo.permute(2, 0, 1); // a view: [3, height, width]
    const f = empty([3, height, width], { device });
    f.copy_(mirror >= 0.5 ? planes.flip(2) : planes).mul_(2 ** exposure);
    const balance = [1 + 0.3 * temperature, 1 - 0.2 * tint, 1 - 0.3 * temperature];
    f.mul_(tensor(balance, { shape: [3, 1, 1], device }));
    lerp(128, f, contrast, { out: f });
    const mixed = matmul(tensor(mixOf(saturation), { device }), f.view(3, -1)).view(3, height, width);
    const squares = (size) => linspace(-1, 1, size, { device }).square_();
    const rows = squares(height).mul_(-vignette / 2);
    const columns = squares(width)
      .mul_(-vignette / 2)
      .add_(1);
    mixed.mul_(rows.view(height, 1).add(columns));
    const pixels = empty([height, width, 3], { dtype: 'uint8', device });
    pixels.permute(2, 0, 1).copy_(mixed.round_()); // a copy to bytes saturates
    return pixels;
  });
}
