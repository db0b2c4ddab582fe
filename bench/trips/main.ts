import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileSources } from './compile.ts';
import type { FunctionCalls } from './coverage.ts';
import { formatTrip } from './format-trip.ts';
import { trips } from './trips.ts';

const known = trips.map(({ name, title }) => `  ${name.padEnd(16)} ${title}`).join('\n');

const usage = `npm run bench -- trips [OPTIONS] [TRIP…]

How many files, functions and calls of the sources one repetition takes, counted by V8:

${known}

  --source DIR   the sources of another checkout, the folder with src/ in it (default: this one)
  --list         every function with its calls, by file
  --json         the counts as JSON
  --help         shows this`;

const options = {
  source: { type: 'string', default: '.' },
  list: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** @returns the exit code */
export function runTrips(args: readonly string[]): number {
  try {
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) {
      console.log(usage);
      return 0;
    }
    const unknown = positionals.find((name) => !trips.some((trip) => trip.name === name));
    if (unknown !== undefined) throw new Error(`There is no trip "${unknown}".\n\n${usage}`);
    const wanted = trips.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
    using sources = compileSources(values.source);
    const counts = wanted.map((trip) => ({ ...trip, functions: countTrip(sources.folder, trip.name) }));
    console.log(
      values.json
        ? JSON.stringify(Object.fromEntries(counts.map(({ name, functions }) => [name, functions])))
        : counts.map((trip) => formatTrip(trip, values.list)).join('\n\n'),
    );
    return 0;
  } catch (error) {
    console.error(`bench trips: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

function countTrip(folder: string, name: string): readonly FunctionCalls[] {
  const program = fileURLToPath(new URL('measure.js', import.meta.url));
  const output = execFileSync(process.execPath, [program, folder, name], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The output of the program in this folder.
  return JSON.parse(output) as readonly FunctionCalls[];
}
