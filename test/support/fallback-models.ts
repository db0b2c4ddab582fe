import {
  type EvaluateOptions,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  type RunEvent,
  section,
  type TokenPrices,
  ToolResult,
  tool,
} from 'weakincentives';
import {
  type LanguageModel,
  type ModelRequest,
  type ModelTurn,
  providerAdapter,
  ThrottleError,
} from 'weakincentives/provider';

const usage: NonNullable<ModelTurn['usage']> = { inputTokens: 1_000_000, outputTokens: 1 };
export const retry: NonNullable<Exclude<EvaluateOptions['retry'], false>> = {
  maxAttempts: 2,
  baseDelayMs: 1,
  maxDelayMs: 1,
};

/** What a provider throws that is overloaded. */
export const busy = (): ThrottleError => new ThrottleError('It is busy.', { kind: 'server-error' });

/** A turn with a call of `step`. */
export const calling = (turn: number): ModelTurn => ({
  content: [{ type: 'tool-call', callId: `c${turn}`, name: 'step', arguments: '{}' }],
  finishReason: 'tool-calls',
  usage,
});
/** A turn that answers. */
export const saying = (text: string): ModelTurn => ({
  content: [{ type: 'text', text }],
  finishReason: 'stop',
  usage,
});

/** An adapter over a function. `asked` gets its name and the number of each turn. */
export function named(
  name: string,
  answer: (
    request: ModelRequest,
    options: Parameters<LanguageModel['generate']>[1],
  ) => ModelTurn | Promise<ModelTurn>,
  {
    asked = [],
    ...model
  }: Partial<LanguageModel> & { readonly asked?: string[]; readonly prices?: TokenPrices } = {},
): ProviderAdapter {
  return providerAdapter({
    model: {
      name,
      ...model,
      generate: (request, options) => {
        asked.push(`${name}${request.turn}`);
        return answer(request, options);
      },
    },
  });
}

/** A prompt with the tool `step`, whose result is what `onStep` returns for the id of the call, or that it is done. */
export function stepPrompt(
  onStep: (callId: string) => string | void = () => undefined,
  extra: object = {},
): Prompt {
  const step = tool({
    name: 'step',
    description: 'Does a step.',
    effects: 'state',
    execute: (_params, { callId }) => ToolResult.ok(null, onStep(callId) ?? 'Done.'),
  });
  return promptTemplate({
    ns: 'test',
    key: 'fallback',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [step] })],
    ...extra,
  }).bind();
}

/** Events of a type. */
export function eventsOf<Type extends RunEvent['type']>(
  events: readonly RunEvent[],
  type: Type,
): readonly Extract<RunEvent, { readonly type: Type }>[] {
  return events.filter((event): event is Extract<RunEvent, { readonly type: Type }> => event.type === type);
}
