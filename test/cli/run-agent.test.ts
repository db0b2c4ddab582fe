import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fixture, root, run } from './wink.ts';

const program = fileURLToPath(new URL('../support/run-agent/program.mjs', import.meta.url));
const hasBubblewrap = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

let temporary = '';
beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  temporary = mkdtempSync(join(tmpdir(), 'wink-run-agent-'));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

type Row = Readonly<Record<string, unknown>>;

/** What the command knows and a program does not, and what differs from run to run. */
const leftOut = new Set(['module', 'workspace', 'params', 'redacted', 't']);

/** The rows of a record without times, with ids by the order in which they come. */
function rowsOf(file: string): readonly Row[] {
  const ids = new Map<string, string>();
  const named = readFileSync(file, 'utf8').replaceAll(
    /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g,
    (id) => {
      const known = ids.get(id) ?? `id-${ids.size}`;
      ids.set(id, known);
      return known;
    },
  );
  return named
    .trimEnd()
    .split('\n')
    .map((line) =>
      JSON.parse(line, (name, value: unknown) =>
        leftOut.has(name) || /(?:Ms|At)$/.test(name) ? undefined : value,
      ),
    );
}

// Without `fix-tests/node-agent.ts`, whose command prints how long it took.
const agents: readonly (readonly [module: string, folder: string, isPossible: boolean])[] = [
  ['test/support/agents/summarise.ts', fixture, true],
  ['examples/review/agent.ts', fixture, true],
  ['examples/fix-tests/agent.ts', join(root, 'examples/fix-tests/project'), hasBubblewrap],
];

describe('an agent', () => {
  describe.each(agents)('%s', (module, folder, isPossible) => {
    it.skipIf(!isPossible)('has the same rows by the command and by runAgent()', async () => {
      const place = join(temporary, module.replaceAll('/', '-'));
      const work = join(place, 'folder');
      mkdirSync(place);
      cpSync(folder, work, { recursive: true });
      const [byCommand, byProgram] = [join(place, 'command.jsonl'), join(place, 'program.jsonl')];
      const ended = await run(['run', module, '--workspace', work, '--record', byCommand]);
      expect(ended.code, ended.stderr).toBe(0);
      const { status, stderr } = spawnSync(process.execPath, [program, join(root, module), work, byProgram], {
        cwd: root,
        encoding: 'utf8',
      });
      expect(status, stderr).toBe(0);
      const rows = rowsOf(byCommand);
      expect(rows.filter(({ type }) => type === 'commit').length).toBeGreaterThan(0);
      expect(rowsOf(byProgram)).toEqual(rows);
    });
  });
});
