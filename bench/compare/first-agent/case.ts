import { readFile } from 'node:fs/promises';
import { type CellOutcome, figure } from '../harness/cell.ts';
import { Script } from '../harness/script.ts';
import { countPackages, type LockFile } from './count-packages.ts';

/*
 * A figure, not an assertion: the smallest agent with a tool, as short as each documentation has it, in `agents/`. It runs, and its
 * lines are counted without blank ones, in the format of this repository; and the packages that are installed for it without a client
 * of a model, by the lock files.
 */
const root = new URL('../../../../', import.meta.url);

export const script = new Script([
  [{ name: 'weather', arguments: { city: 'Rome' } }],
  'It is sunny in Rome.',
]);

/**
 * @param system names the file in `agents/`
 * @param names the packages that the agent imports, but for this library, whose dependencies are counted
 */
export async function measure(
  system: string,
  names: readonly string[],
  ask: () => Promise<string>,
): Promise<CellOutcome> {
  const text = await ask();
  if (text !== 'It is sunny in Rome.' || script.requests !== 2)
    throw new Error(`The agent answered "${text}".`);
  const source = await readFile(new URL(`bench/compare/first-agent/agents/${system}.ts`, root), 'utf8');
  const lines = source.split('\n').filter((line) => line.trim() !== '').length;
  const isOwn = names.includes('weakincentives');
  const lock = JSON.parse(
    await readFile(new URL(isOwn ? 'package-lock.json' : 'bench/package-lock.json', root), 'utf8'),
  ) as LockFile;
  const packages = countPackages(lock, names);
  return figure(
    `${lines} lines, ${packages} packages`,
    `${lines} lines that are not blank; ${names.join(', ')} install ${packages} packages.`,
  );
}
