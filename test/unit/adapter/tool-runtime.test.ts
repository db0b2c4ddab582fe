import { describe, expect, it } from 'vitest';
import {
  type AnyBinding,
  type AnyTool,
  bindInstance,
  Deadline,
  DeadlineExceededError,
  deny,
  Filesystem,
  hostedTool,
  MemoryFilesystem,
  PromptExecutions,
  promptTemplate,
  type RunEvent,
  Session,
  SessionBusyError,
  section,
  type ToolCallOutput,
  ToolInvocations,
  ToolResult,
  type ToolRuntime,
  TransactionClosedError,
  tool,
  toolRuntime,
} from 'weakincentives';
import { scriptedModel } from 'weakincentives/testing';
import { z } from 'zod';
import { Accounts, bankOf, beginOn } from '../../support/accounts.ts';
import { act, spend } from '../../support/act.ts';
import { evaluationFailure } from '../../support/failure.ts';
import { type Gate, gate } from '../../support/gate.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { Added, add, Count, delegate, promptWith } from '../../support/nested-setup.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { only } from '../../support/run-calls.ts';
import { opening, sectionsPrompt } from '../../support/sections.ts';

const total = (session: Session): number => session.slice(Count).latest()?.total ?? 0;
const calling = (...names: readonly string[]): { callId: string; name: string; arguments: string }[] =>
  names.map((name, index) => ({ callId: `c${index + 1}`, name, arguments: '' }));
const texts = (outputs: Awaited<ReturnType<ToolRuntime['runCalls']>>): readonly string[] =>
  outputs.map(({ text }) => text);
/** Changes something and waits at the gate; alone, so that what comes before it is committed by then. */
const waitsInside = (inside: Gate): AnyTool =>
  act(
    'waits',
    async ({ session }) => {
      session.dispatch(Added, { by: 10 });
      await inside.pass();
    },
    { effects: 'external' },
  );
const fails = act('fails', ({ session }) => {
  session.dispatch(Added, { by: 100 });
  throw new Error('No luck.');
});

describe('the calls of a turn', () => {
  it('are run as in an evaluation and answered in their order', async () => {
    const slow = gate();
    const waits = act('waits', async ({ session }) => {
      await slow.pass();
      session.dispatch(Added, { by: 10 });
      return ToolResult.ok(null, 'Waited.');
    });
    await using runtime = await toolRuntime(promptWith('turns', [add, waits, fails]));
    const answered = runtime.runCalls(calling('waits', 'add', 'fails', 'nothing'));
    await slow.reached;
    slow.open();
    const outputs = await answered;
    expect(outputs.map(({ callId, toolName, isError }) => [callId, toolName, isError])).toEqual([
      ['c1', 'waits', false],
      ['c2', 'add', false],
      ['c3', 'fails', true],
      ['c4', 'nothing', true],
    ]);
    expect(texts(outputs)).toEqual([
      'Waited.',
      'Counted 11.',
      'The tool "fails" failed: No luck.',
      'There is no tool "nothing". The tools are: add, waits, fails.',
    ]);
    expect(outputs.map(({ invocation }) => invocation.outcome)).toEqual([
      'committed',
      'committed',
      'rolled-back',
      'rejected',
    ]);
    expect(total(runtime.session)).toBe(11);
  });

  it('bring images and files with their texts', async () => {
    const attachments = [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }] as const;
    const shoot = act('shoot', () => ToolResult.ok(null, 'Shot.', { attachments }));
    await using runtime = await toolRuntime(promptWith('images', [shoot]));
    const output = only(await runtime.runCalls(calling('shoot')));
    expect(output).toMatchObject({ text: 'Shot.', attachments });
    expect(output.invocation.attachments).toEqual([{ type: 'image', mediaType: 'image/png', characters: 4 }]);
  });

  it('take arguments as text or as an object', async () => {
    const echo = tool({
      name: 'echo',
      description: 'Says it again.',
      effects: 'read',
      inputSchema: z.object({ word: z.string() }),
      execute: ({ word }) => ToolResult.ok(null, word),
    });
    await using runtime = await toolRuntime(promptWith('arguments', [echo]));
    const outputs = await runtime.runCalls([
      { callId: 'a', name: 'echo', arguments: '{"word":"text"}' },
      { callId: 'b', name: 'echo', arguments: { word: 'object' } },
      { callId: 'c', name: 'echo', arguments: '{"word":' },
      { callId: 'd', name: 'echo', arguments: { word: 1, more: true } },
    ]);
    expect(texts(outputs).slice(0, 2)).toEqual(['text', 'object']);
    expect(outputs[2]?.text).toMatch(/^The arguments of "echo" must be one JSON object/);
    expect(outputs[3]?.text).toMatch(/^Tool validation failed: the arguments of "echo" do not fit/);
  });

  it('are refused together when their ids do not tell them apart', async () => {
    await using runtime = await toolRuntime(promptWith('ids', [add]));
    const twice = [...calling('add'), ...calling('add')];
    const error = await evaluationFailure(runtime.runCalls(twice));
    expect(error).toMatchObject({ code: 'evaluation-response-invalid', phase: 'response' });
    expect(error.message).toContain('a repeated call id "c1"');
    expect(total(runtime.session)).toBe(0);
    expect(runtime.session.slice(ToolInvocations).length).toBe(0);
    // Nothing has happened: the loop may go on.
    expect(texts(await runtime.runCalls(calling('add')))).toEqual(['Counted 1.']);
  });

  it('may be none, and then there is no turn', async () => {
    await using runtime = await toolRuntime(promptWith('none', [add]));
    expect(await runtime.runCalls([])).toEqual([]);
    const [output] = await runtime.runCalls(calling('add'));
    expect(output?.invocation.turn).toBe(1);
  });

  it('are held to policies, put to whoever approves, and commented on', async () => {
    const session = new Session();
    const prompt = promptTemplate({
      ns: 'test',
      key: 'policies',
      sections: [
        section({
          title: 'Tools',
          key: 'tools',
          template: 'Use them.',
          tools: [add, act('other', () => undefined)],
          slices: [Count],
          policies: [
            {
              name: 'once',
              check: ({ tool: called }, { session: view }) =>
                called.name === 'add' && total(view as Session) > 0
                  ? deny('Once is enough.')
                  : { outcome: called.name === 'other' ? 'ask' : 'allow', reason: 'Look at it.' },
            },
          ],
        }),
      ],
    }).bind();
    const asked: string[] = [];
    await using runtime = await toolRuntime(prompt, {
      session,
      approve: ({ toolName }) => {
        asked.push(toolName);
        return { approved: false, reason: 'Not today.' };
      },
      feedback: [{ name: 'coach', triggers: { everyCalls: 1 }, provide: () => ({ message: 'Keep going.' }) }],
    });
    const outputs = await runtime.runCalls(calling('add', 'add', 'other'));
    expect(outputs.map(({ invocation }) => invocation.reason)).toEqual([undefined, 'denied', 'not-approved']);
    expect(outputs[1]?.text).toContain('Once is enough.');
    expect(outputs[2]?.text).toContain('Not today.');
    expect(asked).toEqual(['other']);
    expect(outputs.every(({ text }) => text.includes('Keep going.'))).toBe(true);
    expect(total(session)).toBe(1);
  });

  it('are recorded, turn by turn', async () => {
    const session = new Session();
    const events: RunEvent[] = [];
    {
      await using runtime = await toolRuntime(promptWith('records', [add, fails]), {
        session,
        name: 'my loop',
        onEvent: (event) => events.push(event),
      });
      await runtime.runCalls(calling('add', 'fails'));
      await runtime.runCalls(calling('add'));
      runtime.countUsage({ inputTokens: 7, outputTokens: undefined });
      expect(runtime.usage).toEqual({ inputTokens: 7 });
    }
    expect(session.slice(ToolInvocations).all()).toMatchObject([
      { turn: 1, callId: 'c1', adapter: 'my loop', outcome: 'committed' },
      { turn: 1, callId: 'c2', outcome: 'rolled-back' },
      { turn: 2, callId: 'c1', outcome: 'committed' },
    ]);
    const executed = only(session.slice(PromptExecutions).all());
    expect(executed).toMatchObject({ outcome: 'finished', turns: 2, usage: { inputTokens: 7 } });
    expect(executed).not.toHaveProperty('text');
    expect(events.filter(({ type }) => type.startsWith('run-'))).toEqual([
      { type: 'run-start', promptName: 'records', adapter: 'my loop', tools: ['add', 'fails'] },
      { type: 'run-end', outcome: 'finished', turns: 2, usage: { inputTokens: 7 } },
    ]);
  });
});

describe('the prompt of a runtime', () => {
  it('is there as text and tools, which opened sections add to', async () => {
    const deep = act('deep', () => ToolResult.ok(null, 'Deep.'));
    const prompt = sectionsPrompt([
      section({
        title: 'Deep',
        key: 'deep',
        template: 'Everything about it.',
        summary: 'There is more.',
        visibility: 'summary',
        tools: [deep],
      }),
    ]);
    await using runtime = await toolRuntime(prompt);
    const { instructions } = runtime;
    expect(instructions).toContain('There is more.');
    expect(runtime.tools.map(({ name }) => name)).toEqual(['open_sections']);
    const { name, arguments: given } = opening('deep');
    const [opened] = await runtime.runCalls([{ callId: 'o', name, arguments: JSON.stringify(given) }]);
    expect(opened?.text).toContain('Everything about it.');
    expect(runtime.tools.map((offered) => offered.name)).toEqual(['open_sections', 'deep']);
    expect(runtime.instructions).toBe(instructions);
    expect(texts(await runtime.runCalls(calling('deep')))).toEqual(['Deep.']);
  });

  it('may ask for a structured answer, which the runtime reads', async () => {
    const prompt = promptTemplate({
      ns: 'test',
      key: 'answer',
      sections: [section({ title: 'Task', key: 'task', template: 'Answer.' })],
      output: z.object({ answer: z.number() }),
    }).bind();
    await using runtime = await toolRuntime(prompt);
    expect(runtime.instructions).toContain('"answer"');
    expect(await runtime.parseOutput('It is {"answer": 42}.')).toEqual({ answer: 42 });
    await expect(runtime.parseOutput('It is 42.')).rejects.toMatchObject({ code: 'output-parse-failed' });
    await using other = await toolRuntime(promptWith('text', []));
    expect(await other.parseOutput('Any text.')).toBeUndefined();
  });

  it('is an error of phase render when it cannot be prepared, and the session is free again', async () => {
    const session = new Session();
    const prompt = promptTemplate({
      ns: 'test',
      key: 'broken',
      sections: [
        section({
          title: 'Broken',
          key: 'broken',
          template: 'Text.',
          visibility: () => {
            throw new Error('No idea.');
          },
          summary: 'Less.',
        }),
      ],
    }).bind();
    const error = await evaluationFailure(toolRuntime(prompt, { session }));
    expect(error).toMatchObject({ code: 'evaluation-render-failed', phase: 'render' });
    expect(only(session.slice(PromptExecutions).all()).outcome).toBe('failed');
    await using runtime = await toolRuntime(promptWith('whole', [add]), { session });
    expect(runtime.tools).toHaveLength(1);
  });
});

describe('the session of a runtime', () => {
  it('is held until the runtime is disposed', async () => {
    const session = new Session();
    const runtime = await toolRuntime(promptWith('held', [add]), { session });
    await expect(toolRuntime(promptWith('second', [add]), { session })).rejects.toBeInstanceOf(
      SessionBusyError,
    );
    await expect(
      scriptedModel([{ text: 'done' }]).evaluate(promptWith('third', []), { session }),
    ).rejects.toBeInstanceOf(SessionBusyError);
    await runtime[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
    await scriptedModel([{ text: 'done' }]).evaluate(promptWith('third', []), { session });
    expect(
      only(session.slice(PromptExecutions).where(({ promptName }) => promptName === 'held')),
    ).toMatchObject({
      outcome: 'finished',
    });
  });

  it('is disposed with the runtime when the runtime made it', async () => {
    const runtime = await toolRuntime(promptWith('own', [add]));
    const { session } = runtime;
    await runtime.runCalls(calling('add'));
    expect(runtime.signal.aborted).toBe(false);
    await runtime[Symbol.asyncDispose]();
    expect(runtime.signal.aborted).toBe(false);
    expect(() => session.dispatch(Added, { by: 1 })).toThrow();
    await expect(runtime.runCalls(calling('add'))).rejects.toBeInstanceOf(TransactionClosedError);
    await expect(runtime.runCalls([])).rejects.toBeInstanceOf(TransactionClosedError);
    await expect(runtime.call({ callId: 'x', name: 'add', arguments: '' })).rejects.toMatchObject({
      message: 'The tool runtime of the prompt "own" was disposed.',
    });
  });

  it('is let go although someone disposed it', async () => {
    const session = new Session();
    await using runtime = await toolRuntime(promptWith('gone', [add]), { session });
    await session[Symbol.asyncDispose]();
    const error = await evaluationFailure(runtime.runCalls(calling('add')));
    expect(error).toMatchObject({ code: 'evaluation-tools-failed', phase: 'tool' });
  });
});

describe('the end of a run', () => {
  /** A runtime with a call that waits inside its handler, after it has changed something and the calls before it are committed. */
  const waiting = async (
    options: Parameters<typeof toolRuntime>[1] = {},
  ): Promise<{ runtime: ToolRuntime; session: Session; inside: Gate }> => {
    const inside = gate();
    const waits = waitsInside(inside);
    const session = options.session ?? new Session();
    const runtime = await toolRuntime(promptWith('ends', [add, waits]), { ...options, session });
    return { runtime, session, inside };
  };

  it('by its signal rolls back what is not committed, answers every call, and rejects', async () => {
    const controller = new AbortController();
    const { runtime, session, inside } = await waiting({ signal: controller.signal });
    await using _ = runtime;
    const failure = evaluationFailure(runtime.runCalls(calling('add', 'waits', 'add')));
    await inside.reached;
    controller.abort('Enough.');
    const error = await failure;
    expect(error).toMatchObject({ code: 'evaluation-aborted', phase: 'tool', cause: 'Enough.' });
    expect(error.conversation.map((item) => ('text' in item ? item.text : item.type))).toEqual([
      'assistant',
      'Counted 1.',
      'The call of "waits" was not completed because the run was aborted. Nothing it changed in session and files is left, but what it did outside of them may stand.',
      'The call of "add" was not completed because the run was aborted. Nothing it changed is left.',
    ]);
    expect(total(session)).toBe(1);
    expect(session.slice(ToolInvocations).length).toBe(3);
    expect(runtime.signal.aborted).toBe(true);
    // It is over: what is still asked for is refused, and on record.
    expect(await evaluationFailure(runtime.runCalls(calling('add')))).toMatchObject({
      code: 'evaluation-aborted',
    });
    expect(total(session)).toBe(1);
    await runtime[Symbol.asyncDispose]();
    expect(only(session.slice(PromptExecutions).all())).toMatchObject({
      outcome: 'failed',
      error: { code: 'evaluation-aborted' },
    });
  });

  it('by its deadline', async () => {
    const clock = manualClock();
    const { runtime, session, inside } = await waiting({ clock, deadline: Deadline.after(1_000, clock) });
    await using _ = runtime;
    const failure = evaluationFailure(runtime.runCalls(calling('waits')));
    await inside.reached;
    clock.advance(1_000);
    expect(await failure).toMatchObject({ code: 'evaluation-deadline', phase: 'tool' });
    expect(total(session)).toBe(0);
    await runtime[Symbol.asyncDispose]();
    expect(clock.pending).toBe(0);
  });

  it('by its budget lets nothing begin once the model has used it up', async () => {
    const events: RunEvent[] = [];
    const { runtime, session } = await waiting({
      budget: { maxTotalTokens: 100 },
      onEvent: (event) => events.push(event),
    });
    await using _ = runtime;
    expect(runtime.countUsage({ inputTokens: 90, outputTokens: 5 })).toBeUndefined();
    await runtime.runCalls(calling('add'));
    expect(runtime.budgetExceeded).toBeUndefined();
    const excess = { limit: 'maxTotalTokens', value: 195, maximum: 100 };
    expect(runtime.countUsage({ inputTokens: 95, outputTokens: 5 })).toEqual(excess);
    expect(runtime.budgetExceeded).toEqual(excess);
    expect(events.filter(({ type }) => type === 'budget-exceeded')).toEqual([
      { type: 'budget-exceeded', turn: 1, ...excess },
    ]);
    const error = await evaluationFailure(runtime.runCalls(calling('add')));
    expect(error).toMatchObject({ code: 'evaluation-budget', phase: 'budget', usage: { inputTokens: 185 } });
    expect(total(session)).toBe(1);
    expect(session.slice(ToolInvocations).latest()).toMatchObject({ outcome: 'aborted', reason: 'budget' });
    expect(runtime.signal.aborted).toBe(true);
  });

  it('by a handler', async () => {
    const interrupts = act('interrupts', ({ session }) => {
      session.dispatch(Added, { by: 10 });
      throw new DeadlineExceededError('Too late.');
    });
    const session = new Session();
    await using runtime = await toolRuntime(promptWith('interrupted', [add, interrupts]), { session });
    const error = await evaluationFailure(runtime.runCalls(calling('add', 'interrupts', 'add')));
    expect(error).toMatchObject({ code: 'evaluation-deadline', phase: 'tool' });
    expect(total(session)).toBe(1);
    expect(session.slice(ToolInvocations).length).toBe(3);
  });

  it('by its watchdog, which looks at the calls only', async () => {
    const clock = manualClock();
    const { runtime, inside } = await waiting({ clock, watchdogMs: 1_000 });
    await using _ = runtime;
    // The model thinks, for longer than that.
    for (let second = 0; second < 5; second += 1) clock.advance(1_000);
    expect(texts(await runtime.runCalls(calling('add')))).toEqual(['Counted 1.']);
    for (let second = 0; second < 5; second += 1) clock.advance(1_000);
    const failure = evaluationFailure(runtime.runCalls(calling('waits')));
    await inside.reached;
    clock.advance(999);
    clock.advance(1_001);
    expect(await failure).toMatchObject({ code: 'evaluation-silent', phase: 'tool' });
  });

  it('by disposing it gives up what runs and what waits', async () => {
    const { runtime, session, inside } = await waiting();
    const first = evaluationFailure(runtime.runCalls(calling('add', 'waits')));
    const second = runtime.runCalls(calling('add')).catch((error: unknown) => error);
    const third = runtime.call({ callId: 'x', name: 'add', arguments: '' }).catch((error: unknown) => error);
    await inside.reached;
    await runtime[Symbol.asyncDispose]();
    // It waited for what ran, and the record of the run comes last.
    expect(session.slice(ToolInvocations).length).toBe(2);
    expect(session.slice(PromptExecutions).latest()).toMatchObject({ outcome: 'failed', turns: 1 });
    expect(await first).toMatchObject({ code: 'evaluation-aborted' });
    expect((await first).cause).toBeInstanceOf(TransactionClosedError);
    expect(await second).toBeInstanceOf(TransactionClosedError);
    expect(await third).toBeInstanceOf(TransactionClosedError);
    expect(total(session)).toBe(1);
    // It let go of the session.
    await using next = await toolRuntime(promptWith('next', [add]), { session });
    expect(texts(await next.runCalls(calling('add')))).toEqual(['Counted 2.']);
  });
});

describe('a signal that comes with calls', () => {
  it('gives up a turn, and the runtime goes on', async () => {
    const controller = new AbortController();
    const inside = gate();
    const waits = waitsInside(inside);
    await using runtime = await toolRuntime(promptWith('turn', [add, waits]));
    const { signal } = controller;
    const failure = evaluationFailure(runtime.runCalls(calling('add', 'waits', 'add'), { signal }));
    await inside.reached;
    controller.abort('Stop this.');
    const error = await failure;
    inside.open();
    expect(error).toMatchObject({ code: 'evaluation-aborted', phase: 'tool', cause: 'Stop this.' });
    expect(error.message).toContain('The call "c2" of "waits" was aborted by its caller');
    expect(total(runtime.session)).toBe(1);
    expect(runtime.signal.aborted).toBe(false);
    expect(texts(await runtime.runCalls(calling('add')))).toEqual(['Counted 2.']);
    expect(await evaluationFailure(runtime.runCalls(calling('add'), { signal }))).toMatchObject({
      code: 'evaluation-aborted',
    });
    expect(texts(await runtime.runCalls(calling('add')))).toEqual(['Counted 3.']);
  });

  it('changes nothing once its calls are committed', async () => {
    const controller = new AbortController();
    await using runtime = await toolRuntime(
      promptWith('late', [act('aborts', () => ToolResult.ok(null, 'Done.'))]),
      { onEvent: (event) => event.type === 'tool-call-end' && controller.abort() },
    );
    expect(texts(await runtime.runCalls(calling('aborts'), { signal: controller.signal }))).toEqual([
      'Done.',
    ]);
  });

  it('gives up one call of several, and the others go on', async () => {
    const controller = new AbortController();
    const inside = gate();
    const waits = waitsInside(inside);
    await using runtime = await toolRuntime(promptWith('one', [add, waits]));
    const before = runtime.call({ callId: 'a', name: 'add', arguments: '' });
    const failure = evaluationFailure(
      runtime.call({ callId: 'b', name: 'waits', arguments: '' }, { signal: controller.signal }),
    );
    const behind = runtime.call({ callId: 'c', name: 'add', arguments: '' });
    await inside.reached;
    controller.abort('Not this one.');
    expect(await failure).toMatchObject({ code: 'evaluation-aborted', cause: 'Not this one.' });
    expect((await before).text).toBe('Counted 1.');
    expect((await behind).text).toBe('Counted 2.');
    expect((await behind).invocation.turn).toBe(1);
    expect(runtime.signal.aborted).toBe(false);
  });
});

describe('a call that is given up', () => {
  const giveUp = async (
    tools: readonly AnyTool[],
    resources: readonly AnyBinding[],
    reached: Promise<void>,
  ): Promise<{ readonly first: unknown; readonly second: Promise<ToolCallOutput>; runtime: ToolRuntime }> => {
    const controller = new AbortController();
    const task = section({ title: 'Task', key: 'task', template: 'Do it.', tools });
    const prompt = promptTemplate({ ns: 'test', key: 'given-up', sections: [task], resources }).bind();
    const runtime = await toolRuntime(prompt);
    const [one, other] = tools.map(({ name }) => name);
    const first = runtime
      .call({ callId: 'a', name: one ?? '', arguments: '' }, { signal: controller.signal })
      .catch((error: unknown) => error);
    const second = runtime.call({ callId: 'b', name: other ?? '', arguments: '' });
    await reached;
    controller.abort();
    return { first, second, runtime };
  };

  it('leaves nothing in a resource that the call behind it works on', async () => {
    const bank = bankOf({ a: 10 });
    const lines: string[] = [];
    const beginning = gate();
    let begun = 0;
    const serial = {
      begin: async (accounts: Accounts) => {
        begun += 1;
        const name = `part ${begun}`;
        lines.push(`begin ${name}`);
        if (begun === 1) await beginning.pass();
        return beginOn(accounts, { lines, name });
      },
    };
    const binding = bindInstance<Accounts>(Accounts, bank, { transactional: serial });
    const { first, second, runtime } = await giveUp(
      [act('one', spend(1)), act('two', spend(2))],
      [binding],
      beginning.reached,
    );
    await using _ = runtime;
    // The part that is just being begun is waited for: it would be undone behind the back of the next one.
    for (let round = 0; round < 50; round += 1) await Promise.resolve();
    expect(lines).toEqual(['begin part 1']);
    beginning.open();
    expect(await first).toMatchObject({ code: 'evaluation-aborted' });
    expect((await second).isError).toBe(false);
    expect(lines).toEqual([
      'begin part 1',
      'close part 1',
      'rollback part 1',
      'begin part 2',
      'close part 2',
      'commit part 2',
    ]);
    expect(bank.get('a')).toBe(8);
  });

  it('does not keep one from its place that has run beside it', async () => {
    const inside = gate();
    const waits = act('waits', async ({ filesystem }) => {
      await filesystem.write('a', 'never');
      await inside.pass();
    });
    const writes = act('writes', ({ filesystem }) => filesystem.write('b', 'kept').then(() => undefined));
    const files = new MemoryFilesystem();
    const { first, second, runtime } = await giveUp(
      [waits, writes],
      [bindInstance(Filesystem, files)],
      inside.reached,
    );
    await using _ = runtime;
    expect((await second).invocation).toMatchObject({ outcome: 'committed', attempts: 1 });
    expect(await first).toMatchObject({ code: 'evaluation-aborted' });
    inside.open();
    expect((await files.list('.')).map(({ path }) => path)).toEqual(['b']);
  });

  it('ends with the run like any other, whatever its own signal', async () => {
    const controller = new AbortController();
    const inside = gate();
    await using runtime = await toolRuntime(promptWith('both', [waitsInside(inside)]), {
      signal: controller.signal,
    });
    const own = new AbortController();
    const failure = evaluationFailure(runtime.runCalls(calling('waits'), { signal: own.signal }));
    await inside.reached;
    controller.abort('All of it.');
    expect(await failure).toMatchObject({ code: 'evaluation-aborted', cause: 'All of it.' });
    expect(runtime.signal.aborted).toBe(true);
    own.abort('Too late.');
  });
});

describe('calls that come one by one', () => {
  it('make up turns: those that come while nothing runs, and those that come while a turn runs', async () => {
    const gathers = [gate(), gate()];
    let gathered = 0;
    const clock = {
      ...manualClock(),
      yieldToTimers: () => gathers[gathered++]?.pass() ?? Promise.resolve(),
    };
    const inside = gate();
    const waits = act('waits', () => inside.pass());
    await using runtime = await toolRuntime(promptWith('gathered', [add, waits]), { clock });
    const call = (callId: string, name: string) => runtime.call({ callId, name, arguments: '' });
    const first = [call('a', 'add'), call('b', 'waits'), call('c', 'add')];
    await gathers[0]?.reached;
    first.push(call('d', 'add'));
    const twice = await evaluationFailure(call('a', 'add'));
    expect(twice).toMatchObject({ code: 'evaluation-response-invalid' });
    gathers[0]?.open();
    await inside.reached;
    // The id of a call that runs already belongs to another turn.
    const second = [call('a', 'add'), call('e', 'add')];
    const whole = runtime.runCalls(calling('add'));
    const third = [call('f', 'add')];
    inside.open();
    await gathers[1]?.reached;
    gathers[1]?.open();
    const outputs = await Promise.all([...first, ...second, whole.then(only), ...third]);
    expect(outputs.map(({ callId, invocation, text }) => [callId, invocation.turn, text])).toEqual([
      ['a', 1, 'Counted 1.'],
      ['b', 1, 'waits done'],
      ['c', 1, 'Counted 2.'],
      ['d', 1, 'Counted 3.'],
      ['a', 2, 'Counted 4.'],
      ['e', 2, 'Counted 5.'],
      ['c1', 3, 'Counted 6.'],
      ['f', 4, 'Counted 7.'],
    ]);
  });

  it('join the turn that waits last, whatever begins before it', async () => {
    const inside = gate();
    const waits = act('waits', () => inside.pass());
    await using runtime = await toolRuntime(promptWith('last', [add, waits]));
    const call = (callId: string, name: string) => runtime.call({ callId, name, arguments: '' });
    const first = call('a', 'waits');
    const second = runtime.runCalls(calling('add')).then(only);
    const third = [call('b', 'add')];
    await inside.reached;
    third.push(call('c', 'add'));
    inside.open();
    const outputs = await Promise.all([first, second, ...third]);
    expect(outputs.map(({ callId, invocation }) => [callId, invocation.turn])).toEqual([
      ['a', 1],
      ['c1', 2],
      ['b', 3],
      ['c', 3],
    ]);
  });

  it('are gathered until timers have had their turn, whatever clock there is', async () => {
    const clock = manualClock();
    await using runtime = await toolRuntime(promptWith('timers', [add]), { clock });
    const answers = ['a', 'b'].map((callId) => runtime.call({ callId, name: 'add', arguments: '' }));
    while (clock.pending === 0) await Promise.resolve();
    clock.advance(0);
    expect((await Promise.all(answers)).map(({ invocation }) => invocation.turn)).toEqual([1, 1]);
    await using other = await toolRuntime(promptWith('system', [add]));
    const outputs = await Promise.all(
      ['a', 'b'].map((callId) => other.call({ callId, name: 'add', arguments: '' })),
    );
    expect(outputs.map(({ invocation }) => invocation.turn)).toEqual([1, 1]);
  });

  it('are not waited for when the run ends while they are gathered', async () => {
    const clock = manualClock();
    const runtime = await toolRuntime(promptWith('ended', [add]), { clock });
    const answer = runtime.call({ callId: 'a', name: 'add', arguments: '' }).catch((error: unknown) => error);
    await runtime[Symbol.asyncDispose]();
    expect(await answer).toBeInstanceOf(TransactionClosedError);
  });
});

describe('evaluations inside the calls of a runtime', () => {
  const inner = promptWith('inner', [add]);
  const asks = delegate('state', async ({ adapter }) =>
    ToolResult.ok(null, (await adapter.evaluate(inner)).text),
  );

  it('run on the adapter that it is given, as a part of the call', async () => {
    const adapter = scriptedModel([
      { toolCalls: [{ name: 'add' }], usage: { inputTokens: 5, outputTokens: 1 } },
      { text: 'Inner done.', usage: { inputTokens: 6, outputTokens: 1 } },
    ]);
    await using runtime = await toolRuntime(promptWith('outer', [asks]), { adapter });
    expect(texts(await runtime.runCalls(calling('delegate')))).toEqual(['Inner done.']);
    expect(total(runtime.session)).toBe(1);
    expect(runtime.usage).toEqual({ inputTokens: 11, outputTokens: 2 });
  });

  it('fail their call when there is none', async () => {
    await using runtime = await toolRuntime(promptWith('outer', [asks]));
    const [output] = await runtime.runCalls(calling('delegate'));
    expect(output).toMatchObject({ isError: true });
    expect(output?.text).toContain('Give toolRuntime() the option adapter.');
    expect(runtime.signal.aborted).toBe(false);
  });

  it('need an adapter that the library has made', async () => {
    const { name, evaluate, stream } = scriptedModel([]);
    await expect(
      toolRuntime(promptWith('outer', []), { adapter: { name, evaluate, stream } }),
    ).rejects.toMatchObject({ name: 'PromptValidationError', details: { option: 'adapter' } });
  });
});

describe('what a runtime is told', () => {
  it('must be counts from 0', async () => {
    await using runtime = await toolRuntime(promptWith('counts', []));
    expect(() => runtime.countUsage({ inputTokens: Number.NaN })).toThrow(/has NaN as its inputTokens/);
    expect(runtime.countUsage(undefined)).toBeUndefined();
    expect(runtime.usage).toEqual({});
  });

  it('leaves it only without what is to be redacted, but for the texts of the calls', async () => {
    const session = new Session();
    const events: RunEvent[] = [];
    const leaks = act('leaks', () => ToolResult.error('The word is swordfish.'));
    await using runtime = await toolRuntime(promptWith('secret', [leaks]), {
      session,
      redact: (text) => text.replaceAll('swordfish', '***'),
      onEvent: (event) => events.push(event),
    });
    const [output] = await runtime.runCalls(calling('leaks'));
    expect(output?.text).toBe('The word is swordfish.');
    expect(JSON.stringify([events, session.slice(ToolInvocations).all()])).not.toContain('swordfish');
    const error = await evaluationFailure(
      runtime.runCalls([
        { callId: 'swordfish', name: 'leaks', arguments: '' },
        { callId: 'swordfish', name: 'leaks', arguments: '' },
      ]),
    );
    expect(error.message).toContain('***');
  });

  it('is refused like the options of an evaluation', async () => {
    await expect(toolRuntime(promptWith('options', []), { concurrency: 0 })).rejects.toThrow(
      'concurrency must be a whole number of at least 1',
    );
    await expect(toolRuntime(promptWith('options', []), { budget: { maxCost: 1 } })).rejects.toMatchObject({
      name: 'PromptValidationError',
    });
  });

  it('warns of tools that only the provider can run', async () => {
    const logger = recordingLogger();
    const search = hostedTool({ kind: 'web_search', name: 'search', description: 'Searches.', config: {} });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'hosted',
      sections: [section({ title: 'Search', key: 'search', template: 'Search.', hostedTools: [search] })],
    }).bind();
    await using runtime = await toolRuntime(prompt, { logger });
    expect(runtime.hostedTools).toEqual([search]);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { tools: ['search'] } }]);
  });
});
