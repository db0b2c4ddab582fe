import { describe, expect, it } from 'vitest';
import { type CodeEvaluationLanguage, SandboxError } from 'weakincentives/sandbox';
import { createManualClock } from 'weakincentives/testing';
import { Evaluator } from '../../../../../src/host/sandbox/evaluate/evaluator.ts';
import type { EvaluationRequest } from '../../../../../src/host/sandbox/evaluate/protocol.ts';
import { type Answer, type FakeChannel, fakeChannel, reply } from './fake-channel.ts';

const request: EvaluationRequest = {
  language: 'javascript',
  code: 'x',
  inputs: [],
  files: [],
  writes: [],
  timeoutMs: 1000,
  maxMemoryBytes: 1_048_576,
  maxOutputBytes: 100,
  maxTotalFileBytes: 100,
};
const never = new AbortController().signal;
const started = { started: true };

/** An evaluator whose processes are the given ones, one after the other. */
function evaluatorWith(
  channels: readonly (() => FakeChannel)[],
  languages: readonly CodeEvaluationLanguage[] = ['javascript'],
) {
  const clock = createManualClock();
  const opened: FakeChannel[] = [];
  const evaluator = new Evaluator({
    languages,
    clock,
    open: () => {
      const next = channels[opened.length];
      if (next === undefined) throw new Error('no more processes');
      const channel = next();
      opened.push(channel);
      return channel;
    },
  });
  return { evaluator, opened, clock };
}

const answering = (...answers: readonly Answer[]): (() => FakeChannel) => {
  const rest = [...answers];
  return () => fakeChannel(() => rest.shift() ?? []);
};

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Lets everything that is ready run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Evaluator', () => {
  it('runs code of each language when it starts', async () => {
    const { evaluator, opened } = evaluatorWith([() => fakeChannel()], ['javascript', 'python']);
    await evaluator.start(never);
    expect(
      opened.map(({ requests }) => requests.map(({ language, code }) => [language, code])),
    ).toStrictEqual([
      [
        ['javascript', '40 + 2'],
        ['python', '40 + 2'],
      ],
    ]);
  });

  it.each([
    [
      'a missing package',
      [{ unusable: 'Cannot find it', language: 'python', isMissing: true }, undefined],
      'The evaluation of Python does not work here: the package "@pydantic/monty" could not be loaded. ' +
        'Install it with `npm install @pydantic/monty@^0.0.18`, or leave "python" out of the option languages.',
    ],
    [
      'a broken package',
      [{ unusable: 'no binary', language: 'python', isMissing: false }, undefined],
      'The evaluation of Python does not work here: the package "@pydantic/monty" does not work: no binary. ' +
        'Install a supported version with `npm install @pydantic/monty@^0.0.18`, or leave "python" out of the option languages.',
    ],
    [
      'a process that ends',
      [undefined],
      'The evaluation of code does not work here: The process ended with code 7. It needs a process of Node beside this one.',
    ],
    [
      'a process that sends something else',
      [{ hello: 1 }],
      'The evaluation of code does not work here: the process began with an unknown message. It needs a process of Node beside this one.',
    ],
  ])('names the reason of %s', async (_what, greeting, message) => {
    const { evaluator, opened } = evaluatorWith([() => fakeChannel(undefined, greeting)], ['python']);
    const error = await failureOf(evaluator.start(never));
    expect(SandboxError.isInstance(error) && [error.code, error.message]).toStrictEqual([
      'sandbox-unavailable',
      message,
    ]);
    expect(error).toHaveProperty('cause');
    expect(opened[0]?.isKilled).toBe(true);
  });

  it('refuses an interpreter that computes something else', async () => {
    const wrong = reply({ failed: true, value: '', stderr: 'Error: bad\n' });
    const { evaluator } = evaluatorWith([answering([started, wrong])]);
    expect(await failureOf(evaluator.start(never))).toHaveProperty(
      'message',
      'The evaluation of JavaScript does not work here: the package "quickjs-emscripten" does not work: it computes 40 + 2 wrongly: "Error: bad\\n". ' +
        'Install a supported version with `npm install quickjs-emscripten@^0.32.0`, or leave "javascript" out of the option languages.',
    );
  });

  it('sends the request to another process when the first one had ended before', async () => {
    const { evaluator, opened } = evaluatorWith([answering([undefined]), answering([started, reply()])]);
    expect(await evaluator.run(request, never)).toStrictEqual({ kind: 'reply', reply: reply() });
    expect(opened.map(({ requests }) => requests.length)).toStrictEqual([1, 1]);
  });

  it('does so once', async () => {
    const { evaluator, opened } = evaluatorWith([answering([undefined]), answering([undefined])]);
    expect(await evaluator.run(request, never)).toStrictEqual({ kind: 'crash' });
    expect(opened).toHaveLength(2);
  });

  it('runs code that has started once, and the next call in another process', async () => {
    const { evaluator, opened } = evaluatorWith([
      answering([started, undefined]),
      answering([started, reply({ value: '1' })]),
    ]);
    expect(await evaluator.run(request, never)).toStrictEqual({ kind: 'crash' });
    expect(opened).toHaveLength(1);
    expect(await evaluator.run(request, never)).toMatchObject({ reply: { value: '1' } });
  });

  it.each([{ failed: 'no' }, 'text', { started: true }])(
    'ends a process that replies with %j',
    async (wrong) => {
      const { evaluator, opened } = evaluatorWith([answering([started, wrong])]);
      expect(await evaluator.run(request, never)).toStrictEqual({ kind: 'crash' });
      expect(opened[0]?.isKilled).toBe(true);
    },
  );

  it('ends a process that sends something between two calls', async () => {
    const { evaluator, opened } = evaluatorWith([
      answering([started, reply(), reply({ value: 'left over' })]),
      answering([started, reply({ value: '1' })]),
    ]);
    await evaluator.run(request, never);
    expect(await evaluator.run(request, never)).toMatchObject({ reply: { value: '1' } });
    expect(opened.map(({ isKilled }) => isKilled)).toStrictEqual([true, false]);
  });

  it('kills the process at 1.5 times of the limit, and not before', async () => {
    const { evaluator, opened, clock } = evaluatorWith([answering([started])]);
    const outcome = evaluator.run(request, never);
    await settle();
    clock.advance(1499);
    await settle();
    expect(opened[0]?.isKilled).toBe(false);
    clock.advance(1);
    expect(await outcome).toStrictEqual({ kind: 'timeout' });
    expect(opened[0]?.isKilled).toBe(true);
  });

  it('kills the process when its call is aborted', async () => {
    const { evaluator, opened } = evaluatorWith([answering([started]), answering([started, reply()])]);
    const controller = new AbortController();
    const outcome = failureOf(evaluator.run(request, controller.signal));
    await settle();
    controller.abort('stop');
    expect(await outcome).toBe('stop');
    expect(opened[0]?.isKilled).toBe(true);
    expect(await evaluator.run(request, never)).toMatchObject({ kind: 'reply' });
  });

  it('ends a call at once that is aborted while it waits, and leaves the running one alone', async () => {
    const { evaluator, opened } = evaluatorWith([answering([started], [started, reply({ value: 'third' })])]);
    const controller = new AbortController();
    const first = evaluator.run(request, never);
    const second = failureOf(evaluator.run(request, controller.signal));
    const third = evaluator.run(request, never);
    await settle();
    controller.abort('stop');
    expect(await second).toBe('stop');
    await settle();
    expect(opened[0]?.requests).toHaveLength(1);
    opened[0]?.emit(reply({ value: 'first' }));
    expect(await first).toMatchObject({ reply: { value: 'first' } });
    expect(await third).toMatchObject({ reply: { value: 'third' } });
    expect(opened[0]?.isKilled).toBe(false);
  });

  it('ends the running and the waiting calls when it is disposed', async () => {
    const { evaluator, opened } = evaluatorWith([answering([started])]);
    const calls = [failureOf(evaluator.run(request, never)), failureOf(evaluator.run(request, never))];
    await settle();
    await evaluator[Symbol.asyncDispose]();
    expect(opened[0]?.isKilled).toBe(true);
    for (const error of await Promise.all(calls))
      expect(SandboxError.isInstance(error) && error.code).toBe('sandbox-disposed');
    expect(await failureOf(evaluator.run(request, never))).toHaveProperty('code', 'sandbox-disposed');
  });

  it('keeps the reason of a process that the system does not start', async () => {
    const { evaluator } = evaluatorWith([]);
    const error = await failureOf(evaluator.start(never));
    expect(error).toMatchObject({ code: 'sandbox-unavailable', cause: { message: 'no more processes' } });
  });
});
