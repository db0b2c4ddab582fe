/** Counts the calls of one trip in a process of its own: `node measure.js FOLDER TRIP`, the counts as JSON. */
import { type Profiler, Session } from 'node:inspector/promises';
import { callsOfOne } from './coverage.ts';
import { loadLibrary } from './library.ts';
import { trips } from './trips.ts';

const [, , folder = '', name = ''] = process.argv;
const trip = trips.find((known) => known.name === name);
if (trip === undefined) throw new Error(`There is no trip "${name}".`);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const library = await loadLibrary(folder);

const short = 10;
const long = 30;
// Warm up first, so that lazily created objects exist before calls are counted.
await trip.run(library, short);
await takeCounts();
await trip.run(library, short);
const ofShort = await takeCounts();
await trip.run(library, long);
const ofLong = await takeCounts();
process.stdout.write(JSON.stringify(callsOfOne(ofShort, ofLong, long - short, folder)));

/** The calls since the previous call of this function. */
async function takeCounts(): Promise<readonly Profiler.ScriptCoverage[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result;
}
