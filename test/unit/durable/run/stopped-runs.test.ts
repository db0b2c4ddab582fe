import { describe, expect, it } from 'vitest';
import {
  defineEvent,
  defineSlice,
  type EvaluateOptions,
  type Prompt,
  promptTemplate,
  reducers,
  resumeRun,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

const Counted = defineEvent({ name: 'counted', schema: z.object({ by: z.string() }) });
const Heard = defineEvent({ name: 'heard', schema: z.object({ by: z.string() }) });
const Hearings = defineSlice({
  name: 'hearings',
  schema: z.object({ by: z.string() }),
  key: ({ by }) => by,
  reducers: (on) => [on(Heard, reducers.append())],
});

function countingPrompt(): Prompt {
  const count = tool({
    name: 'count',
    description: 'Counts.',
    effects: 'state',
    execute: (_params, { session, callId }) => {
      session.dispatch(Counted, { by: callId });
      return ToolResult.ok({ counted: true }, 'Counted.');
    },
  });
  const task = section({
    title: 'Task',
    key: 'task',
    template: 'Count.',
    slices: [Hearings],
    tools: [count],
  });
  return promptTemplate({ ns: 'test', key: 'stopped', sections: [task] }).bind();
}

const adapter = scriptedAdapter([
  { toolCalls: [{ name: 'count' }, { name: 'count' }] },
  { toolCalls: [{ name: 'count' }] },
  { text: 'done' },
]);

const listeningSession = (): Session => {
  const session = new Session({ id: 'session' });
  session.dispatcher.subscribe(Counted, ({ by }) => session.dispatch(Heard, { by }));
  return session;
};

/** A provider that runs after each second call. @param onAsked may stop the run. */
const feedback = (onAsked: () => void = () => undefined): NonNullable<EvaluateOptions['feedback']> => [
  {
    name: 'counting',
    triggers: { everyCalls: 2 },
    provide: ({ calls }) => {
      onAsked();
      return { message: `That makes ${calls.length}.` };
    },
  },
];

describe('a run with a journal that is stopped', () => {
  it('asks again for feedback that the stop cut off, so that it ends as it would have', async () => {
    const whole = await adapter.evaluate(countingPrompt(), {
      journal: watchedJournal(),
      feedback: feedback(),
    });
    const journal = watchedJournal();
    const stopping = new AbortController();
    const stopped = adapter.evaluate(countingPrompt(), {
      journal,
      runId: 'run',
      session: listeningSession(),
      signal: stopping.signal,
      feedback: feedback(() => stopping.abort(new Error('Enough.'))),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'evaluation-aborted' });
    const resumed = await resumeRun({
      journal,
      runId: 'run',
      adapter,
      prompt: countingPrompt(),
      session: listeningSession(),
      feedback: feedback(),
    });
    expect(resumed).toMatchObject({ finishReason: 'stop', conversation: whole.conversation });
    expect(JSON.stringify(whole.conversation)).toContain('That makes 2.');
  });
});

describe('a run with a journal that has its answer', () => {
  it('gives the session back when it was resumed: subscribers hear what comes next', async () => {
    const journal = watchedJournal();
    await adapter.evaluate(countingPrompt(), { journal, runId: 'run', session: listeningSession() });
    const session = listeningSession();
    await resumeRun({ journal, runId: 'run', adapter, prompt: countingPrompt(), session });
    session.dispatch(Counted, { by: 'the caller' });
    expect(session.slice(Hearings).latest()).toEqual({ by: 'the caller' });
  });

  it('has records of its calls with the value as the model got it', async () => {
    const journal = watchedJournal();
    await adapter.evaluate(countingPrompt(), { journal, runId: 'run', session: listeningSession() });
    const session = listeningSession();
    const again = await journalAfter(journal.batches, 'session');
    await resumeRun({ journal: again, runId: 'run', adapter, prompt: countingPrompt(), session });
    expect(session.slice(ToolCallLog).all()).toMatchObject(
      Array.from({ length: 3 }, () => ({
        rendered: '{"counted":true}',
        modelText: 'Counted.\n\n{"counted":true}',
      })),
    );
  });
});
