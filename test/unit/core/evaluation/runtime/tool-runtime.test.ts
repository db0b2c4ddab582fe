import { describe, expect, it } from 'vitest';
import {
  hostedTool,
  openToolRuntime,
  PolicyDecision,
  PromptExecutionLog,
  promptTemplate,
  type RunEvent,
  Session,
  SessionBusyError,
  section,
  ToolCallLog,
  ToolResult,
  TransactionClosedError,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { act } from '../../../../support/act.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { gate } from '../../../../support/gate.ts';
import { Added, add, Count, delegate, promptWith } from '../../../../support/nested-setup.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { only } from '../../../../support/run-calls.ts';
import { callsOf, textsOf, total } from '../../../../support/runtime-calls.ts';
import { opening, sectionsPrompt } from '../../../../support/sections.ts';

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
    await using runtime = await openToolRuntime(promptWith('turns', [add, waits, fails]));
    const answered = runtime.runCalls(callsOf('waits', 'add', 'fails', 'nothing'));
    await slow.reached;
    slow.open();
    const outputs = await answered;
    expect(outputs.map(({ callId, toolName, isError }) => [callId, toolName, isError])).toEqual([
      ['c1', 'waits', false],
      ['c2', 'add', false],
      ['c3', 'fails', true],
      ['c4', 'nothing', true],
    ]);
    expect(textsOf(outputs)).toEqual([
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
    await using runtime = await openToolRuntime(promptWith('images', [shoot]));
    const output = only(await runtime.runCalls(callsOf('shoot')));
    expect(output).toMatchObject({ text: 'Shot.', attachments });
    expect(output.invocation.attachments).toEqual([{ type: 'image', mediaType: 'image/png', characters: 4 }]);
  });

  it('say whether the handler kept the value from the model', async () => {
    const hides = act('hides', () =>
      ToolResult.ok({ secret: 1 }, 'Done.', { excludeValueFromContext: true }),
    );
    const refuses = act('refuses', () =>
      ToolResult.error('No.', { why: 1 }, { excludeValueFromContext: true }),
    );
    const shows = act('shows', () => ToolResult.ok({ open: 1 }, 'Done.'));
    await using runtime = await openToolRuntime(promptWith('values', [hides, refuses, shows]));
    const outputs = await runtime.runCalls(callsOf('hides', 'refuses', 'shows'));
    expect(outputs.map(({ isValueExcluded }) => isValueExcluded)).toEqual([true, true, undefined]);
    expect(outputs[0]?.invocation.value).toEqual({ secret: 1 });
    expect(outputs[0]?.text).toBe('Done.');
  });

  it('refuse arguments that have no JSON text, with the reason', async () => {
    await using runtime = await openToolRuntime(
      promptWith('no-json', [act('act', () => ToolResult.ok(1, 'Done.'))]),
    );
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const callWith = (given: unknown) =>
      runtime.call({ callId: 'a', name: 'act', arguments: given as never });
    await expect(callWith(circle)).rejects.toThrow(/^The arguments of a call are not JSON: .*circular/s);
    const none = 'The arguments of a call are not JSON: undefined has no JSON text';
    await expect(callWith(undefined)).rejects.toThrow(
      expect.objectContaining({ message: none, cause: expect.any(TypeError) }),
    );
  });

  it('take arguments as text or as an object', async () => {
    const echo = tool({
      name: 'echo',
      description: 'Says it again.',
      effects: 'read',
      inputSchema: z.object({ word: z.string() }),
      execute: ({ word }) => ToolResult.ok(null, word),
    });
    await using runtime = await openToolRuntime(promptWith('arguments', [echo]));
    const outputs = await runtime.runCalls([
      { callId: 'a', name: 'echo', arguments: '{"word":"text"}' },
      { callId: 'b', name: 'echo', arguments: { word: 'object' } },
      { callId: 'c', name: 'echo', arguments: '{"word":' },
      { callId: 'd', name: 'echo', arguments: { word: 1, more: true } },
    ]);
    expect(textsOf(outputs).slice(0, 2)).toEqual(['text', 'object']);
    expect(outputs[2]?.text).toMatch(/^The arguments of "echo" must be one JSON object/);
    expect(outputs[3]?.text).toMatch(/^Tool validation failed: the arguments of "echo" do not fit/);
  });

  it('are refused together when their ids do not tell them apart', async () => {
    await using runtime = await openToolRuntime(promptWith('ids', [add]));
    const twice = [...callsOf('add'), ...callsOf('add')];
    const error = await evaluationFailure(runtime.runCalls(twice));
    expect(error).toMatchObject({ code: 'evaluation-response-invalid', phase: 'response' });
    expect(error.message).toContain('a repeated call id "c1"');
    expect(total(runtime.session)).toBe(0);
    expect(runtime.session.slice(ToolCallLog).length).toBe(0);
    // Nothing has happened: the loop may continue.
    expect(textsOf(await runtime.runCalls(callsOf('add')))).toEqual(['Counted 1.']);
  });

  it('may be none, and then there is no turn', async () => {
    await using runtime = await openToolRuntime(promptWith('none', [add]));
    expect(await runtime.runCalls([])).toEqual([]);
    const [output] = await runtime.runCalls(callsOf('add'));
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
                  ? PolicyDecision.deny('Once is enough.')
                  : called.name === 'other'
                    ? PolicyDecision.ask('Look at it.')
                    : PolicyDecision.allow(),
            },
          ],
        }),
      ],
    }).bind();
    const asked: string[] = [];
    await using runtime = await openToolRuntime(prompt, {
      session,
      approve: ({ toolName }) => {
        asked.push(toolName);
        return { approved: false, reason: 'Not today.' };
      },
      feedback: [{ name: 'coach', triggers: { everyCalls: 1 }, provide: () => ({ message: 'Keep going.' }) }],
    });
    const outputs = await runtime.runCalls(callsOf('add', 'add', 'other'));
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
      await using runtime = await openToolRuntime(promptWith('records', [add, fails]), {
        session,
        name: 'my loop',
        observers: [{ onEvent: (event) => events.push(event) }],
      });
      await runtime.runCalls(callsOf('add', 'fails'));
      await runtime.runCalls(callsOf('add'));
      runtime.countUsage({ inputTokens: 7, outputTokens: undefined });
      expect(runtime.usage).toEqual({ inputTokens: 7 });
    }
    expect(session.slice(ToolCallLog).all()).toMatchObject([
      { turn: 1, callId: 'c1', adapter: 'my loop', outcome: 'committed' },
      { turn: 1, callId: 'c2', outcome: 'rolled-back' },
      { turn: 2, callId: 'c1', outcome: 'committed' },
    ]);
    const executed = only(session.slice(PromptExecutionLog).all());
    expect(executed).toMatchObject({ outcome: 'finished', turns: 2, usage: { inputTokens: 7 } });
    expect(executed).not.toHaveProperty('text');
    expect(events.filter(({ type }) => type.startsWith('run-'))).toMatchObject([
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
    await using runtime = await openToolRuntime(prompt);
    const { instructions } = runtime;
    expect(instructions).toContain('There is more.');
    expect(runtime.tools.map(({ name }) => name)).toEqual(['open_sections']);
    const { name, arguments: given } = opening('deep');
    const [opened] = await runtime.runCalls([{ callId: 'o', name, arguments: JSON.stringify(given) }]);
    expect(opened?.text).toContain('Everything about it.');
    expect(runtime.tools.map((offered) => offered.name)).toEqual(['open_sections', 'deep']);
    expect(runtime.instructions).toBe(instructions);
    expect(textsOf(await runtime.runCalls(callsOf('deep')))).toEqual(['Deep.']);
  });

  it('may ask for a structured answer, which the runtime reads', async () => {
    const prompt = promptTemplate({
      ns: 'test',
      key: 'answer',
      sections: [section({ title: 'Task', key: 'task', template: 'Answer.' })],
      output: z.object({ answer: z.number() }),
    }).bind();
    await using runtime = await openToolRuntime(prompt);
    expect(runtime.instructions).toContain('"answer"');
    expect(await runtime.parseOutput('It is {"answer": 42}.')).toEqual({ answer: 42 });
    await expect(runtime.parseOutput('It is 42.')).rejects.toMatchObject({ code: 'output-parse-failed' });
    await using other = await openToolRuntime(promptWith('text', []));
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
    const error = await evaluationFailure(openToolRuntime(prompt, { session }));
    expect(error).toMatchObject({ code: 'evaluation-render-failed', phase: 'render' });
    expect(only(session.slice(PromptExecutionLog).all()).outcome).toBe('failed');
    await using runtime = await openToolRuntime(promptWith('whole', [add]), { session });
    expect(runtime.tools).toHaveLength(1);
  });
});

describe('the session of a runtime', () => {
  it('is held until the runtime is disposed', async () => {
    const session = new Session();
    const runtime = await openToolRuntime(promptWith('held', [add]), { session });
    await expect(openToolRuntime(promptWith('second', [add]), { session })).rejects.toBeInstanceOf(
      SessionBusyError,
    );
    await expect(
      scriptedAdapter([{ text: 'done' }]).evaluate(promptWith('third', []), { session }),
    ).rejects.toBeInstanceOf(SessionBusyError);
    await runtime[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
    await scriptedAdapter([{ text: 'done' }]).evaluate(promptWith('third', []), { session });
    expect(
      only(session.slice(PromptExecutionLog).where(({ promptName }) => promptName === 'held')),
    ).toMatchObject({
      outcome: 'finished',
    });
  });

  it('is disposed with the runtime when the runtime made it', async () => {
    const runtime = await openToolRuntime(promptWith('own', [add]));
    const { session } = runtime;
    await runtime.runCalls(callsOf('add'));
    expect(runtime.signal.aborted).toBe(false);
    await runtime[Symbol.asyncDispose]();
    expect(runtime.signal.aborted).toBe(false);
    expect(() => session.dispatch(Added, { by: 1 })).toThrow();
    await expect(runtime.runCalls(callsOf('add'))).rejects.toBeInstanceOf(TransactionClosedError);
    await expect(runtime.runCalls([])).rejects.toBeInstanceOf(TransactionClosedError);
    await expect(runtime.call({ callId: 'x', name: 'add', arguments: '' })).rejects.toMatchObject({
      message: 'The tool runtime of the prompt "own" was disposed.',
    });
  });

  it('is let go although someone disposed it', async () => {
    const session = new Session();
    await using runtime = await openToolRuntime(promptWith('gone', [add]), { session });
    await session[Symbol.asyncDispose]();
    const error = await evaluationFailure(runtime.runCalls(callsOf('add')));
    expect(error).toMatchObject({ code: 'evaluation-tools-failed', phase: 'tool' });
  });
});

describe('evaluations inside the calls of a runtime', () => {
  const inner = promptWith('inner', [add]);
  const asks = delegate('state', async ({ adapter }) =>
    ToolResult.ok(null, (await adapter.evaluate(inner)).text),
  );

  it('run on the adapter that it is given, as a part of the call', async () => {
    const adapter = scriptedAdapter([
      { toolCalls: [{ name: 'add' }], usage: { inputTokens: 5, outputTokens: 1 } },
      { text: 'Inner done.', usage: { inputTokens: 6, outputTokens: 1 } },
    ]);
    await using runtime = await openToolRuntime(promptWith('outer', [asks]), { adapter });
    expect(textsOf(await runtime.runCalls(callsOf('delegate')))).toEqual(['Inner done.']);
    expect(total(runtime.session)).toBe(1);
    expect(runtime.usage).toEqual({ inputTokens: 11, outputTokens: 2 });
  });

  it('fail their call when there is none', async () => {
    await using runtime = await openToolRuntime(promptWith('outer', [asks]));
    const [output] = await runtime.runCalls(callsOf('delegate'));
    expect(output).toMatchObject({ isError: true });
    expect(output?.text).toContain('Pass the option adapter to openToolRuntime().');
    expect(runtime.signal.aborted).toBe(false);
  });

  it('need an adapter that the library has made', async () => {
    const { name, evaluate, stream } = scriptedAdapter([]);
    await expect(
      openToolRuntime(promptWith('outer', []), { adapter: { name, evaluate, stream } }),
    ).rejects.toMatchObject({ name: 'PromptValidationError', details: { option: 'adapter' } });
  });
});

describe('what a runtime is told', () => {
  it('must be counts from 0', async () => {
    await using runtime = await openToolRuntime(promptWith('counts', []));
    expect(() => runtime.countUsage({ inputTokens: Number.NaN })).toThrow(/has NaN as its inputTokens/);
    expect(runtime.countUsage(undefined)).toBeUndefined();
    expect(runtime.usage).toEqual({});
  });

  it('leaves it only without what is to be redacted, but for the texts of the calls', async () => {
    const session = new Session();
    const events: RunEvent[] = [];
    const leaks = act('leaks', () => ToolResult.error('The word is swordfish.'));
    await using runtime = await openToolRuntime(promptWith('secret', [leaks]), {
      session,
      redact: (text) => text.replaceAll('swordfish', '***'),
      observers: [{ onEvent: (event) => events.push(event) }],
    });
    const [output] = await runtime.runCalls(callsOf('leaks'));
    expect(output?.text).toBe('The word is swordfish.');
    expect(JSON.stringify([events, session.slice(ToolCallLog).all()])).not.toContain('swordfish');
    const error = await evaluationFailure(
      runtime.runCalls([
        { callId: 'swordfish', name: 'leaks', arguments: '' },
        { callId: 'swordfish', name: 'leaks', arguments: '' },
      ]),
    );
    expect(error.message).toContain('***');
  });

  it('is refused like the options of an evaluation', async () => {
    await expect(
      openToolRuntime(promptWith('options', []), { limits: { maxConcurrentCalls: 0 } }),
    ).rejects.toThrow('limits.maxConcurrentCalls must be a whole number of at least 1');
    await expect(
      openToolRuntime(promptWith('options', []), { limits: { budget: { maxCost: 1 } } }),
    ).rejects.toMatchObject({
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
    await using runtime = await openToolRuntime(prompt, { logger });
    expect(runtime.hostedTools).toEqual([search]);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { tools: ['search'] } }]);
  });
});
