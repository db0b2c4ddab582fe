import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  type Prompt,
  promptTemplate,
  type RunEvent,
  RunLostError,
  reducers,
  resumeRun,
  Session,
  section,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';
import { type TestFolders, testFolders } from '../../host/host-filesystem/host-workspace.ts';

const Written = defineEvent({ name: 'written', schema: z.object({ by: z.string() }) });
const Writes = defineSlice({
  name: 'writes',
  schema: z.object({ by: z.string() }),
  reducers: (on) => [on(Written, reducers.append())],
});

interface Setup {
  readonly filesystem?: Filesystem;
  readonly onCall?: (context: ToolContext) => void | Promise<void>;
}

function promptOf({ filesystem, onCall }: Setup): Prompt {
  const write = tool({
    name: 'write',
    description: 'Writes.',
    effects: 'state',
    inputSchema: z.object({}),
    execute: async (_params, context) => {
      await onCall?.(context);
      context.session.dispatch(Written, { by: context.callId });
      if (filesystem !== undefined) await context.filesystem.write('out.md', `${context.callId}\n`);
      return ToolResult.ok(null, 'Written.');
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'lost',
    resources: filesystem === undefined ? [] : [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template: 'Write.', slices: [Writes], tools: [write] })],
  }).bind();
}

const newSession = (): Session => new Session({ id: 'session' });

/** A model that has one call made; `asked` gets the turns. */
const modelOf = (asked: number[] = []): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter((_conversation, { turn }) => {
    asked.push(turn);
    return turn === 1 ? { toolCalls: [{ name: 'write', arguments: {} }] } : { text: 'done' };
  });

describe('a disk that fails after the decision', () => {
  /** A run whose file cannot be put into its place once its row is durable. */
  async function lost(folders: TestFolders) {
    const filesystem = await openHostFilesystem(folders);
    const journal = watchedJournal(({ rows }) => {
      if (!rows.some(({ type }) => type === 'commit')) return;
      // Another program takes the place of the file between its check and the disk.
      mkdirSync(join(folders.root, 'out.md'));
      writeFileSync(join(folders.root, 'out.md', 'theirs.txt'), 'theirs');
    });
    const session = newSession();
    const heard: string[] = [];
    session.dispatcher.subscribe(Written, ({ by }) => void heard.push(by));
    const asked: number[] = [];
    const error: unknown = await modelOf(asked)
      .evaluate(promptOf({ filesystem }), { journal, runId: 'run', session })
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    return { error, journal, session, filesystem, heard, asked };
  }

  it('ends the run as lost: nobody hears of the commit, and the model is not asked again', async () => {
    const { error, journal, session, filesystem, heard, asked } = await lost(testFolders({}));
    expect(RunLostError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'run-lost',
      message: expect.stringContaining('Files of a decided commit of the run "run" could not be brought'),
    });
    expect(heard).toEqual([]);
    expect(asked).toEqual([1]);
    const rows = (await journal.read('run')).map(({ type }) => type);
    expect(rows).toContain('commit');
    expect(rows).not.toContain('delivered');
    expect(rows).not.toContain('end');
    expect(() => session.slice(Writes).all()).toThrow(RunLostError);
    await filesystem[Symbol.asyncDispose]();
  });

  it('does not change what was decided: resumed, the commit is brought to the disk and delivered', async () => {
    const folders = testFolders({});
    const { journal, filesystem } = await lost(folders);
    await filesystem[Symbol.asyncDispose]();
    rmSync(join(folders.root, 'out.md'), { recursive: true });
    await using again = await openHostFilesystem(folders);
    const session = newSession();
    const heard: unknown[] = [];
    session.dispatcher.subscribe(Written, ({ by }, { again: isAgain }) => void heard.push([by, isAgain]));
    const ran: string[] = [];
    const end = await resumeRun({
      adapter: modelOf(),
      runId: 'run',
      session,
      journal: await journalAfter(journal.batches, 'session'),
      prompt: promptOf({ filesystem: again, onCall: ({ callId }) => void ran.push(callId) }),
    });
    expect(end.finishReason).toBe('stop');
    expect(ran).toEqual([]);
    expect(heard).toEqual([['call-1-1', true]]);
    expect(readFileSync(join(folders.root, 'out.md'), 'utf8')).toBe('call-1-1\n');
  });

  it('leaves what others have put there, and names it', async () => {
    const folders = testFolders({});
    const { journal, filesystem } = await lost(folders);
    await filesystem[Symbol.asyncDispose]();
    await using again = await openHostFilesystem(folders);
    const events: RunEvent[] = [];
    await resumeRun({
      adapter: modelOf(),
      runId: 'run',
      files: 'as-is',
      prompt: promptOf({ filesystem: again }),
      journal: await journalAfter(journal.batches, 'session'),
      observers: [{ onEvent: (event) => void events.push(event) }],
    });
    expect(events.find(({ type }) => type === 'run-resumed')).toMatchObject({ changed: ['file out.md'] });
    expect(existsSync(join(folders.root, 'out.md', 'theirs.txt'))).toBe(true);
  });
});

describe('a lease that is lost', () => {
  it('stops the run at once, before it writes another row', async () => {
    let appends = 0;
    const journal = watchedJournal(() => {
      appends += 1;
    });
    const seen = { isStopped: false, appends: 0 };
    const onCall = async ({ signal }: ToolContext): Promise<void> => {
      await journal.revoke('session');
      seen.isStopped = signal.aborted;
      seen.appends = appends;
    };
    const asked: number[] = [];
    const run = modelOf(asked).evaluate(promptOf({ onCall }), {
      journal,
      runId: 'run',
      session: newSession(),
    });
    await expect(run).rejects.toMatchObject({
      code: 'run-lost',
      message: expect.stringContaining('The lease of the session "session" was lost'),
      cause: { code: 'journal-fenced' },
    });
    expect(seen.isStopped).toBe(true);
    expect(appends).toBe(seen.appends);
    expect(asked).toEqual([1]);
  });

  it('stops a run that only waits for its model, which is told by its signal', async () => {
    const journal = watchedJournal();
    const seen = { isAborted: false };
    const adapter = scriptedAdapter(async (_conversation, _request, { signal }) => {
      await journal.revoke('session');
      seen.isAborted = signal.aborted;
      return { text: 'too late' };
    });
    const run = adapter.evaluate(promptOf({}), { journal, runId: 'run', session: newSession() });
    await expect(run).rejects.toMatchObject({ code: 'run-lost' });
    expect(seen.isAborted).toBe(true);
    expect((await journal.read('run')).map(({ type }) => type)).not.toContain('response');
  });
});
