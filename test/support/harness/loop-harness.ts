import type { ConversationItem, ToolCallPart } from 'weakincentives';
import type {
  AgentHarness,
  HarnessCapabilities,
  HarnessOutcome,
  HarnessRequest,
  HarnessRunOptions,
  LanguageModel,
  ModelTurn,
} from 'weakincentives/provider';

/** Everything that a harness can do. */
export const fullCapabilities: HarnessCapabilities = {
  input: ['image', 'file'],
  turns: true,
  streaming: true,
  usage: true,
  outputSchema: true,
  followUps: true,
  addedTools: true,
};

/** How a {@link loopHarness} is made. */
export interface LoopHarnessOptions {
  readonly model: Pick<LanguageModel, 'generate'>;
  /** Default: it can do everything. What it cannot do it does not do. */
  readonly capabilities?: HarnessCapabilities;
  readonly name?: string;
  /** Runs a call. Default: the tools of the request do. */
  readonly call?: (
    part: ToolCallPart,
    request: HarnessRequest,
    options: HarnessRunOptions,
  ) => Promise<ConversationItem>;
}

/** A harness in this process: a loop of its own around a model, with a conversation that nobody else has. */
export function loopHarness({
  model,
  capabilities = fullCapabilities,
  name = 'loop',
  call = callTool,
}: LoopHarnessOptions): AgentHarness {
  return {
    name,
    capabilities,
    run: async (request, options) => {
      const { outputSchema } = request;
      const conversation: ConversationItem[] =
        request.input.length === 0 ? [] : [{ type: 'user', content: request.input }];
      let paused = '';
      for (let turn = 1; ; turn += 1) {
        if (capabilities.turns === true) await options.onTurnStart();
        options.signal.throwIfAborted();
        const answered = await model.generate(
          {
            instructions: request.instructions,
            conversation,
            tools: request.tools.tools,
            hostedTools: [],
            toolChoice: 'auto',
            settings: request.settings,
            turn,
            ...(outputSchema === undefined ? {} : { outputSchema }),
          },
          options,
        );
        if (capabilities.turns === true) await options.onTurn(answered);
        options.signal.throwIfAborted();
        conversation.push({ type: 'assistant', content: answered.content });
        const calls = answered.content.filter((part) => part.type === 'tool-call');
        conversation.push(...(await Promise.all(calls.map((part) => call(part, request, options)))));
        if (calls.length > 0 && !options.hasAnswer()) continue;
        if (answered.finishReason === 'paused') {
          paused += textOf(answered);
          continue;
        }
        const outcome: HarnessOutcome = {
          text: `${paused}${textOf(answered)}`,
          finishReason: answered.finishReason,
          turns: turn,
        };
        paused = '';
        const next = capabilities.followUps === true ? await options.onAnswer(outcome) : undefined;
        if (next === undefined) return outcome;
        conversation.push({ type: 'user', content: [{ type: 'text', text: next }] });
      }
    },
  };
}

/** Runs a call with the tools of a request. */
export async function callTool(
  part: ToolCallPart,
  { tools }: HarnessRequest,
  { signal }: HarnessRunOptions,
): Promise<ConversationItem> {
  const { type: _type, ...asked } = part;
  const { invocation: _invocation, ...output } = await tools.call(asked, { signal });
  return { type: 'tool-result', ...output };
}

function textOf({ content }: ModelTurn): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
