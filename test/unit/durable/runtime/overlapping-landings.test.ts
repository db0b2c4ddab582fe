import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { binding, Filesystem, openToolRuntime, promptTemplate, Session } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { vfsToolsSection } from 'weakincentives/tools';
import { settleRun } from '../../../../src/durable/internal.ts';
import { gate } from '../../../support/gate.ts';
import { watchedJournal } from '../../../support/journals.ts';
import { testFolders } from '../../host/host-filesystem/host-workspace.ts';

it('a commit that was decided is landed although a call of another turn has failed after it', async () => {
  const folders = testFolders({ 'a.md': 'one\n' });
  const blocker = join(folders.root, 'b.md');
  const appending = gate();
  let appends = 0;
  const journal = watchedJournal(async ({ rows }) => {
    appends += 1;
    // The rows of the reading call, behind which the others wait.
    if (appends === 2) await appending.pass();
    if (!rows.some(({ line }) => line.includes('"callId":"writes"') && line.includes('"seq":2'))) return;
    mkdirSync(blocker);
    writeFileSync(join(blocker, 'in.md'), '');
  });
  const stop = new AbortController();
  const staged = gate();
  const failed = gate();
  {
    await using filesystem = await openHostFilesystem(folders);
    const prompt = promptTemplate({ ns: 'tests', key: 'served', sections: [vfsToolsSection()] }).bind(
      {},
      { resources: [binding(Filesystem, { instance: filesystem })] },
    );
    await using runtime = await openToolRuntime(prompt, {
      journal,
      runId: 'run',
      session: new Session({ id: 'session' }),
      observers: [
        {
          onCommit: ({ callId }) => void (callId === 'writes' && staged.pass()),
          onDiscard: () => void failed.pass(),
        },
      ],
    });
    const call = (callId: string, name: string, given: object, signal?: AbortSignal): Promise<unknown> =>
      runtime
        .call({ callId, name, arguments: JSON.stringify(given) }, signal === undefined ? {} : { signal })
        .catch((error: unknown) => error);
    const reads = call('reads', 'read_file', { file_path: 'a.md' });
    await appending.reached;
    const writes = call('writes', 'write_file', { file_path: 'b.md', content: 'two\n' });
    await staged.reached;
    // It waits for its turn to be settled, until its caller aborts it.
    const unknown = call('unknown', 'no_such_tool', {}, stop.signal);
    stop.abort();
    await failed.reached;
    appending.open();
    await Promise.all([reads, writes, unknown]);
  }
  const types = (await journal.read('run')).map(({ type }) => type);
  expect(types.lastIndexOf('attempt')).toBeGreaterThan(types.lastIndexOf('commit'));
  rmSync(blocker, { recursive: true });
  await using filesystem = await openHostFilesystem(folders);
  expect(filesystem.pendingCommits()).toMatchObject([{ runId: 'run', commit: 2 }]);
  expect(await settleRun(journal, 'run', filesystem)).toMatchObject({ landed: ['b.md'] });
  expect(readFileSync(blocker, 'utf8')).toBe('two\n');
});
