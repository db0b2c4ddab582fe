import { describe, expect, test } from 'vitest';
import {
  anyCompletion,
  type CompletionChecker,
  type CompletionContext,
  CompletionVerdict,
  Deadline,
  type EvaluateOptions,
  filesExistCompletion,
  lastCallCompletion,
  type PromptResponse,
  promptTemplate,
  type RunEvent,
  type RunLimits,
  Session,
  section,
  ToolResult,
} from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { act } from '../../../../support/act.ts';
import { withoutPlaces } from '../../../../support/event-places.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { calling, delegate, modelFor, promptWith } from '../../../../support/nested-setup.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { runCalls } from '../../../../support/run-calls.ts';

const checker = (
  check: (context: CompletionContext) => CompletionVerdict | Promise<CompletionVerdict>,
  name = 'checker',
): CompletionChecker => ({ name, check });
const no = checker(() => CompletionVerdict.incomplete('Not yet.'), 'no');
const yes = checker(CompletionVerdict.complete, 'yes');
const ok = act('ok', () => undefined);

/** Evaluates a prompt whose model says these turns. */
async function evaluate(
  turns: readonly ScriptedTurn[],
  options: EvaluateOptions,
): Promise<{ readonly response: PromptResponse; readonly events: readonly RunEvent[] }> {
  const events: RunEvent[] = [];
  const template = promptTemplate({
    ns: 'test',
    key: 'completion',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [ok] })],
  });
  const response = await scriptedAdapter(turns).evaluate(template.bind(), {
    ...options,
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  return { response, events };
}

const answer = (text: string): ScriptedTurn => ({ text });
const checks = (events: readonly RunEvent[]): readonly RunEvent[] =>
  events.filter(({ type }) => type === 'completion-checked');

describe('a checker', () => {
  test('sends the model back with its feedback as a message of the user until it says that all is done', async () => {
    const { response, events } = await evaluate([answer('First.'), calling('ok'), answer('Second.')], {
      completion: checker(({ text }) =>
        text === 'Second.' ? CompletionVerdict.complete() : CompletionVerdict.incomplete('Call ok.'),
      ),
    });
    expect(response).toMatchObject({ text: 'Second.', finishReason: 'stop' });
    expect(response.conversation.map(({ type }) => type)).toEqual([
      'assistant',
      'user',
      'assistant',
      'tool-result',
      'assistant',
    ]);
    expect(response.conversation[1]).toEqual({
      type: 'user',
      content: [{ type: 'text', text: 'Call ok.' }],
      source: 'runtime',
    });
    expect(withoutPlaces(checks(events))).toEqual([
      {
        type: 'completion-checked',
        turn: 1,
        checker: 'checker',
        check: 1,
        outcome: 'incomplete',
        feedback: 'Call ok.',
      },
      { type: 'completion-checked', turn: 3, checker: 'checker', check: 2, outcome: 'complete' },
    ]);
  });

  test('is not asked while the model calls tools', async () => {
    const asked: number[] = [];
    await evaluate([calling('ok'), calling('ok'), answer('Done.')], {
      completion: checker(({ check, conversation }) => {
        asked.push(check, conversation.length);
        return CompletionVerdict.complete();
      }),
    });
    expect(asked).toEqual([1, 5]);
  });

  test('sees the run for reading only, until it is done', async () => {
    const seen: CompletionContext[] = [];
    const clock = createManualClock();
    const { session } = await runCalls({
      tools: [ok],
      turns: [],
      files: { 'a.txt': 'a' },
      clock,
      limits: { deadline: Deadline.after(5_000, clock) },
      completion: checker(async (context) => {
        seen.push(context);
        expect((await context.filesystem?.read('a.txt'))?.text).toBe('a');
        await expect(context.filesystem?.write('a.txt', 'b')).rejects.toThrow();
        return CompletionVerdict.complete();
      }),
    });
    const [context] = seen;
    expect(context).toMatchObject({ text: 'done', output: undefined, finishReason: 'stop', check: 1 });
    expect(context?.deadline?.remainingMs()).toBe(5_000);
    expect(context?.session.id).toBe(session.id);
    expect(Object.isFrozen(context?.conversation)).toBe(true);
    await expect(context?.filesystem?.read('a.txt')).rejects.toMatchObject({
      name: 'TransactionClosedError',
    });
  });

  test('is asked once the answer was read by the output schema, and gets what that made of it', async () => {
    const outputs: unknown[] = [];
    const template = promptTemplate({
      ns: 'test',
      key: 'structured',
      output: z.object({ count: z.number(), unit: z.string().default('pieces') }),
      sections: [section({ title: 'Task', key: 'task', template: 'Count.' })],
    });
    const completion = checker(({ output }) => {
      outputs.push(output);
      return outputs.length === 1
        ? CompletionVerdict.incomplete('Count again.')
        : CompletionVerdict.complete();
    });
    const adapter = scriptedAdapter([answer('{"count":1}'), answer('{"count":2}')]);
    const { output } = await adapter.evaluate(template.bind(), { completion });
    expect(outputs).toEqual([
      { count: 1, unit: 'pieces' },
      { count: 2, unit: 'pieces' },
    ]);
    expect(output).toEqual({ count: 2, unit: 'pieces' });
    const broken = scriptedAdapter(() => answer('no JSON')).evaluate(template.bind(), { completion });
    await expect(broken).rejects.toMatchObject({ code: 'evaluation-output-invalid', phase: 'parse' });
    expect(outputs).toHaveLength(2);
  });

  test.each(['length', 'refusal', 'content-filter'] as const)(
    'is not asked about an answer that ended by %s, which is logged',
    async (finishReason) => {
      const logger = recordingLogger();
      const { response, events } = await evaluate([{ text: 'Half', finishReason }], {
        completion: no,
        logger,
      });
      expect(response).toMatchObject({ text: 'Half', finishReason });
      expect(checks(events)).toEqual([]);
      expect(logger.lines).toMatchObject([{ level: 'warn', fields: { checker: 'no', finishReason } }]);
    },
  );
});

describe('a task that does not get done', () => {
  test.each<readonly [RunLimits, number]>([
    [{}, 3],
    [{ maxCompletionChecks: 1 }, 1],
    [{ maxCompletionChecks: 5 }, 5],
  ])('ends with an error that carries everything once the checks are used up (%#)', async (limits, times) => {
    const turns = [1, 2, 3, 4, 5].map((number) => ({
      ...answer(`Answer ${number}.`),
      usage: { inputTokens: 10 },
    }));
    const error: unknown = await evaluate(turns, { completion: no, limits }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      name: 'PromptEvaluationError',
      code: 'evaluation-incomplete',
      phase: 'response',
      usage: { inputTokens: 10 * times },
      message: `The model has answered ${times === 1 ? 'once' : `${times} times`}, and by the checker "no" the task is not done: Not yet. (prompt "completion", turn ${times})`,
    });
    const { conversation } = error as { readonly conversation: readonly unknown[] };
    expect(conversation).toHaveLength(2 * times - 1);
    expect(conversation.at(-1)).toMatchObject({ content: [{ type: 'text', text: `Answer ${times}.` }] });
  });

  test('ends by the turn limit where that comes first', async () => {
    await expect(
      evaluate([answer('One.'), answer('Two.')], { completion: no, limits: { maxTurns: 2 } }),
    ).rejects.toMatchObject({
      code: 'evaluation-turns-exceeded',
      message: expect.stringContaining('called 2 times and its answers were incomplete'),
    });
  });

  test('ends by the budget where that comes first; an answer that is complete is kept', async () => {
    const turns = [1, 2].map(() => ({ ...answer('Done.'), usage: { inputTokens: 60, outputTokens: 60 } }));
    const budget = { maxTotalTokens: 100 };
    await expect(evaluate(turns, { completion: no, limits: { budget } })).rejects.toMatchObject({
      code: 'evaluation-budget-exceeded',
    });
    expect((await evaluate(turns, { completion: yes, limits: { budget } })).response.text).toBe('Done.');
  });
});

describe('a checker that fails', () => {
  test.each<readonly [string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      'boom',
    ],
    ['rejects', () => Promise.reject(new Error('boom')), 'boom'],
    ['returns nothing', () => undefined, 'is not a verdict'],
    ['returns true', () => true, 'is not a verdict'],
    ['says no without a reason', () => ({ outcome: 'incomplete', feedback: ' ' }), 'is not a verdict'],
  ])('because it %s: ends the evaluation with an error', async (_what, check, message) => {
    // What a caller without types may write.
    const completion = { name: 'broken', check: check as CompletionChecker['check'] };
    for (const composed of [completion, [completion, yes], anyCompletion(completion, yes)]) {
      const error: unknown = await evaluate([answer('Done.')], { completion: composed }).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({
        code: 'evaluation-completion-failed',
        phase: 'response',
        message: expect.stringContaining(message),
        conversation: [{ type: 'assistant' }],
      });
    }
  });

  test('because it does not come to an end: the deadline ends the run, an abort does too', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    for (const [stop, code] of [
      [() => clock.advance(1_000), 'evaluation-deadline-exceeded'],
      [() => controller.abort(new Error('enough')), 'evaluation-aborted'],
    ] as const) {
      const door = gate();
      const run = evaluate([answer('Done.')], {
        clock,
        limits: { deadline: Deadline.after(1_000, clock) },
        signal: controller.signal,
        completion: checker(() => door.pass().then(CompletionVerdict.complete)),
      }).catch((thrown: unknown) => thrown);
      await door.reached;
      stop();
      expect(await run).toMatchObject({ code, phase: 'response' });
      door.open();
    }
  });

  test('because the deadline passed while it thought: its verdict comes too late', async () => {
    const clock = createManualClock();
    const late = checker(() => {
      clock.advance(2_000);
      return CompletionVerdict.complete();
    });
    await expect(
      evaluate([answer('Done.')], {
        clock,
        limits: { deadline: Deadline.after(1_000, clock) },
        completion: late,
      }),
    ).rejects.toMatchObject({ code: 'evaluation-deadline-exceeded' });
  });
});

describe('checkers together', () => {
  const says = (text: string): CompletionChecker => checker(() => CompletionVerdict.incomplete(text), text);
  const feedbackOf = async (
    completion: CompletionChecker | readonly CompletionChecker[],
  ): Promise<unknown> => {
    const run = evaluate([answer('Done.')], { completion: completion, limits: { maxCompletionChecks: 1 } });
    return run.then(
      () => 'complete',
      ({ message }: Error) => message.match(/not done: ([^]*) \(prompt/)?.[1],
    );
  };

  test.each<readonly [string, CompletionChecker | readonly CompletionChecker[], string]>([
    ['all, of none that says no', [yes, yes], 'complete'],
    ['all, with everything that is missing', [says('A.'), yes, says('B.')], 'A.\n\nB.'],
    ['any, of one that says yes', anyCompletion(says('A.'), yes), 'complete'],
    ['any, of one that says no', anyCompletion(says('A.')), 'A.'],
    [
      'any, of none that says yes',
      anyCompletion(says('A.\nA2.'), says('B.')),
      'One of these is enough:\n- A.\n  A2.\n- B.',
    ],
    ['all of any', [anyCompletion(no, yes), says('C.')], 'C.'],
    ['any of all', anyCompletion(no, [yes, says('C.')], [yes, yes]), 'complete'],
  ])('%s', async (_what, completion, expected) => {
    expect(await feedbackOf(completion)).toBe(expected);
  });

  test('have a name that says what they are made of', async () => {
    const run = evaluate([answer('Done.')], {
      completion: [no, anyCompletion(no, [yes, no])],
      limits: { maxCompletionChecks: 1 },
    });
    await expect(run).rejects.toThrow(
      'all-of(no, any-of(no, all-of(yes, no)))'.replaceAll('no', no.name).replaceAll('yes', yes.name),
    );
    await expect(evaluate([answer('Done.')], { completion: [] })).rejects.toThrow(/at least one checker/);
    expect(() => anyCompletion()).toThrow(/at least one checker/);
    expect(() => anyCompletion([])).toThrow(/at least one checker/);
  });
});

describe('ready checkers', () => {
  test('filesExistCompletion wants a file for each path and glob', async () => {
    const completion = filesExistCompletion({ paths: ['report.md', 'src/**/*.ts', 'notes/*.txt'] });
    const write = act('write', async ({ filesystem }) => {
      await filesystem.write('report.md', 'done');
      await filesystem.write('notes/a.txt', 'done');
    });
    const { response } = await runCalls({
      tools: [write],
      files: { 'src/a/b.ts': '' },
      turns: [[], [{ name: 'write' }]],
      completion,
    });
    expect(response.conversation[1]).toMatchObject({
      content: [
        {
          text: 'Files are still missing: report.md, notes/*.txt. Write what is missing, then answer again.',
        },
      ],
    });
    await expect(evaluate([answer('Done.')], { completion })).rejects.toMatchObject({
      code: 'prompt-invalid',
      message: expect.stringContaining('needs a file system, which the prompt "completion" does not have'),
    });
    expect(() => filesExistCompletion({ paths: [] })).toThrow(/at least one path/);
    expect(() => filesExistCompletion({ paths: ['../up'] })).toThrow(/contains "\.\."/);
  });

  test('lastCallCompletion wants the last call of a tool to have succeeded', async () => {
    const outcomes = [ToolResult.error('2 failed'), ToolResult.ok(null, 'passed')];
    const runTests = act('run_tests', () => outcomes.shift());
    const { response } = await runCalls({
      tools: [runTests],
      turns: [[], [{ name: 'run_tests' }], [], [{ name: 'run_tests' }]],
      completion: lastCallCompletion({ toolName: 'run_tests' }),
    });
    const told = response.conversation.flatMap((item) =>
      item.type === 'user' ? item.content.map((part) => (part.type === 'text' ? part.text : '')) : [],
    );
    expect(told).toEqual([
      'The tool "run_tests" has not been called yet. Call it, and answer once it has succeeded.',
      'The last call of "run_tests" failed. Put right what it complained of, call it again, and answer once it has succeeded.',
    ]);
  });

  test('lastCallCompletion counts a call whose turn has left the conversation', async () => {
    const completion = lastCallCompletion({ toolName: 'ok' });
    const steps = Array.from({ length: 8 }, () => calling('step'));
    const step = act('step', () => undefined);
    const tools = [ok, step];
    const template = promptTemplate({
      ns: 'test',
      key: 'left',
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools })],
    });
    const options = { completion, context: { maxTurns: 4 } };
    const left = await scriptedAdapter([calling('ok'), ...steps, answer('Done.')]).evaluate(
      template.bind(),
      options,
    );
    expect(left.text).toBe('Done.');
    expect(left.conversation.some((item) => item.type === 'tool-result' && item.toolName === 'ok')).toBe(
      false,
    );

    // In the history it began with, too, and what a call of this evaluation says comes before that.
    const history = [
      { type: 'user', content: [{ type: 'text', text: 'Go.' }] },
      { type: 'assistant', content: [{ type: 'tool-call', callId: 'a', name: 'ok', arguments: '' }] },
      { type: 'tool-result', callId: 'a', toolName: 'ok', text: 'Did.', isError: false },
    ] as const;
    const later = await scriptedAdapter([...steps, answer('Done.')]).evaluate(template.bind(), {
      ...options,
      history,
    });
    expect(later.text).toBe('Done.');
  });

  test('gets the calls of the evaluation, in order, as feedback providers do', async () => {
    const seen: (readonly string[])[] = [];
    const { response } = await evaluate([calling('ok'), calling('none'), answer('Done.')], {
      completion: checker(({ calls }) => {
        seen.push([...calls].map(({ toolName, outcome }) => `${toolName} ${outcome}`));
        return CompletionVerdict.complete();
      }),
    });
    expect(response.text).toBe('Done.');
    expect(seen).toEqual([['ok committed', 'none rejected']]);
  });
});

describe('an evaluation inside a call', () => {
  test('is not asked about by the checker of the run around it, but by its own', async () => {
    const asked: string[] = [];
    const ask = (name: string): CompletionChecker =>
      checker(({ prompt, check }) => {
        asked.push(`${name}: ${prompt.key} ${check}`);
        return name === 'inner' && check === 1
          ? CompletionVerdict.incomplete('Again.')
          : CompletionVerdict.complete();
      }, name);
    const inner = promptWith('inner', []);
    const outer = promptWith('outer', [
      delegate('state', async ({ adapter }) => {
        await adapter.evaluate(inner);
        await adapter.evaluate(inner, { completion: ask('inner') });
        return ToolResult.ok(null);
      }),
    ]);
    await using session = new Session();
    const adapter = modelFor({ outer: [calling('delegate')] });
    await adapter.evaluate(outer, { session, completion: ask('outer') });
    expect(asked).toEqual(['inner: inner 1', 'inner: inner 2', 'outer: outer 1']);
  });
});

describe('an option that is not valid', () => {
  test.each<readonly [unknown, RegExp]>([
    [7, /checker with a function check/],
    [{}, /checker with a function check/],
    [{ name: 'n' }, /checker with a function check/],
    [{ check: CompletionVerdict.complete }, /checker with a name/],
    [{ name: ' ', check: CompletionVerdict.complete }, /checker with a name/],
    [{ checker: yes, maxChecks: 1 }, /limits\.maxCompletionChecks/],
  ])('is refused before anything is done (%#)', async (completion, message) => {
    await expect(
      evaluate([answer('Done.')], { completion: completion as CompletionChecker }),
    ).rejects.toThrow(message);
    expect(() => CompletionVerdict.incomplete(' ')).toThrow(TypeError);
  });
});
