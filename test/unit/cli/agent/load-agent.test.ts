import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as library from 'weakincentives';
import { loadAgent } from '../../../../src/cli/agent/load-agent.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-load-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const agentText = (more = ''): string => `
  import { defineAgent, promptTemplate, Filesystem } from 'weakincentives';
  ${more}
  const template = promptTemplate({ ns: 'x', key: 'y', sections: [] });
  template.constructor; globalThis.sameLibrary = Filesystem;
`;

describe('loadAgent', () => {
  it.each([
    ['a.ts', 'export default defineAgent({ template, name: "found" as string });'],
    ['b.mts', 'export const agent: unknown = defineAgent({ template, name: "found" });'],
    ['c.js', 'export default defineAgent({ template, name: "found" });'],
    ['d.mjs', 'await Promise.resolve(); export const agent = defineAgent({ template, name: "found" });'],
    ['e.ts', 'export default 5; export const agent = defineAgent({ template, name: "found" });'],
  ])('loads %s, on the very library that is running', async (name, text) => {
    const { agent, folder: where } = await loadAgent(put(name, agentText() + text));
    expect(agent.name).toBe('found');
    expect(where).toBe(folder);
    expect(Reflect.get(globalThis, 'sameLibrary')).toBe(library.Filesystem);
    Reflect.deleteProperty(globalThis, 'sameLibrary');
  });

  it('loads what the module imports, TypeScript with and without its extension', async () => {
    put('part.ts', 'export enum Size { Big = 3 } export const turns: number = Size.Big;');
    const more = "import { turns } from './part.ts'; import { turns as same } from './part';";
    const text = `${agentText(more)} export default defineAgent({ template, limits: { maxTurns: turns + same } });`;
    expect((await loadAgent(put('parts.ts', text))).agent.limits?.maxTurns).toBe(6);
  });

  it('keeps what it translates in the folder that it is given, and nowhere without one', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'wink-translated-'));
    try {
      const text = `${agentText()} export default defineAgent({ template, name: "found" as string });`;
      await loadAgent(put('forgotten.ts', text));
      expect(readdirSync(cache)).toEqual([]);
      await loadAgent(put('kept.ts', text), cache);
      const kept = readdirSync(join(cache, 'modules'));
      expect(kept.map((name) => readFileSync(join(cache, 'modules', name), 'utf8'))).toEqual([
        expect.stringContaining('name: "found"'),
      ]);
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  });

  it('gives agents every entry of the package as it is running', async () => {
    const manifest: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
      readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
    );
    const entries = Object.keys(manifest.exports)
      .filter((path) => path !== './package.json')
      .map((path) => path.replace(/^\./, 'weakincentives'));
    expect(entries.length).toBeGreaterThan(6);
    const imports = entries.map((entry, index) => `import * as e${index} from '${entry}';`).join('\n');
    const lists = entries.map((_, index) => `Object.keys(e${index}).toSorted()`).join();
    const text = `${agentText(imports)}
      export default defineAgent({ template, name: JSON.stringify([${lists}]) });`;
    const { name } = (await loadAgent(put('entries.ts', text))).agent;
    const running = await Promise.all(
      entries.map(async (entry) => Object.keys((await import(entry)) as object).toSorted()),
    );
    expect(JSON.parse(name ?? '')).toEqual(running);
  });

  it('says what to do about node:sqlite where Node does not have it', async () => {
    put('database.ts', 'export { DatabaseSync } from "node:sqlite";');
    const text = `${agentText('import { DatabaseSync } from "./database.ts";')}
      export default defineAgent({ template, name: typeof DatabaseSync });`;
    const found = await loadAgent(put('sqlite.ts', text)).then(
      ({ agent }) => agent.name,
      (error: unknown) => String(error),
    );
    const { node } = process.versions;
    const refusal = `UsageError: the agent "${join(folder, 'sqlite.ts')}" cannot be loaded: it needs "node:sqlite", which Node ${node} does not have: use Node 22.13 or later.`;
    expect(found).toBe(isBuiltin('node:sqlite') ? 'function' : refusal);
  });

  it.each([
    ['reviews', null, 'there is no agent "reviews": name a file (.ts, .mts, .js, .mjs) that exports one.'],
    ['agent.py', null, 'there is no agent "'],
    ['absent.ts', null, 'cannot be read: no such file or directory.'],
    ['folder.ts', 'folder', 'is not a file.'],
    ['syntax.ts', 'export default {,;', 'cannot be loaded: ParseError: Unexpected token (syntax.ts:1:16).'],
    ['throws.ts', 'throw new Error("no such\\nluck");', 'cannot be loaded: no such.'],
    ['import.ts', 'import "no-such-package"; export default 1;', "Cannot find module 'no-such-package'"],
    [
      'module.mjs',
      'import "node:later"; export default 1;',
      `cannot be loaded: it needs "node:later", which Node ${process.versions.node} does not have: use a later version.`,
    ],
    ['empty.ts', '', 'it exports nothing'],
    ['other.ts', 'export const agents = 1, help = 2;', 'it exports "agents", "help"'],
    ['number.ts', 'export default 5;', 'what it exports as "default" was not made by defineAgent()'],
    [
      'both.ts',
      'export default {}; export const agent = () => {};',
      'as "default" and "agent" was not made by',
    ],
    [
      'loose.ts',
      'export default { kind: "agent", name: "x", template: { kind: "prompt-template" } };',
      'not made by',
    ],
    [
      'hooks.ts',
      `${agentText()} export const winkHooks = {}; export default defineAgent({ template });`,
      'exports "winkHooks", which is no longer called: give prepare and conclude to defineAgent()',
    ],
    [
      'wrong.ts',
      'import { defineAgent } from "weakincentives"; export default defineAgent({ template: 1 });',
      'defineAgent(): template must be a template made by promptTemplate(); received 1.',
    ],
  ])('refuses %s', async (name, text, message) => {
    if (text === 'folder') mkdirSync(join(folder, name));
    else if (text !== null) put(name, text);
    const error = await loadAgent(name === 'reviews' ? name : join(folder, name)).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toHaveProperty('message', expect.stringContaining(message));
    expect(error).toHaveProperty('message', expect.not.stringMatching(/\n|\.\.$/));
  });
});
