import { describe, expect, it } from 'vitest';
import {
  type AgentOptions,
  defineAgent,
  MemoryFilesystem,
  runAgent,
  Session,
  streamAgent,
} from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { bareTemplate, Notes } from './agents.ts';

const boom = (): never => {
  throw new Error('boom');
};

/** Each step that can throw, with what throws in it. */
const steps: readonly (readonly [string, Partial<AgentOptions<Record<never, never>, undefined>>, object])[] =
  [
    ['params', { params: boom }, {}],
    ['adapter', { adapter: boom }, { adapter: undefined }],
    ['runs of the journal', {}, { journal: Object.assign(memoryJournal(), { runs: boom }), runId: 'r' }],
    ['prepare', { prepare: boom }, {}],
    ['model', {}, { adapter: scriptedAdapter(boom), retry: false }],
    ['conclude', { conclude: boom }, {}],
    ['changes', {}, { workspace: { filesystem: new MemoryFilesystem(), changes: boom } }],
    ['apply', {}, { workspace: { filesystem: new MemoryFilesystem(), apply: boom } }],
    ['abort', {}, { signal: AbortSignal.abort(new Error('boom')) }],
  ];

describe.each(steps)('a run that fails in its step %s', (step, own, given) => {
  const agent = () => defineAgent({ template: bareTemplate, ...own });
  const options = () => ({ adapter: scriptedAdapter([{ text: 'Hello.' }]), ...given });

  it('disposes the session that it has made', async () => {
    let seen: Session | undefined;
    const { prepare } = own;
    const watching = defineAgent({
      template: bareTemplate,
      ...own,
      prepare: async (context) => {
        seen = context.session;
        await prepare?.(context);
      },
    });
    await expect(runAgent(watching, options())).rejects.toThrow(/boom|aborted/);
    const isBegun = !['params', 'adapter', 'runs of the journal'].includes(step);
    expect(seen !== undefined).toBe(isBegun);
    if (seen !== undefined) expect(() => seen?.slice(Notes).seed([{ text: 'x' }])).toThrow(/disposed/);
  });

  it('leaves a session that it was given free, and open', async () => {
    await using session = new Session();
    await expect(runAgent(agent(), { ...options(), session })).rejects.toThrow(/boom|aborted/);
    const run = await runAgent(defineAgent({ template: bareTemplate }), {
      adapter: scriptedAdapter([{ text: 'Again.' }]),
      session,
    });
    expect(run.text).toBe('Again.');
  });

  it('fails the iteration of its stream', async () => {
    const stream = streamAgent(agent(), options());
    await expect(
      (async () => {
        for await (const event of stream) void event;
      })(),
    ).rejects.toThrow(/boom|aborted/);
  });
});
