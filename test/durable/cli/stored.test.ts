import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Ending, run } from '../../cli/wink.ts';
import { openDatabase } from '../../support/sqlite.ts';
import { folderAgentText, folderFiles, folderFilesAfter } from '../../support/stored/folder-run.ts';
import { storedDatabase, storedFolder, storedVersions } from '../../support/stored/stored-files.ts';

/** The agent with a file system, whose place the files of the record take. */
const replayedAgentText = folderAgentText
  .replace('import { defineAgent', 'import { binding, defineAgent, Filesystem, MemoryFilesystem')
  .replace('policies:', 'resources: [binding(Filesystem, { instance: new MemoryFilesystem() })], policies:');

let root: string;
let journal: string;

beforeEach(() => {
  expect(inject('buildProblem')).toBe('');
  root = mkdtempSync(join(tmpdir(), 'wink-stored-'));
  journal = join(root, 'journal.db');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const wink = (...args: readonly string[]): Promise<Ending> =>
  run(args, { cwd: root, variables: { XDG_STATE_HOME: join(root, 'state') } });

/** The stored journal of a version, its agent, and the folders of its runs as they were left. */
function restore(version: string): void {
  writeFileSync(journal, storedDatabase(version));
  writeFileSync(join(root, 'agent.ts'), folderAgentText);
  for (const [runId, files] of [
    ['command-finished', folderFilesAfter],
    ['command-killed', folderFiles],
    ['command-suspended', folderFiles],
  ] as const) {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, runId, path, '..'), { recursive: true });
      writeFileSync(join(root, runId, path), text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
    }
  }
}

/** Lets the journal say that its runs were begun below the folder of this test. */
function moveHere(): void {
  const database = openDatabase(journal);
  database.exec(`update wink_runs set summary = replace(summary, '/stored/', '${root}/')`);
}

const filesOf = (runId: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(join(root, runId), { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(root, runId, path)).isFile())
      .sort()
      .map((path) => [path, readFileSync(join(root, runId, path), 'utf8')]),
  );

const at = (...words: readonly string[]): Promise<Ending> => wink(...words, '--journal', journal);

describe.runIf(isBuiltin('node:sqlite')).each(storedVersions)(
  'the stored journal of version %s',
  (version) => {
    beforeEach(() => {
      restore(version);
    });

    it('is listed and shown, and is not changed by that', async () => {
      const listed = await at('runs');
      expect(listed.code, listed.stderr).toBe(0);
      expect(listed.stdout).toMatch(/^command-killed +interrupted /m);
      expect(listed.stdout).toMatch(/^suspended-about-changes +suspended /m);
      const asked = await at('approvals', 'list');
      expect(asked.stdout).toContain('Really publish?');
      const shown = await at('approvals', 'show', 'suspended-about-changes');
      expect(shown.stdout).toContain('published.md');
      const out = join(root, 'page.html');
      const viewed = await at('view', 'finished', '--out', out);
      expect(viewed.code, viewed.stderr).toBe(0);
      expect(readFileSync(out, 'utf8')).toContain('Keep the shop.');
      const queried = await at(
        'query',
        'finished',
        "select count(*) as made from calls where outcome = 'committed'",
        '--json',
      );
      expect(queried.code, queried.stderr).toBe(0);
      expect(JSON.parse(queried.stdout)).toEqual([{ made: 17 }]);
      writeFileSync(join(root, 'replayed.ts'), replayedAgentText);
      const replayed = await at('replay', 'command-finished', join(root, 'replayed.ts'));
      expect(replayed.code, replayed.stdout + replayed.stderr).toBe(0);
      const exported = await at('runs', 'export', 'served', '--out', join(root, 'record.jsonl'));
      expect(exported.code, exported.stderr).toBe(0);
      expect(readFileSync(journal).equals(storedDatabase(version))).toBe(true);
    });

    it('continues a run that was killed', async () => {
      moveHere();
      const resumed = await at('resume', 'command-killed');
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(resumed.stdout).toContain('\nAll is kept.\n');
      expect(filesOf('command-killed')).toEqual(folderFilesAfter);
      expect(statSync(join(root, 'command-killed/bin/run.sh')).mode & 0o777).toBe(0o755);
    });

    it('continues a run whose question is answered now', async () => {
      moveHere();
      const answered = await at('approvals', 'answer', 'command-suspended', '--yes', '--all');
      expect(answered.code, answered.stderr).toBe(0);
      const resumed = await at('resume', 'command-suspended');
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(filesOf('command-suspended')).toEqual(folderFilesAfter);
    });

    it('has an answer that is printed again, and changes that are taken back', async () => {
      moveHere();
      const resumed = await at('resume', 'command-finished');
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(resumed.stdout).toContain('\nAll is kept.\n');
      const rewound = await at('rewind', 'command-finished', '--to', '0', '--apply');
      expect(rewound.code, rewound.stderr).toBe(0);
      expect(filesOf('command-finished')).toEqual(folderFiles);
      const forked = await at('fork', 'command-finished', '--at', '0');
      expect(forked.code, forked.stderr).toBe(0);
      expect(filesOf('command-finished')).toEqual(folderFilesAfter);
    });

    it('is cleared of its runs', async () => {
      const pruned = await at('runs', 'prune', 'command-killed', 'served-and-killed');
      expect(pruned.stdout).toBe('removed command-killed\nremoved served-and-killed\n');
    });
  },
);

describe.each(storedVersions)('the stored record of version %s', (version) => {
  it('is shown, listed as tables and replayed', async () => {
    const record = join(storedFolder, version, 'record.jsonl');
    const out = join(root, 'page.html');
    const viewed = await wink('view', record, '--out', out);
    expect(viewed.code, viewed.stderr).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('Keep the shop.');
    const tables = await wink('query', record);
    expect(tables.code, tables.stderr).toBe(0);
    expect(tables.stdout).toMatch(/calls/);
  });
});
