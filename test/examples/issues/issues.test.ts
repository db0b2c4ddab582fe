import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Ending, ending, root, startNode } from '../../cli/wink.ts';
import { type SwitchedOff, switchedOff } from './switched-off.ts';

const translated = join(root, '.build/examples/issues');
const names = readdirSync(join(root, 'examples/issues')).map((file) => file.replace(/\.ts$/, ''));
const needsSqlite = names.filter((name) => sourceOf(name).includes("'node:sqlite'"));
// Without it they say so, and there is nothing to switch off.
const provable = names.filter((name) => isBuiltin('node:sqlite') || !needsSqlite.includes(name));

beforeAll(() => expect(inject('buildProblem')).toBe(''));

describe('examples/issues', () => {
  it('say what is switched off for each of them', () => {
    expect(Object.keys(switchedOff)).toEqual(names);
  });

  it.concurrent.each(names)('%s holds', async (name) => {
    const { code, stdout, stderr } = await run(join(translated, `${name}.js`));
    const [, line = ''] = /'(holds: .*)'/.exec(sourceOf(name)) ?? [];
    const expected = provable.includes(name) ? line : 'needs Node 22.13 (node:sqlite)';
    expect([code, stdout, stderr]).toEqual([0, `${expected}\n`, '']);
  });

  // The same program on a copy of the package: a process that ends for another reason proves nothing.
  it.concurrent.each(provable)('%s does not hold without its mechanism', async (name) => {
    const off = switchedOff[name];
    if (off === undefined) throw new Error(`Nothing is switched off for ${name}.`);
    const { code, stdout, stderr } = await run(packageWithout(off, name));
    expect(stdout, off.what).toBe('');
    expect(stderr).toContain('AssertionError [ERR_ASSERTION]');
    expect(code).toBe(1);
  });
});

const copies: string[] = [];
afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});

/** A copy of the package in which something is switched off, with the program. @returns the path of the program. */
function packageWithout({ what, text, replacement }: SwitchedOff, name: string): string {
  const copy = mkdtempSync(join(root, '.build/without-'));
  copies.push(copy);
  let found = 0;
  for (const file of readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js')) continue;
    const [from, to] = [join(root, 'dist', file), join(copy, 'dist', file)];
    mkdirSync(dirname(to), { recursive: true });
    const parts = readFileSync(from, 'utf8').split(text);
    found += parts.length - 1;
    if (parts.length === 1) linkSync(from, to);
    else writeFileSync(to, parts.join(replacement));
  }
  expect(found, `${what}: how often its text is in dist/`).toBe(1);
  copyFileSync(join(root, 'package.json'), join(copy, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  copyFileSync(join(translated, `${name}.js`), join(copy, `${name}.js`));
  return join(copy, `${name}.js`);
}

function run(program: string): Promise<Ending> {
  return ending(startNode(['--disable-warning=ExperimentalWarning', program]));
}

function sourceOf(name: string): string {
  return readFileSync(join(root, `examples/issues/${name}.ts`), 'utf8');
}
