import { describe, expectTypeOf, it } from 'vitest';
import {
  anyCompletion,
  type CompletionChecker,
  type CompletionContext,
  CompletionVerdict,
  deadlineFeedback,
  defineAgent,
  type EvaluateOptions,
  type Feedback,
  type FeedbackContext,
  type FeedbackProvider,
  type Filesystem,
  filesExistCompletion,
  type NestedEvaluateOptions,
  promptTemplate,
  type ReadonlySessionView,
  type ToolContext,
  type ToolInvokedPayload,
} from 'weakincentives';
import { planCompletion } from 'weakincentives/tools';

describe('a feedback provider', () => {
  it('may be sync or async, and may have nothing to say', () => {
    expectTypeOf<() => undefined>().toExtend<FeedbackProvider['provide']>();
    expectTypeOf<() => Promise<undefined>>().toExtend<FeedbackProvider['provide']>();
    expectTypeOf<(context: FeedbackContext) => Promise<{ message: string }>>().toExtend<
      FeedbackProvider['provide']
    >();
    expectTypeOf<() => string>().not.toExtend<FeedbackProvider['provide']>();
    expectTypeOf<{ message: string; severity: 'fatal' }>().not.toExtend<Feedback>();
  });

  it('sees the run, but cannot write to its session', () => {
    expectTypeOf<FeedbackContext['session']>().toEqualTypeOf<ReadonlySessionView>();
    expectTypeOf<FeedbackContext['session']>().not.toHaveProperty('dispatch');
    expectTypeOf<FeedbackContext['filesystem']>().toEqualTypeOf<Filesystem | undefined>();
    expectTypeOf<FeedbackContext['calls']>().toExtend<Iterable<ToolInvokedPayload>>();
    expectTypeOf<FeedbackContext['calls']>().not.toHaveProperty('push');
    expectTypeOf<FeedbackContext['renderedPrompt']>().toEqualTypeOf<ToolContext['renderedPrompt']>();
  });
});

describe('a completion checker', () => {
  it('decides with CompletionVerdict', () => {
    const checker: CompletionChecker = {
      name: 'c',
      check: ({ text }) => (text === '' ? CompletionVerdict.incomplete('x') : CompletionVerdict.complete()),
    };
    expectTypeOf(
      anyCompletion(checker, [filesExistCompletion({ paths: ['a'] }), planCompletion()]),
    ).toEqualTypeOf<CompletionChecker>();
    expectTypeOf([checker, planCompletion()]).toExtend<NonNullable<EvaluateOptions['completion']>>();
    // @ts-expect-error a plain yes is no verdict
    const plain: CompletionChecker = { name: 'c', check: () => true };
    void plain;
    // @ts-expect-error it has to say what is missing
    CompletionVerdict.incomplete();
    expectTypeOf<CompletionContext['output']>().toBeUnknown();
    expectTypeOf<CompletionContext['renderedPrompt']>().toEqualTypeOf<ToolContext['renderedPrompt']>();
  });

  it('is an option of evaluations, also inside calls, and of agents', () => {
    expectTypeOf<EvaluateOptions>().toHaveProperty('completion');
    expectTypeOf<NestedEvaluateOptions>().toHaveProperty('completion');
    expectTypeOf<NestedEvaluateOptions>().not.toHaveProperty('feedback');
    const template = promptTemplate({ ns: 'a', key: 'b', sections: [] });
    defineAgent({
      template,
      feedback: [deadlineFeedback()],
      completion: planCompletion(),
      limits: { maxCompletionChecks: 2 },
    });
    // @ts-expect-error a list of providers
    defineAgent({ template, feedback: deadlineFeedback() });
  });
});
