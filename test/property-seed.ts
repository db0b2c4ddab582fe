import fc from 'fast-check';

/**
 * Property tests draw the same cases every time, so that a run says something about a change and not about its luck;
 * `WINK_PROPERTY_SEED=<integer>` draws others, and the soak draws new ones each time.
 */
const given = process.env['WINK_PROPERTY_SEED'] ?? (process.env['WINK_SOAK'] === '1' ? undefined : '1');
if (given !== undefined) fc.configureGlobal({ seed: Number(given) });
