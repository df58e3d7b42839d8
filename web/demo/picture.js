// Pictures as { width, height, data }: RGBA bytes, at most `side` pixels long, on white where they are transparent.

function context(width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const drawing = canvas.getContext('2d', { willReadFrequently: true });
  drawing.imageSmoothingQuality = 'high';
  drawing.fillStyle = '#fff';
  drawing.fillRect(0, 0, width, height);
  return drawing;
}

function pixelsOf(drawing) {
  const { width, height } = drawing.canvas;
  return { width, height, data: drawing.getImageData(0, 0, width, height).data };
}

/** A bitmap scaled down to fit; never up. */
export function fitted(bitmap, side) {
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const drawing = context(width, height);
  drawing.drawImage(bitmap, 0, 0, width, height);
  return pixelsOf(drawing);
}

/** A bitmap scaled and cut to cover a size. */
export function covering(bitmap, width, height) {
  const scale = Math.max(width / bitmap.width, height / bitmap.height);
  const drawing = context(width, height);
  const [w, h] = [bitmap.width * scale, bitmap.height * scale];
  drawing.drawImage(bitmap, (width - w) / 2, (height - h) / 2, w, h);
  return pixelsOf(drawing);
}

async function load(name) {
  const response = await fetch(new URL(`assets/${name}`, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return createImageBitmap(await response.blob());
}

// Hills under an evening sky, for when the photographs are not there. `shift` makes another one.
function drawn(shift) {
  const [width, height] = [1920, 1280];
  const drawing = context(width, height);
  const sky = drawing.createLinearGradient(0, 0, 0, height);
  const hue = 215 + shift;
  [
    [0, 60, 32],
    [0.45, 55, 62],
    [0.7, 80, 76],
  ].forEach(([at, saturation, light], k) =>
    sky.addColorStop(at, `hsl(${k === 2 ? 35 + shift : hue} ${saturation}% ${light}%)`),
  );
  drawing.fillStyle = sky;
  drawing.fillRect(0, 0, width, height);
  drawing.fillStyle = `hsl(${45 + shift} 100% 88%)`;
  drawing.beginPath();
  drawing.arc(width * (0.68 - shift / 400), height * 0.46, 90, 0, 7);
  drawing.fill();
  for (let layer = 0; layer < 6; layer++) {
    drawing.fillStyle = `hsl(${hue + 12 * layer} ${28 + 4 * layer}% ${52 - 8 * layer}%)`;
    drawing.beginPath();
    drawing.moveTo(0, height);
    for (let x = 0; x <= width; x += 4) {
      const t = x / width + layer * 1.7 + shift;
      const y = Math.sin(t * 5) * 60 + Math.sin(t * 13 + layer) * 26 + Math.sin(t * 47) * 5;
      drawing.lineTo(x, height * (0.5 + layer * 0.09) + y);
    }
    drawing.lineTo(width, height);
    drawing.fill();
  }
  return drawing.canvas;
}

const sources = [
  {
    file: 'mountain.jpg',
    title: 'Picos de Europa',
    author: 'Aitzol Berasategi',
    licence: 'CC BY 4.0',
    url: 'https://creativecommons.org/licenses/by/4.0/',
  },
  {
    file: 'dandelion.jpg',
    title: 'Seeding',
    author: 'Clemens Engelhardt',
    licence: 'CC0 1.0',
    url: 'https://creativecommons.org/publicdomain/zero/1.0/',
  },
];

/** The two pictures of the page: { bitmap, credit }, where credit is null for a picture drawn here. */
export function loadOwn() {
  return Promise.all(
    sources.map((source, k) =>
      load(source.file).then(
        (bitmap) => ({ bitmap, credit: source }),
        () => ({ bitmap: drawn(140 * k), credit: null }),
      ),
    ),
  );
}
