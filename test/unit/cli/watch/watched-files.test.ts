import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stampOf, watchedFiles } from '../../../../src/cli/watch/watched-files.ts';
import { request } from '../support.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-watched-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe('watchedFiles', () => {
  it('finds the skills of a folder', () => {
    const agent = put('s/agent.ts', '');
    for (const name of ['s/k/pdf/SKILL.md', 's/p/.claude/skills/csv/SKILL.md', 's/k/pdf/other.md'])
      put(name, '');
    const given = request('run', agent, '--skills', join(folder, 's/k'), '--skills', join(folder, 's/p'));
    const names = watchedFiles(given, []).map((path) => relative(folder, path));
    expect(names.sort()).toEqual(['s/agent.ts', 's/k/pdf/SKILL.md', 's/p/.claude/skills/csv/SKILL.md']);
  });

  it('finds the modules of an agent, by every way to name one, also when one is not there or is broken', () => {
    const agent = put(
      'a/agent.ts',
      `import { defineAgent } from 'weakincentives';
       import './side.js';
       import type { Tool } from "./tools/index.js";
       export * from './again.mjs';
       const later = () => import('../b/later.ts');
       const old = require('./old');
       import data from './data.json';
       import missing from './missing.ts';
       const text = './not-imported.ts';`,
    );
    put('a/side.ts', '');
    put('a/tools/index.js', "import '../agent.ts'; import 'node:fs'; {{{ not a module");
    put('a/again.mts', '');
    put('b/later.ts', "export { x } from '../a/side.js';");
    put('a/old/index.js', '');
    put('a/data.json', "import './not-a-module.ts'");
    put('a/not-imported.ts', '');
    const given = request('run', agent, '--mcp', join(folder, 'servers.json'));
    const names = watchedFiles(given, [join(folder, 'params.json')]).map((path) => relative(folder, path));
    expect(names.sort()).toEqual([
      'a/again.mts',
      'a/agent.ts',
      'a/data.json',
      'a/missing.ts',
      'a/old/index.js',
      'a/side.ts',
      'a/tools/index.js',
      'b/later.ts',
      'params.json',
      'servers.json',
    ]);
  });

  it('takes what a run has loaded, and what that imports', () => {
    const agent = put('c/agent.ts', "import { x } from '@work/part';");
    const part = put('part/index.ts', "export { x } from './x.mjs';");
    put('part/x.mjs', '');
    const names = watchedFiles(request('run', agent), [], [agent, part]).map((path) =>
      relative(folder, path),
    );
    expect(names).toEqual(['c/agent.ts', 'part/index.ts', 'part/x.mjs']);
  });

  it('finds overrides that are asked for, and no others', () => {
    const agent = put('agent.ts', '');
    const file = put('edited/tests/about/latest.json', '{}');
    put('edited/README.md', '');
    expect(watchedFiles(request('run', agent), [])).toEqual([agent]);
    expect(watchedFiles(request('run', agent, '--overrides', join(folder, 'edited')), [])).toEqual([
      agent,
      file,
    ]);
    expect(watchedFiles(request('run', agent, '--overrides', join(folder, 'none')), [])).toEqual([agent]);
  });

  it('sees that a file was written, replaced, removed', () => {
    const path = put('changing.ts', 'one');
    const stamps = [stampOf(path)];
    put('changing.ts', 'longer');
    stamps.push(stampOf(path));
    rmSync(path);
    stamps.push(stampOf(path));
    expect(new Set(stamps).size).toBe(3);
    expect(stamps[2]).toBe('');
  });
});
