import { describe, expectTypeOf, it } from 'vitest';
import {
  type ConversationItem,
  type DeepReadonly,
  type EvaluateOptions,
  type FinishReason,
  type NestedAdapter,
  type NestedEvaluateOptions,
  type Prompt,
  type PromptResponse,
  type ProviderAdapter,
  promptTemplate,
  type ReducerBinder,
  type ReducerBinding,
  type RunEvent,
  type RunPathStep,
  section,
  type TokenUsage,
  ToolCallLog,
  ToolInvoked,
  type ToolInvokedPayload,
  ToolResult,
  tool,
} from 'weakincentives';
import { type LanguageModel, providerAdapter } from 'weakincentives/provider';
import { type Script, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const sections = [section({ title: 'Task', key: 'task', template: 'Do it.' })] as const;
const plain = promptTemplate({ ns: 'test', key: 'plain', sections });
const structured = promptTemplate({
  ns: 'test',
  key: 'structured',
  sections,
  output: z.object({ answer: z.string(), score: z.number().default(1) }),
});
const list = promptTemplate({ ns: 'test', key: 'list', sections, output: z.array(z.string()) });
const adapter = scriptedAdapter([]);

describe('evaluate', () => {
  it('answers with the output of the prompt', () => {
    expectTypeOf(adapter.evaluate(structured.bind())).resolves.toEqualTypeOf<
      PromptResponse<{ answer: string; score: number }>
    >();
    expectTypeOf(adapter.evaluate(list.bind())).resolves.toEqualTypeOf<PromptResponse<string[]>>();
    expectTypeOf(adapter.evaluate(plain.bind())).resolves.toHaveProperty('output').toEqualTypeOf<undefined>();
  });

  it('takes any prompt whose output is not known', () => {
    const evaluate = (prompt: Prompt): Promise<PromptResponse> => adapter.evaluate(prompt);
    expectTypeOf(evaluate(structured.bind())).resolves.toEqualTypeOf<PromptResponse>();
  });

  it('takes options that are all optional, and no others', () => {
    expectTypeOf<Record<never, never>>().toExtend<EvaluateOptions>();
    void adapter.evaluate(plain.bind(), {
      input: 'Hello',
      limits: { maxTurns: 3 },
      toolChoice: { tool: 'x' },
    });
    void adapter.evaluate(plain.bind(), { input: [{ type: 'image', mediaType: 'image/png', data: '' }] });
    void adapter.evaluate(plain.bind(), {
      toolChoice: { allowed: ['x'], required: true },
      settings: { parallelToolCalls: false, serviceTier: 'flex' },
    });
    // @ts-expect-error Names are a list.
    void adapter.evaluate(plain.bind(), { toolChoice: { allowed: 'x' } });
    // @ts-expect-error A tier of one provider is given in its own words.
    void adapter.evaluate(plain.bind(), { settings: { serviceTier: 'ultrafast' } });
    // @ts-expect-error There is no such option.
    void adapter.evaluate(plain.bind(), { maxTurn: 3 });
    // @ts-expect-error A video is no part of what a user says.
    void adapter.evaluate(plain.bind(), { input: [{ type: 'video', data: '' }] });
    // @ts-expect-error A template must be bound first.
    void adapter.evaluate(plain);
  });

  it('gives a response that is read-only and continues as history', async () => {
    const response = await adapter.evaluate(plain.bind());
    expectTypeOf(response.conversation).toEqualTypeOf<readonly ConversationItem[]>();
    expectTypeOf(response.usage).toEqualTypeOf<TokenUsage>();
    expectTypeOf(response.finishReason).toEqualTypeOf<FinishReason>();
    void adapter.evaluate(plain.bind(), { history: response.conversation });
    // @ts-expect-error A response does not change.
    response.text = 'other';
    // @ts-expect-error A conversation does not change.
    response.conversation.push();
  });

  it('is covariant in the output of a response', () => {
    expectTypeOf<PromptResponse<{ answer: string }>>().toExtend<PromptResponse>();
    expectTypeOf<PromptResponse>().not.toExtend<PromptResponse<string>>();
  });
});

describe('the adapter of a call', () => {
  it('answers with the output of the prompt, as any adapter does', () => {
    tool({
      name: 'delegate',
      description: 'Delegates.',
      execute: async (_params, context) => {
        expectTypeOf(context.adapter).toEqualTypeOf<NestedAdapter>();
        const response = await context.adapter.evaluate(structured.bind(), {
          input: 'Go',
          limits: { maxTurns: 2 },
        });
        expectTypeOf(response).toEqualTypeOf<PromptResponse<{ answer: string; score: number }>>();
        expectTypeOf((await context.adapter.evaluate(list.bind())).output).toEqualTypeOf<string[]>();
        expectTypeOf((await context.adapter.evaluate(plain.bind())).output).toEqualTypeOf<undefined>();
        return ToolResult.ok(null);
      },
    });
    expectTypeOf(adapter).toExtend<NestedAdapter>();
  });

  it('takes neither a session nor who approves', () => {
    expectTypeOf<NestedEvaluateOptions>().not.toHaveProperty('session');
    expectTypeOf<NestedEvaluateOptions>().not.toHaveProperty('approve');
    expectTypeOf<EvaluateOptions>().toExtend<NestedEvaluateOptions>();
  });
});

describe('run events', () => {
  it('have the number of the turn, but for those of the run itself', () => {
    type OfTurn = Exclude<RunEvent, { readonly type: 'run-start' | 'run-end' }>;
    expectTypeOf<OfTurn>().toExtend<{ readonly turn: number }>();
  });

  it('say which evaluation they are of, and where it is', () => {
    expectTypeOf<RunEvent['evaluationId']>().toEqualTypeOf<string>();
    expectTypeOf<RunEvent['path']>().toEqualTypeOf<readonly RunPathStep[]>();
    expectTypeOf<RunPathStep>().toEqualTypeOf<{
      readonly turn: number;
      readonly callId: string;
      readonly toolName: string;
      readonly attempt: number;
      readonly evaluation: number;
      readonly policy?: string;
    }>();
  });

  it('name the call that they are about', () => {
    type Mentioned = RunEvent extends infer Event
      ? Event extends {
          readonly type: `${'tool-call' | 'approval' | 'policy'}-${string}` | 'feedback-recorded';
        }
        ? Event
        : never
      : never;
    expectTypeOf<Mentioned>().toExtend<{ readonly callId: string; readonly toolName: string }>();
  });

  it('have no old names', () => {
    const told = (event: RunEvent): boolean =>
      // @ts-expect-error Its name is `usage-counted`.
      event.type === 'usage' ||
      // @ts-expect-error An event of an inner evaluation has its own type, and says in its path where it is.
      event.type === 'nested-run';
    expectTypeOf(told).returns.toBeBoolean();
  });

  it('are one closed union told apart by type', () => {
    expectTypeOf<RunEvent['type']>().toEqualTypeOf<
      | 'run-start'
      | 'run-resumed'
      | 'approval-pending'
      | 'turn-start'
      | 'input-taken'
      | 'model-call-start'
      | 'model-call-retry'
      | 'model-changed'
      | 'answer-restarted'
      | 'text-delta'
      | 'reasoning-delta'
      | 'model-call-end'
      | 'usage-counted'
      | 'hosted-tool-called'
      | 'hosted-approval-answered'
      | 'tool-results-dropped'
      | 'context-compacted'
      | 'turns-dropped'
      | 'turn-end'
      | 'budget-exceeded'
      | 'tool-call-start'
      | 'approval-start'
      | 'approval-end'
      | 'policy-unenforced'
      | 'tool-call-retry'
      | 'tool-call-end'
      | 'tool-call-progress'
      | 'tool-call-heartbeat'
      | 'feedback-recorded'
      | 'completion-checked'
      | 'output-rejected'
      | 'run-end'
    >();
    void adapter.evaluate(plain.bind(), {
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-end') {
              expectTypeOf(event.invocation).toEqualTypeOf<ToolInvokedPayload>();
            }
            if (event.type === 'tool-call-retry')
              expectTypeOf(event.conflicts).toEqualTypeOf<readonly string[]>();
            // @ts-expect-error Only the end of a call has an invocation.
            void event.invocation;
          },
        },
      ],
    });
  });
});

describe('the record of calls', () => {
  it('has typed payloads for reducers and readers', () => {
    const bind = (on: ReducerBinder<string>) =>
      on(ToolInvoked, (items, payload) => {
        expectTypeOf(payload).toEqualTypeOf<DeepReadonly<ToolInvokedPayload>>();
        expectTypeOf(payload.outcome).toEqualTypeOf<
          'committed' | 'rolled-back' | 'denied' | 'rejected' | 'aborted'
        >();
        return items.keep();
      });
    expectTypeOf(bind).returns.toEqualTypeOf<ReducerBinding<string>>();
    expectTypeOf(ToolCallLog.name).toEqualTypeOf<string>();
  });
});

describe('adapters', () => {
  it('are made of a model provider, whose turns may be plain or promised', () => {
    const provider: LanguageModel = {
      name: 'own',
      generate: (request, { signal }) => {
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(request.conversation).toEqualTypeOf<readonly ConversationItem[]>();
        return { content: [{ type: 'text', text: request.instructions }], finishReason: 'stop' };
      },
    };
    expectTypeOf(providerAdapter({ model: provider })).toEqualTypeOf<ProviderAdapter>();
    providerAdapter({ model: { name: 'promised', generate: async (...args) => provider.generate(...args) } });
    // @ts-expect-error A finish reason is one of a few.
    providerAdapter({ model: { name: 'odd', generate: () => ({ content: [], finishReason: 'tired' }) } });
    // @ts-expect-error A provider generates.
    providerAdapter({ model: { name: 'odd' } });
  });

  it('can be scripted by a list or a function', () => {
    expectTypeOf(scriptedAdapter).parameter(0).toEqualTypeOf<readonly ScriptedTurn[] | Script>();
    expectTypeOf(scriptedAdapter([{ text: 'done' }])).toEqualTypeOf<ProviderAdapter>();
    scriptedAdapter((conversation, { turn }) => ({ text: `${conversation.length} ${turn}` }));
    // @ts-expect-error A call needs the name of a tool.
    scriptedAdapter([{ toolCalls: [{ arguments: {} }] }]);
  });
});
