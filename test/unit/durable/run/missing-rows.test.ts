import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  ensureRun,
  Filesystem,
  openToolRuntime,
  type Prompt,
  promptTemplate,
  RunRefusedError,
  Session,
  section,
} from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { openHost, testFolders } from '../../host/host-filesystem/host-workspace.ts';
import { killLanding } from '../../host/host-filesystem/killed-landing.ts';

const promptOn = (filesystem: Filesystem): Prompt =>
  promptTemplate({
    ns: 'test',
    key: 'missing-rows',
    sections: [section({ title: 'Task', key: 'task', template: 'Work.' })],
    resources: [binding(Filesystem, { instance: filesystem })],
  }).bind();

describe('a run that its folder remembers and its journal does not know', () => {
  it('is named and not begun anew, and another one begins', async () => {
    const folders = testFolders({ 'a.md': 'a', 'run.sh': 'run' });
    await killLanding(folders, 'swap', 'run-1');
    await using filesystem = await openHost(folders);
    const journal = memoryJournal();
    const adapter = scriptedAdapter([{ text: 'done' }]);
    const prompt = promptOn(filesystem);
    const isRefused = (error: unknown): boolean =>
      RunRefusedError.isInstance(error) &&
      error.code === 'run-rows-missing' &&
      error.message.includes('lacks a commit of a run "run-1"');
    const job = { adapter, prompt, journal, runId: 'run-1' };
    await expect(adapter.evaluate(prompt, { journal, runId: 'run-1' })).rejects.toSatisfy(isRefused);
    await expect(ensureRun(job)).rejects.toSatisfy(isRefused);
    const session = new Session({ id: 's' });
    await expect(openToolRuntime(prompt, { journal, runId: 'run-1', session })).rejects.toSatisfy(isRefused);
    // Nothing was written, and the folder remembers it still.
    expect(await journal.runs()).toEqual([]);
    expect(filesystem.pendingCommits()).toMatchObject([{ runId: 'run-1' }]);
    expect(readFileSync(join(folders.root, 'a.md'), 'utf8')).toBe('a');

    const other = await adapter.evaluate(prompt, { journal, runId: 'run-2' });
    expect(other.text).toBe('done');
  });
});
