// What a visitor may choose, for the page and for the worker.

/** Pixels of a side of a digit, and how many digits there are to tell apart. */
export const SIDE = 8;
export const CLASSES = 10;

/** Optimisers, with the learning rate that each begins with. */
export const optimizers = {
  sgd: { name: 'SGD', lr: 0.1 },
  momentum: { name: 'SGD with momentum', lr: 0.03 },
  adam: { name: 'Adam', lr: 0.003 },
  adamw: { name: 'AdamW', lr: 0.003 },
};

/** Learning rates that can be chosen, from small to far too large. */
export const learningRates = [
  1e-4, 2e-4, 3e-4, 5e-4, 1e-3, 2e-3, 3e-3, 5e-3, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10,
];

export const batchSizes = [8, 16, 32, 64, 128, 256];
export const hiddenSizes = [16, 32, 64, 128, 256];
export const MOST_HIDDEN = hiddenSizes.at(-1);

/** Seeds are whole numbers up to MOST_SEED. */
export const MOST_SEED = 999_999_999;
export const isSeed = (seed) => Number.isInteger(seed) && seed >= 0 && seed <= MOST_SEED;

/** Held-out digits read wrong that are shown, at most. */
export const MOST_MISREAD = 12;

/** Steps a second, at most. */
export const paces = { slow: 10, moderate: 100, full: Infinity };

/** What the page begins with. */
export const usual = {
  optimizer: 'adam',
  lr: optimizers.adam.lr,
  batch: 32,
  vary: true,
  hidden: 64,
  seed: 1,
};
