/** Options of Node with which our programs start in half the time, as `npm start` has them: their types are stripped once. */
export const START_CACHE = ['--import', './lib/start-cache.mjs'] as const
