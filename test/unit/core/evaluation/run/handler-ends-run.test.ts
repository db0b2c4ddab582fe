import { describe, expect, test } from 'vitest';
import { openToolRuntime, PromptEvaluationError, Session, ToolCallLog, ToolResult } from 'weakincentives';
import { evaluationFailure } from '../../../../support/failure.ts';
import {
  Added,
  add,
  Count,
  calling,
  delegate,
  modelFor,
  promptWith,
} from '../../../../support/nested-setup.ts';

const own = (message: string, cause?: unknown): PromptEvaluationError =>
  new PromptEvaluationError('evaluation-interrupted', message, {
    phase: 'request',
    promptName: 'mine',
    ...(cause === undefined ? {} : { cause }),
  });
describe('a PromptEvaluationError that a handler made itself', () => {
  test('ends the run in phase tool, once the calls before it are committed', async () => {
    const session = new Session();
    const made = own('the workspace is gone');
    let later = 0;
    const quits = delegate(
      'state',
      async (context) => {
        context.session.dispatch(Added, { by: 100 });
        throw made;
      },
      { name: 'quits' },
    );
    const after = delegate('external', async () => ((later += 1), ToolResult.ok(null)), { name: 'after' });
    const error = await evaluationFailure(
      modelFor({ outer: [calling('add', 'quits', 'after')] }).evaluate(
        promptWith('outer', [add, quits, after]),
        { session },
      ),
    );
    expect(error).toMatchObject({ code: 'evaluation-interrupted', phase: 'tool', promptName: 'outer' });
    expect(error.message).toContain('the workspace is gone');
    expect(error.cause).toBe(made);
    expect(later).toBe(0);
    expect(session.slice(Count).all()).toEqual([{ total: 1 }]);
    expect(
      session
        .slice(ToolCallLog)
        .all()
        .map(({ toolName, outcome, reason }) => [toolName, outcome, reason]),
    ).toEqual([
      ['add', 'committed', undefined],
      ['quits', 'aborted', 'interrupted'],
      ['after', 'aborted', 'aborted'],
    ]);
    // Every call has its answer: the conversation can be gone on with.
    expect(error.conversation.filter(({ type }) => type === 'tool-result')).toHaveLength(3);
  });

  test('ends the evaluation that it is thrown in, and fails the call around that', async () => {
    const session = new Session();
    const quits = delegate('state', async () => Promise.reject(own('enough')), { name: 'quits' });
    const outer = delegate('state', async (context) => {
      await context.adapter.evaluate(promptWith('inner', [quits]));
      return ToolResult.ok(null);
    });
    const response = await modelFor({ outer: [calling('delegate')], inner: [calling('quits')] }).evaluate(
      promptWith('outer', [outer]),
      { session },
    );
    expect(response.text).toBe('outer done');
    expect(
      session
        .slice(ToolCallLog)
        .all()
        .map(({ toolName, outcome, reason }) => [toolName, outcome, reason]),
    ).toEqual([
      ['quits', 'aborted', 'interrupted'],
      ['delegate', 'rolled-back', 'threw'],
    ]);
  });

  test('ends a tool runtime', async () => {
    const made = own('enough');
    const quits = delegate('state', async () => Promise.reject(made), { name: 'quits' });
    await using runtime = await openToolRuntime(promptWith('outer', [quits]));
    const call = { callId: 'a', name: 'quits', arguments: {} };
    expect(await evaluationFailure(runtime.runCalls([call]))).toMatchObject({ phase: 'tool', cause: made });
    expect(runtime.signal.aborted).toBe(true);
  });
});

describe('one that an evaluation rejected with', () => {
  const inner = () => promptWith('inner', [add]);
  const modelOf = () => modelFor({ outer: [calling('delegate')], inner: [calling('add')] });
  const endless = { limits: { maxTurns: 1 } };
  const rejected = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

  test.each<[string, Parameters<typeof delegate>[1]]>([
    [
      'inside the call',
      async ({ adapter }) => {
        await adapter.evaluate(inner(), endless);
        return ToolResult.ok(null);
      },
    ],
    [
      'inside the call, wrapped in one of the handler',
      async ({ adapter }) => {
        throw own('wrapped', await rejected(adapter.evaluate(inner(), endless)));
      },
    ],
    [
      'inside the call, wrapped twice',
      async ({ adapter }) => {
        const cause = new Error('in between', { cause: await rejected(adapter.evaluate(inner(), endless)) });
        throw own('wrapped', cause);
      },
    ],
    [
      'on another adapter and session',
      async () => {
        await modelOf().evaluate(inner(), endless);
        return ToolResult.ok(null);
      },
    ],
    [
      'on another adapter that redacts',
      async () => {
        await modelOf().evaluate(inner(), { ...endless, redact: (text) => text.replaceAll('call', '…') });
        return ToolResult.ok(null);
      },
    ],
    [
      'as a stream',
      async () => {
        for await (const event of modelOf().stream(inner(), endless)) void event;
        return ToolResult.ok(null);
      },
    ],
    [
      'as a tool runtime',
      async () => {
        await using runtime = await openToolRuntime(inner());
        await runtime.runCalls([{ callId: '', name: 'add', arguments: {} }]);
        return ToolResult.ok(null);
      },
    ],
    [
      'before it was rendered',
      async ({ adapter }) => {
        await adapter.evaluate(inner(), { signal: AbortSignal.abort(new Error('no')) });
        return ToolResult.ok(null);
      },
    ],
  ])('%s stays a failed result', async (_where, execute) => {
    const session = new Session();
    const { text } = await modelOf().evaluate(promptWith('outer', [delegate('external', execute)]), {
      session,
    });
    expect(text).toBe('outer done');
    expect(session.slice(ToolCallLog).all().at(-1)).toMatchObject({
      toolName: 'delegate',
      outcome: 'rolled-back',
      reason: 'threw',
      error: { name: 'PromptEvaluationError' },
    });
  });

  test('stays one when its causes go in a circle', async () => {
    const looped = own('looped');
    Object.defineProperty(looped, 'cause', { value: looped });
    const quits = delegate('state', async () => Promise.reject(looped));
    const error = await evaluationFailure(modelOf().evaluate(promptWith('outer', [quits])));
    expect(error.cause).toBe(looped);
  });
});
