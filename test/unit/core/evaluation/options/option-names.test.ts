import { describe, expect, test } from 'vitest';
import { defineAgent, openToolRuntime, promptTemplate, type RunObserver, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

const template = promptTemplate({
  ns: 'test',
  key: 'names',
  sections: [section({ title: 'Task', key: 'task', template: 'Say yes.' })],
});
const evaluate = (options: object) =>
  // Code without types may give anything.
  scriptedAdapter([{ text: 'yes' }]).evaluate(template.bind(), options);

const moved = [
  [{ maxTurns: 3 }, 'maxTurns', 'limits.maxTurns'],
  [{ maxOutputRepairs: 3 }, 'maxOutputRepairs', 'limits.maxOutputRepairs'],
  [{ maxRepeatedFailures: 3 }, 'maxRepeatedFailures', 'limits.maxRepeatedFailures'],
  [{ maxResultCharacters: 3 }, 'maxResultCharacters', 'limits.maxResultCharacters'],
  [{ concurrency: 3 }, 'concurrency', 'limits.maxConcurrentCalls'],
  [{ maxExpansions: 3 }, 'maxExpansions', 'limits.maxSectionOpenings'],
  [{ watchdogMs: 3 }, 'watchdogMs', 'limits.idleTimeoutMs'],
  [{ deadline: {} }, 'deadline', 'limits.deadline'],
  [{ budget: {} }, 'budget', 'limits.budget'],
  [{ maxConversationTurns: 3 }, 'maxConversationTurns', 'context.maxTurns'],
  [{ contextOverflow: 'error' }, 'contextOverflow', 'context.overflow'],
  [{ throttle: false }, 'throttle', 'retry'],
  [{ onEvent: () => undefined }, 'onEvent', 'observers: [{ onEvent }]'],
  [{ limits: { concurrency: 3 } }, 'limits.concurrency', 'limits.maxConcurrentCalls'],
  [{ limits: { maxChecks: 3 } }, 'limits.maxChecks', 'limits.maxCompletionChecks'],
  [{ context: { contextOverflow: 'error' } }, 'context.contextOverflow', 'context.overflow'],
] as const;

describe('an option that was renamed or moved', () => {
  test.each(moved)('is refused with its new place: %o', async (options, option, place) => {
    const refusal = {
      code: 'prompt-invalid',
      message: expect.stringMatching(/^(evaluate|openToolRuntime)\(\) has no option /) as unknown,
      details: { option, nearest: place },
    };
    await expect(evaluate(options)).rejects.toMatchObject(refusal);
    await expect(evaluate(options)).rejects.toThrow(`has no option "${option}"; use ${place}.`);
    // A tool runtime has no context.
    if (option.startsWith('context.')) return;
    await expect(openToolRuntime(template.bind(), options as never)).rejects.toMatchObject(refusal);
  });

  test('is refused in an agent, too', () => {
    const of = (options: object) => () => defineAgent({ template, ...options });
    expect(of({ maxTurns: 3 })).toThrow('defineAgent() has no option "maxTurns"; use limits.maxTurns.');
    expect(of({ model: scriptedAdapter([]) })).toThrow('defineAgent() has no option "model"; use adapter.');
    expect(of({ limits: { turns: 3 } })).toThrow(
      'defineAgent() has no option "limits.turns"; its options are maxTurns',
    );
    expect(of({ limits: { deadline: {} } })).toThrow(
      'defineAgent() has no option "limits.deadline"; use limits.idleTimeoutMs',
    );
    expect(of({ limits: { maxTurns: 0 } })).toThrow('defineAgent(): limits.maxTurns must be');
  });

  test('is refused as the old form of completion', async () => {
    const completion = { checker: { name: 'no', check: () => undefined }, maxChecks: 1 };
    await expect(evaluate({ completion })).rejects.toThrow('limits.maxCompletionChecks');
  });
});

describe('an option that does not exist', () => {
  test.each([
    [{ whatever: 1 }, 'whatever', 'its options are input, history'],
    [{ onEvents: 1 }, 'onEvents', 'its options are input, history'],
    [{ limits: { turns: 8 } }, 'limits.turns', 'its options are maxTurns, maxConcurrentCalls'],
    [{ context: { turns: 8 } }, 'context.turns', 'its options are compact, results, maxTurns, overflow'],
  ])('is refused with those that do: %o', async (options, option, known) => {
    await expect(evaluate(options)).rejects.toMatchObject({
      code: 'prompt-invalid',
      message: expect.stringContaining(`evaluate() has no option "${option}"; ${known}`) as unknown,
      details: { option },
    });
  });

  test('may be given as undefined', async () => {
    expect((await evaluate({ onEvent: undefined })).text).toBe('yes');
  });
});

describe('observers', () => {
  test('get every event, in their order, and one that fails takes nothing from the others', async () => {
    const log: string[] = [];
    const observers: readonly RunObserver[] = [
      { onEvent: ({ type }) => log.push(`first ${type}`) },
      {
        onEvent: () => {
          throw new Error('broken');
        },
      },
      {},
      { onEvent: async () => Promise.reject(new Error('broken later')) },
      { onEvent: ({ type }) => log.push(`last ${type}`) },
    ];
    const errors: unknown[] = [];
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (_message: string, fields?: object) => errors.push(fields),
    };
    await evaluate({ observers, logger });
    const types = [
      'run-start',
      'turn-start',
      'model-call-start',
      'model-call-end',
      'usage-counted',
      'turn-end',
      'run-end',
    ];
    expect(log).toEqual(types.flatMap((type) => [`first ${type}`, `last ${type}`]));
    expect(errors).toHaveLength(2 * types.length);
    expect(errors).toContainEqual({ event: 'run-start', error: 'broken' });
  });

  test.each([
    [{ observers: {} }, 'observers must be an array'],
    [{ observers: [() => undefined] }, 'an observer must be an object'],
    [{ observers: [{ onEvent: 1 }] }, 'onEvent must be a function'],
  ])('are refused when they are none: %o', async (options, message) => {
    await expect(evaluate(options)).rejects.toThrow(message);
  });
});
