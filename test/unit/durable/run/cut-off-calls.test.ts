import { describe, expect, it } from 'vitest';
import {
  Deadline,
  defineEvent,
  defineSlice,
  type EvaluateOptions,
  type Prompt,
  promptTemplate,
  reducers,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { createManualClock, type ManualClock, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { gate } from '../../../support/gate.ts';
import { watchedJournal } from '../../../support/journals.ts';

const Worked = defineEvent({ name: 'worked', schema: z.object({ by: z.string() }) });
const Work = defineSlice({
  name: 'work',
  schema: z.object({ by: z.string() }),
  reducers: (on) => [on(Worked, reducers.append())],
});

/** @param onCall what a call waits for before it is done. */
function promptOf(onCall: (callId: string) => void | Promise<void> = () => undefined): Prompt {
  const make = (name: string, effects: 'state' | 'external') =>
    tool({
      name,
      description: `Does ${name}.`,
      effects,
      inputSchema: z.object({}),
      execute: async (_params, { session, callId }) => {
        await onCall(callId);
        session.dispatch(Worked, { by: callId });
        return ToolResult.ok(null, `Did ${name}.`);
      },
    });
  const tools = [make('work', 'state'), make('send', 'external')];
  return promptTemplate({
    ns: 'test',
    key: 'cut-off',
    sections: [section({ title: 'Task', key: 'task', template: 'Work.', slices: [Work], tools })],
  }).bind();
}

const call = (name: string) => ({ name, arguments: {} });
const adapter = scriptedAdapter([
  { toolCalls: [call('work')], usage: { inputTokens: 10, outputTokens: 0 } },
  { toolCalls: [call('work'), call('send'), call('work')], usage: { inputTokens: 50, outputTokens: 0 } },
  { text: 'done', usage: { inputTokens: 10, outputTokens: 0 } },
]);

const newSession = (): Session => new Session({ id: 'session' });

/** What the model reads of the calls of a run, and what they left. */
async function whole(): Promise<{ readonly conversation: unknown; readonly work: unknown }> {
  const session = newSession();
  const { conversation } = await adapter.evaluate(promptOf(), { session });
  return { conversation, work: session.slice(Work).all() };
}

/** Lets the second turn reach its calls, then does something that ends the run. */
interface End {
  readonly code: string;
  readonly limits: (clock: ManualClock) => NonNullable<EvaluateOptions['limits']>;
  readonly end?: (clock: ManualClock) => void;
}

const ends: readonly [string, End][] = [
  ['a budget', { code: 'evaluation-budget-exceeded', limits: () => ({ budget: { maxInputTokens: 40 } }) }],
  [
    'an idle timeout',
    {
      code: 'evaluation-idle',
      limits: () => ({ idleTimeoutMs: 100 }),
      end: (clock) => clock.advance(100),
    },
  ],
  [
    'a deadline',
    {
      code: 'evaluation-deadline-exceeded',
      limits: (clock) => ({ deadline: Deadline.after(100, clock) }),
      end: (clock) => clock.advance(100),
    },
  ],
];

describe('calls that the end of a run cut off', () => {
  it.each(ends)('by %s are done when it is resumed, once each', async (_what, { code, limits, end }) => {
    const clock = createManualClock();
    const journal = watchedJournal();
    const waiting = gate();
    // The first call of the second turn waits for ever, and the others wait for their turn behind it.
    const run = adapter.evaluate(
      promptOf((callId) => (callId === 'call-2-1' ? waiting.pass() : undefined)),
      { journal, runId: 'run', session: newSession(), clock, limits: limits(clock) },
    );
    const failure = run.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (end !== undefined) {
      await waiting.reached;
      end(clock);
    }
    expect(await failure).toMatchObject({ code });
    expect(await journal.runs()).toMatchObject([{ status: 'failed', commits: 1 }]);
    const ran: string[] = [];
    const session = newSession();
    const resumed = await resumeRun({
      adapter,
      journal,
      runId: 'run',
      session,
      clock,
      prompt: promptOf((callId) => void ran.push(callId)),
    });
    expect(ran.toSorted()).toEqual(['call-2-1', 'call-2-2', 'call-2-3']);
    const { conversation, work } = await whole();
    expect(resumed.conversation).toEqual(conversation);
    expect(session.slice(Work).all()).toEqual(work);
  });

  it('and that had begun something outside are in doubt, the others are done', async () => {
    const journal = watchedJournal();
    const stop = new AbortController();
    const run = adapter.evaluate(
      promptOf((callId) => {
        if (callId === 'call-2-2') stop.abort(new Error('Enough.'));
      }),
      { journal, runId: 'run', session: newSession(), signal: stop.signal },
    );
    await expect(run).rejects.toMatchObject({ code: 'evaluation-aborted' });
    const ran: string[] = [];
    const { conversation } = await resumeRun({
      adapter,
      journal,
      runId: 'run',
      prompt: promptOf((callId) => void ran.push(callId)),
    });
    expect(ran).not.toContain('call-2-2');
    expect(ran).toContain('call-2-3');
    const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.isError] : []));
    expect(results).toEqual([false, false, true, false]);
  });
});

describe('a run that ended because the same call failed again and again', () => {
  const failing = (ran: string[]): Prompt => {
    const broken = tool({
      name: 'broken',
      description: 'Never works.',
      effects: 'state',
      inputSchema: z.object({}),
      execute: (_params, { callId }) => {
        ran.push(callId);
        return ToolResult.error('It does not work.');
      },
    });
    return promptTemplate({
      ns: 'test',
      key: 'failing',
      sections: [section({ title: 'Task', key: 'task', template: 'Try.', tools: [broken] })],
    }).bind();
  };
  const trying = scriptedAdapter(() => ({ toolCalls: [call('broken')] }));

  it('continues with a larger limit, for which its failures count, and makes none of its calls again', async () => {
    const journal = watchedJournal();
    const first: string[] = [];
    const run = trying.evaluate(failing(first), {
      journal,
      runId: 'run',
      limits: { maxRepeatedFailures: 2 },
    });
    await expect(run).rejects.toMatchObject({ code: 'evaluation-failures-repeated' });
    expect(first).toEqual(['call-1-1', 'call-2-1']);
    const then: string[] = [];
    const again = resumeRun({
      adapter: trying,
      journal,
      runId: 'run',
      prompt: failing(then),
      limits: { maxRepeatedFailures: 4 },
    });
    await expect(again).rejects.toMatchObject({ code: 'evaluation-failures-repeated' });
    expect(then).toEqual(['call-3-1', 'call-4-1']);
  });
});
