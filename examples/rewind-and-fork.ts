// A folder is put back to how it was after a call, and another run continues from there with another model.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineAgent, forkRun, type ProviderAdapter, promptTemplate, runAgent } from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { sqliteJournal } from 'weakincentives/sqlite';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

const agent = defineAgent({
  template: promptTemplate({ ns: 'examples', key: 'rewind-and-fork', sections: [vfsToolsSection()] }),
});
/** Writes a chapter a turn. */
const writing = (...chapters: readonly string[]): ProviderAdapter =>
  scriptedAdapter([
    ...chapters.map((name) => ({
      toolCalls: [{ name: 'write_file', arguments: { file_path: `${name}.md`, content: `# ${name}\n` } }],
    })),
    { text: 'Written.' },
  ]);

async function rewindAndFork(kept: string): Promise<void> {
  const [file, folder] = [join(kept, 'journal.db'), join(kept, 'book')];
  await mkdir(folder);
  const write = async (runId: string, adapter: ProviderAdapter): Promise<string> => {
    await using journal = sqliteJournal({ file });
    await using workspace = await openWorkspace({ agent, folder, apply: 'each', journal });
    return (await runAgent(agent, { adapter, journal, runId, workspace })).text;
  };
  await write('first', writing('start', 'detour', 'dead-end'));
  assert.deepEqual((await readdir(folder)).toSorted(), ['dead-end.md', 'detour.md', 'start.md']);

  // wink rewind first --to call-1-1 --apply
  const wink = fileURLToPath(
    new URL('dist/entries/wink.js', import.meta.resolve('weakincentives/package.json')),
  );
  const rewind = ['rewind', 'first', '--to', 'call-1-1', '--apply', '--journal', file];
  const report = execFileSync(process.execPath, [wink, ...rewind], { encoding: 'utf8' });
  assert.match(report, /detour\.md/);
  assert.deepEqual(await readdir(folder), ['start.md']);

  // The second run has what the first one had until then, and asks its own model from the second turn on.
  {
    await using journal = sqliteJournal({ file });
    const fork = await forkRun({ journal, runId: 'first', at: 'call-1-1', newRunId: 'second' });
    assert.equal(fork.runId, 'second');
  }
  assert.equal(await write('second', writing('start', 'finish')), 'Written.');
  assert.deepEqual((await readdir(folder)).toSorted(), ['finish.md', 'start.md']);
  console.log('ok: two of three chapters are taken back, and another run writes the second one');
}

if (isBuiltin('node:sqlite')) {
  const kept = await mkdtemp(join(tmpdir(), 'rewind-and-fork-'));
  try {
    await rewindAndFork(kept);
  } finally {
    await rm(kept, { recursive: true });
  }
} else console.log('needs Node 22.13 (node:sqlite)');
