/** Loops run at their full length: `npm run test:long`, which is part of `npm run judges`. Otherwise as long as it takes to find a mistake. */
export const isLong = process.env['COUNTERSIGN_LONG_TESTS'] !== undefined
