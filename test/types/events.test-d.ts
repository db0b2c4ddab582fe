import { describe, expectTypeOf, it } from 'vitest';
import {
  type DeepReadonly,
  type EvaluateOptions,
  PromptExecuted,
  type PromptExecutedPayload,
  PromptExecutionLog,
  PromptRendered,
  type PromptRenderedPayload,
  type Redaction,
  redactPatterns,
  redactSecrets,
  Session,
  type SubscriberFailure,
  type ToolInvokedPayload,
} from 'weakincentives';
import type { RecordOrigin } from '../../src/core/tool/event-origin.ts';

describe('session events of evaluations', () => {
  it('have typed payloads, with one origin', () => {
    const { dispatcher } = new Session();
    dispatcher.subscribe(PromptRendered, (payload) => {
      expectTypeOf(payload).toEqualTypeOf<DeepReadonly<PromptRenderedPayload>>();
    });
    dispatcher.subscribe(PromptRendered, ({ tools }) => {
      expectTypeOf(tools?.[0]?.name).toEqualTypeOf<string | undefined>();
    });
    dispatcher.subscribe(PromptExecuted, ({ outcome, finishReason }) => {
      expectTypeOf(outcome).toEqualTypeOf<'finished' | 'failed'>();
      expectTypeOf(finishReason).toExtend<string | undefined>();
    });
    expectTypeOf<PromptRenderedPayload>().toExtend<RecordOrigin>();
    expectTypeOf<ToolInvokedPayload>().toExtend<RecordOrigin>();
    expectTypeOf<PromptExecutedPayload>().toExtend<RecordOrigin>();
    expectTypeOf(new Session().slice(PromptExecutionLog).latest()).toExtend<
      DeepReadonly<PromptExecutedPayload> | undefined
    >();
  });

  it('fail with what was thrown and where', () => {
    new Session().dispatcher.onFailure((failure) => {
      expectTypeOf(failure).toEqualTypeOf<SubscriberFailure>();
      expectTypeOf(failure.error).toBeUnknown();
    });
  });
});

describe('redact', () => {
  it('is a function of a text, ready-made or not', () => {
    expectTypeOf<EvaluateOptions['redact']>().toEqualTypeOf<Redaction | undefined>();
    expectTypeOf(redactSecrets(['secret'])).toEqualTypeOf<Redaction>();
    expectTypeOf(redactSecrets({ KEY: process.env['KEY'] })).toEqualTypeOf<Redaction>();
    expectTypeOf(redactPatterns(['sk-\\w+'])).toEqualTypeOf<Promise<Redaction>>();
    // @ts-expect-error A pattern is a text in RE2 syntax: an expression of the language may take forever.
    void redactPatterns([/sk-\w+/]);
    // @ts-expect-error A redaction answers at once.
    const late: EvaluateOptions = { redact: async (text) => text };
    void late;
  });
});
