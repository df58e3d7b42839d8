// Looks at a file that a visitor chose before the browser decodes it: what is no picture, was cut off or is too large is refused
// in words. Browsers decode what there is of a cut-off picture, or give up without saying why, and a small file may ask
// for more memory than there is.

const MOST_BYTES = 200e6;
const MOST_PIXELS = 100e6;

const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
const text = (bytes, from, to) => String.fromCharCode(...bytes.subarray(from, to));

// ---- what the formats say of themselves: { kind, width, height, isWhole }, or undefined

function readPng(bytes, view) {
  if (view.getUint32(0) !== 0x89504e47) return undefined;
  let at = 8;
  while (at + 12 <= bytes.length && text(bytes, at + 4, at + 8) !== 'IEND') at += 12 + view.getUint32(at);
  return {
    kind: 'PNG',
    width: view.getUint32(16),
    height: view.getUint32(20),
    isWhole: at + 12 <= bytes.length,
  };
}

const isFrame = (marker) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

// Segments up to the first scan have lengths; behind it the end marker must come, which entropy-coded bytes cannot contain.
function readJpeg(bytes, view) {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  const found = { kind: 'JPEG', width: 0, height: 0, isWhole: false };
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1];
    if (isFrame(marker)) [found.height, found.width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
    if (marker === 0xda) break;
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  for (; at + 1 < bytes.length && !found.isWhole; at++)
    found.isWhole = bytes[at] === 0xff && bytes[at + 1] === 0xd9;
  return found;
}

function readGif(bytes, view) {
  if (text(bytes, 0, 4) !== 'GIF8') return undefined;
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  return { kind: 'GIF', width, height, isWhole: bytes.lastIndexOf(0x3b) > 12 };
}

function readWebp(bytes, view) {
  if (text(bytes, 0, 4) !== 'RIFF' || text(bytes, 8, 12) !== 'WEBP') return undefined;
  const found = { kind: 'WebP', width: 0, height: 0, isWhole: 8 + view.getUint32(4, true) <= bytes.length };
  const three = (at) => view.getUint16(at, true) + (bytes[at + 2] << 16);
  const form = text(bytes, 12, 16);
  if (form === 'VP8X') [found.width, found.height] = [three(24) + 1, three(27) + 1];
  if (form === 'VP8 ') [found.width, found.height] = [26, 28].map((at) => view.getUint16(at, true) & 0x3fff);
  if (form === 'VP8L') {
    const sizes = view.getUint32(21, true);
    [found.width, found.height] = [(sizes & 0x3fff) + 1, ((sizes >>> 14) & 0x3fff) + 1];
  }
  return found;
}

const LONGEST_HEADER = 32; // of these formats, up to where a size is read

async function readFacts(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  if (bytes.length < LONGEST_HEADER) return undefined;
  const view = new DataView(bytes.buffer);
  return readPng(bytes, view) ?? readJpeg(bytes, view) ?? readGif(bytes, view) ?? readWebp(bytes, view);
}

/** A bitmap from a file, or an Error whose message names the file and says what is wrong with it. */
export async function decode(blob) {
  const name = blob.name || 'This file';
  const refuse = (why, cause) => {
    throw new Error(`${name} ${why}`, { cause });
  };
  if (blob.size === 0) refuse('is empty.');
  if (blob.size > MOST_BYTES)
    refuse(`has ${megabytes(blob.size)}; this page opens pictures of up to ${megabytes(MOST_BYTES)}.`);
  const facts = await readFacts(blob).catch((cause) => refuse('cannot be read.', cause));
  if (facts && facts.width * facts.height > MOST_PIXELS)
    refuse(
      `has ${facts.width} × ${facts.height} pixels; this page opens up to ${MOST_PIXELS / 1e6} million.`,
    );
  if (facts && !facts.isWhole) refuse(`is cut off: the end of the ${facts.kind} is missing.`);
  return createImageBitmap(blob).catch((cause) =>
    refuse(
      facts
        ? `is a ${facts.kind}, but damaged: the browser cannot decode it.`
        : 'is not a picture that this browser can read.',
      cause,
    ),
  );
}
