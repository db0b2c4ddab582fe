import { describe, expect, it } from 'vitest';
import {
  BudgetTracker,
  type EvaluateOptions,
  type Prompt,
  PromptEvaluationError,
  type ProviderAdapter,
  promptTemplate,
  type RunEvent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import {
  fallbackAdapter,
  harnessAdapter,
  ModelResponseError,
  type ModelTurn,
  ThrottleError,
  type ThrottleErrorOptions,
} from 'weakincentives/provider';
import { z } from 'zod';
import {
  busy,
  calling,
  eventsOf,
  named,
  retry,
  saying,
  stepPrompt,
} from '../../../support/fallback-models.ts';
import { loopHarness } from '../../../support/harness/loop-harness.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { promptOf } from '../../../support/prompt-of.ts';

/** Evaluates with waits that pass at once. */
async function run(adapter: ProviderAdapter, options: EvaluateOptions = {}, prompt: Prompt = stepPrompt()) {
  const events: RunEvent[] = [];
  const clock = createManualClock();
  const onEvent = (event: RunEvent): void => {
    events.push(event);
    if (event.type === 'model-call-retry') void Promise.resolve().then(() => clock.advance(event.delayMs));
  };
  const outcome = await adapter
    .evaluate(prompt, { input: 'Go', retry, clock, ...options, observers: [{ onEvent }] })
    .then(
      (response) => ({ response, error: undefined }),
      (error: unknown) => ({ response: undefined, error: error as PromptEvaluationError }),
    );
  return { ...outcome, events, changes: eventsOf(events, 'model-changed') };
}

describe('fallbackAdapter()', () => {
  it('asks the next model when the retries of the present one are used up, also after calls, and stays with it', async () => {
    const asked: string[] = [];
    let steps = 0;
    const first = named('a', ({ turn }) => (turn < 3 ? calling(turn) : fail()), { asked });
    const second = named('b', ({ turn }) => (turn < 5 ? calling(turn) : saying('b is done')), { asked });
    const adapter = fallbackAdapter({ adapters: [first, second] });
    const { response, changes, events } = await run(
      adapter,
      {},
      stepPrompt(() => void (steps += 1)),
    );
    expect(asked).toEqual(['a1', 'a2', 'a3', 'a3', 'b3', 'b4', 'b5']);
    expect(steps).toBe(4);
    expect(response).toMatchObject({ text: 'b is done', models: ['a', 'b'] });
    expect(changes).toMatchObject([
      {
        turn: 3,
        from: 'a',
        to: 'b',
        reason: 'server-error',
        message: expect.stringContaining('after 2 attempts'),
      },
    ]);
    expect(eventsOf(events, 'model-call-end').map(({ answeredBy }) => answeredBy)).toEqual([
      'a',
      'a',
      'b',
      'b',
      'b',
    ]);
    expect(eventsOf(events, 'run-start')).toMatchObject([
      {
        adapter: 'a → b',
        model: 'a',
        models: [
          { name: 'a', model: 'a' },
          { name: 'b', model: 'b' },
        ],
      },
    ]);
  });

  it('fails with what the last model failed with', async () => {
    const asked: string[] = [];
    const adapters = ['a', 'b', 'c'].map((name) => named(name, fail, { asked }));
    const { error, changes } = await run(fallbackAdapter({ adapters }));
    expect(asked).toEqual(['a1', 'a1', 'b1', 'b1', 'c1', 'c1']);
    expect(changes.map(({ from, to }) => from + to)).toEqual(['ab', 'bc']);
    expect(error?.code).toBe('evaluation-request-failed');
    expect(error?.cause).toMatchObject({ code: 'throttle-attempts-exhausted' });
  });

  it.each<[string, Partial<ThrottleErrorOptions>, EvaluateOptions, string[]]>([
    ['a quota that is used up, which is not retried', { kind: 'quota' }, {}, ['a1', 'b1']],
    ['the first failure of a run without retries', {}, { retry: false }, ['a1', 'b1']],
    ['a wait that is too long', { retryAfterMs: 1e9 }, {}, ['a1', 'b1']],
  ])('changes the model after %s', async (_what, options, evaluateOptions, expected) => {
    const asked: string[] = [];
    const first = named(
      'a',
      () => {
        throw new ThrottleError('No.', { kind: 'rate-limit', ...options });
      },
      { asked },
    );
    const { response } = await run(
      fallbackAdapter({ adapters: [first, named('b', () => saying('b'), { asked })] }),
      evaluateOptions,
    );
    expect(asked).toEqual(expected);
    expect(response).toMatchObject({ text: 'b', models: ['b'] });
  });

  it.each<[string, () => ModelTurn, string]>([
    [
      'a request that must not be sent again',
      () => {
        throw new ThrottleError('No.', { kind: 'server-error', retrySafe: false });
      },
      'evaluation-request-failed',
    ],
    [
      'an answer that cannot be used',
      () => {
        throw new ModelResponseError('model-response-invalid', 'No.');
      },
      'evaluation-response-invalid',
    ],
    [
      'a conversation that is too long',
      () => {
        throw new ModelResponseError('model-context-exceeded', 'No.');
      },
      'evaluation-context-exceeded',
    ],
    [
      'a client that fails',
      () => {
        throw new Error('No.');
      },
      'evaluation-request-failed',
    ],
  ])('does not change it after %s', async (_what, answer, code) => {
    const asked: string[] = [];
    const adapters = [named('a', answer, { asked }), named('b', () => saying('b'), { asked })];
    const { error, changes } = await run(fallbackAdapter({ adapters }));
    expect(asked).toEqual(['a1']);
    expect(changes).toEqual([]);
    expect(error?.code).toBe(code);
  });

  it('does not change it after a refusal', async () => {
    const refusal: ModelTurn = { content: [{ type: 'text', text: 'No.' }], finishReason: 'refusal' };
    const adapters = [named('a', () => refusal), named('b', () => saying('b'))];
    const { response } = await run(fallbackAdapter({ adapters }));
    expect(response).toMatchObject({ finishReason: 'refusal', models: ['a'] });
  });

  it('does not change it after an abort, or when the budget is used up', async () => {
    const asked: string[] = [];
    const controller = new AbortController();
    const first = named(
      'a',
      () => {
        controller.abort();
        throw busy();
      },
      { asked },
    );
    const second = named('b', () => saying('b'), { asked });
    const aborted = await run(fallbackAdapter({ adapters: [first, second] }), { signal: controller.signal });
    expect(aborted.error?.code).toBe('evaluation-aborted');
    const budget = new BudgetTracker({ maxTotalTokens: 1_500_000 });
    const third = named('c', ({ turn }) => (turn === 1 ? calling(1) : fail()), { asked });
    const ended = await run(fallbackAdapter({ adapters: [third, second] }), { limits: { budget } });
    expect(ended.error?.code).toBe('evaluation-budget-exceeded');
    expect(asked).toEqual(['a1', 'c1']);
  });

  it('does not change it after a turn that the provider has paused: only that one can continue it', async () => {
    const asked: string[] = [];
    const paused: ModelTurn = { content: [{ type: 'text', text: 'So' }], finishReason: 'paused' };
    const first = named('a', ({ turn }) => (turn === 1 ? paused : fail()), { asked });
    const { error } = await run(
      fallbackAdapter({ adapters: [first, named('b', () => saying('b'), { asked })] }),
    );
    expect(asked).toEqual(['a1', 'a2', 'a2']);
    expect(error?.cause).toMatchObject({ code: 'throttle-attempts-exhausted' });
  });

  it('takes back the pieces that were shown of an answer that broke off', async () => {
    const first = named('a', async (_request, { onDelta }) => {
      await onDelta?.({ type: 'text-delta', text: 'half an ans' });
      throw busy();
    });
    const second = named('b', async (_request, { onDelta }) => {
      await onDelta?.({ type: 'text-delta', text: 'b' });
      return saying('b');
    });
    const { events } = await run(fallbackAdapter({ adapters: [first, second] }), {
      streaming: true,
      retry: false,
    });
    const told = events.flatMap((event) => {
      if (event.type === 'text-delta') return event.text;
      return event.type === 'model-changed' ? (event.voidCharacters ?? []) : [];
    });
    expect(told).toEqual(['half an ans', { text: 11, reasoning: 0 }, 'b']);
  });

  it('asks each model with its own retries, and the waits of one do not count for the next', async () => {
    const asked: string[] = [];
    const flaky = (name: string) => {
      let failures = 0;
      return named(
        name,
        () => {
          failures += 1;
          if (failures < 3) throw busy();
          return saying(name);
        },
        { asked },
      );
    };
    const adapters = [named('a', fail, { asked }), flaky('b')];
    const { response } = await run(fallbackAdapter({ adapters }), { retry: { ...retry, maxAttempts: 3 } });
    expect(asked).toEqual(['a1', 'a1', 'a1', 'b1', 'b1', 'b1']);
    expect(response?.text).toBe('b');
  });
});

describe('what it takes of its models', () => {
  const prices = (inputPerMillion: number) => ({ inputPerMillion, outputPerMillion: 1 });
  const changing = (more: object = {}) => [
    named('a', ({ turn }) => (turn === 1 ? calling(1) : fail()), { prices: prices(1) }),
    named('b', () => saying('b'), { prices: prices(10), ...more }),
  ];

  it('is the price of the one that answered', async () => {
    const budget = new BudgetTracker({ maxCost: 100 });
    await run(fallbackAdapter({ adapters: changing() }), { limits: { budget } });
    expect(budget.cost).toBeCloseTo(11, 4);
  });

  it('is a known price of each, where the cost is limited', async () => {
    const adapters = [...changing(), named('c', () => saying('c'))];
    const limited = await run(fallbackAdapter({ adapters }), { limits: { budget: { maxCost: 100 } } });
    expect(limited.error).toMatchObject({ details: { option: 'budget.prices' } });
    expect(limited.error?.message).toContain('"c"');
    const budget = { maxCost: 100, prices: prices(1) };
    const priced = await run(fallbackAdapter({ adapters }), { limits: { budget } });
    expect(priced.response?.text).toBe('b');
  });

  it('decides by the price of the present one whether a turn may begin', async () => {
    const asked: string[] = [];
    const adapters = [
      named('a', ({ turn }) => (turn === 1 ? calling(1) : fail()), { prices: prices(1), asked }),
      named('b', () => saying('b'), { prices: prices(10), asked }),
    ];
    const { error } = await run(fallbackAdapter({ adapters }), { limits: { budget: { maxCost: 5 } } });
    expect(error?.code).toBe('evaluation-budget-exceeded');
    expect(asked).toEqual(['a1', 'a2', 'a2']);
  });

  it.each([
    [true, true, false],
    [true, false, true],
    [false, false, true],
  ])('is a schema on the wire only if all take it (%s, %s)', async (first, second, isInText) => {
    const seen: unknown[] = [];
    const take = (name: string, takesOutputSchema: boolean) =>
      named(
        name,
        ({ instructions, outputSchema }) => {
          seen.push([name, outputSchema !== undefined, instructions.includes('"answer"')]);
          if (name === 'a') throw busy();
          return saying('{"answer":"b"}');
        },
        { takesOutputSchema },
      );
    const prompt = promptTemplate({
      ns: 'test',
      key: 'answer',
      output: z.object({ answer: z.string() }),
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
    }).bind();
    const adapter = fallbackAdapter({ adapters: [take('a', first), take('b', second)] });
    const { response } = await run(adapter, { retry: false }, prompt);
    expect(seen).toEqual([
      ['a', true, isInText],
      ['b', true, isInText],
    ]);
    expect(response?.output).toEqual({ answer: 'b' });
  });

  it('is the smallest number of characters that make a token, for estimates', async () => {
    const estimate = async (adapter: ProviderAdapter): Promise<number | undefined> => {
      const budget = new BudgetTracker({ maxTotalTokens: 1_000_000 });
      await run(adapter, { limits: { budget } });
      return budget.estimatedUsage.inputTokens;
    };
    const unsaid: ModelTurn = { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop' };
    const model = (name: string, charactersPerToken: number) =>
      named(name, () => unsaid, { charactersPerToken });
    const adapters = [model('a', 3), model('b', 2)];
    expect(await estimate(fallbackAdapter({ adapters }))).toBe(await estimate(model('c', 2)));
    expect(await estimate(model('c', 2))).toBeGreaterThan((await estimate(model('d', 3))) ?? 0);
  });

  it('is the check of each, before the first request', async () => {
    const asked: string[] = [];
    const check = (): void => {
      throw new RangeError('b cannot be sent that');
    };
    const adapters = [
      named('a', () => saying('a'), { asked }),
      named('b', () => saying('b'), { asked, check }),
    ];
    const { error } = await run(fallbackAdapter({ adapters }));
    expect(error).toMatchObject({ code: 'evaluation-render-failed', phase: 'render' });
    expect(error?.message).toContain('b cannot be sent that');
    expect(asked).toEqual([]);
  });

  it('is no setting of a provider: those of an evaluation go to each of them', async () => {
    const adapter = fallbackAdapter({ adapters: changing() });
    const { error } = await run(adapter, {
      settings: { maxOutputTokens: 10, thinking: { type: 'enabled' } },
    });
    expect(error?.cause).toMatchObject({ details: { option: 'settings.thinking' } });
    expect(error?.message).toContain('"thinking"');
    const neutral = await run(adapter, { settings: { maxOutputTokens: 10, reasoningEffort: 'low' } });
    expect(neutral.response?.text).toBe('b');
  });
});

describe('an evaluation inside a call', () => {
  it('begins with the model that the one around it is with, and has its own changes', async () => {
    const asked: string[] = [];
    const inner = promptOf();
    const ask = tool({
      name: 'step',
      description: 'Asks.',
      execute: async (_params, { adapter }) => {
        const { text, models } = await adapter.evaluate(inner, { input: 'Inside' });
        return ToolResult.ok(null, `${text} by ${models?.join()}`);
      },
    });
    const outer = promptOf({ tools: [ask] });
    const isInside = (instructions: readonly unknown[]): boolean =>
      JSON.stringify(instructions).includes('Inside');
    const model = (name: string, isAway: (turn: number, inside: boolean) => boolean) =>
      named(name, ({ conversation, turn }) => {
        const inside = isInside(conversation.slice(0, 1));
        asked.push(`${name}${turn}${inside ? 'i' : ''}`);
        if (isAway(turn, inside)) throw busy();
        return inside || turn === 3 ? saying(name) : calling(turn);
      });
    const adapters = [
      model('a', (turn) => turn === 2),
      model('b', (_turn, inside) => inside),
      model('c', () => false),
    ];
    const { response, changes } = await run(fallbackAdapter({ adapters }), { retry: false }, outer);
    // Turn 1 of a: inside a answers. Turn 2 of b: inside b is away, and c answers; the run stays with b.
    expect(asked).toEqual(['a1', 'a1i', 'a2', 'b2', 'b1i', 'c1i', 'b3']);
    expect(response?.models).toEqual(['a', 'b']);
    expect(changes.map(({ from, to, path }) => [from, to, path.length])).toEqual([
      ['a', 'b', 0],
      ['b', 'c', 1],
    ]);
    const results = response?.conversation.flatMap((item) => (item.type === 'tool-result' ? item.text : []));
    expect(results).toEqual(['a by a', 'c by c']);
  });
});

describe('the list of adapters', () => {
  const a = named('a', () => saying('a'));
  const vendor = (model: string, name = 'vendor') => named(name, () => saying(model), { model });

  it.each<[string, readonly unknown[], RegExp]>([
    ['none', [], /at least two models, got 0/],
    ['one', [a], /at least two models, got 1/],
    ['the same adapter twice', [a, a], /has the model "a" twice/],
    ['the same model twice', [vendor('m'), vendor('m')], /has the model "vendor\/m" twice/],
    ['what is no adapter', [a, undefined], /adapter at index 1/],
    ['an adapter of others', [a, { ...a, '~model': undefined }], /adapter at index 1/],
  ])('is refused with %s', (_what, adapters, message) => {
    expect(() => fallbackAdapter({ adapters: adapters as ProviderAdapter[] })).toThrow(message);
  });

  it('is refused with a harness, and with an option that does not exist', () => {
    const harness = harnessAdapter({
      harness: loopHarness({ model: { generate: () => saying('h') } }),
    });
    expect(() => fallbackAdapter({ adapters: [a, harness] })).toThrow(/adapter at index 1/);
    expect(() => fallbackAdapter({ adapters: [a, vendor('m')], order: 1 } as never)).toThrow(/order/);
  });

  it('names models of one vendor by the model, and takes those of another list', async () => {
    const inner = fallbackAdapter({ adapters: [vendor('m'), vendor('n')] });
    const adapter = fallbackAdapter({
      adapters: [inner, vendor('m', 'elsewhere'), named('ai:m', () => saying('m'), { model: 'm' })],
    });
    expect(adapter.name).toBe('vendor/m → vendor/n → elsewhere/m → ai:m');
    const { response } = await run(adapter);
    expect(response).toMatchObject({ text: 'm', models: ['vendor/m'] });
  });
});

function fail(): never {
  throw busy();
}
