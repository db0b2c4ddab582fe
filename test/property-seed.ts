import fc from 'fast-check';
import { draws } from './support/draws.ts';

/**
 * Property tests draw the same cases every time, so that a run says something about a change and not about its luck;
 * `WINK_PROPERTY_SEED=<integer>` draws others, and the soak draws new ones each time. A property that does not say how many it draws
 * takes the default of fast-check, scaled as all are.
 */
const given = process.env['WINK_PROPERTY_SEED'] ?? (process.env['WINK_SOAK'] === '1' ? undefined : '1');
fc.configureGlobal({ numRuns: draws(100), ...(given === undefined ? {} : { seed: Number(given) }) });
