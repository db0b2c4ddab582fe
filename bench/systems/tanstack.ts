import {
  type AdapterYieldChunk,
  chat,
  type DefaultMessageMetadataByModality,
  EventType,
  type ModelMessage,
  maxIterations,
  type TextOptions,
  toolDefinition,
} from '@tanstack/ai';
import { BaseTextAdapter } from '@tanstack/ai/adapters';
import {
  answerSchema,
  answerText,
  inputSchema,
  instructions,
  outputSchema,
  toolDescription,
  toolName,
} from './count-tool.ts';
import { runSystem } from './run-system.ts';
import type { Stage } from './stage.ts';

/** Above any number of turns that is measured. */
const maxTurns = 1_000_000;

class ScriptedAdapter extends BaseTextAdapter<
  string,
  object,
  readonly ['text'],
  DefaultMessageMetadataByModality
> {
  readonly name = 'scripted';
  readonly #stage: Stage;

  constructor(stage: Stage) {
    super({}, 'scripted');
    this.#stage = stage;
  }

  async *chatStream({ messages }: TextOptions): AsyncGenerator<AdapterYieldChunk> {
    const calls = this.#stage.ask();
    if (calls.length === 0) {
      lookAtResults(this.#stage, messages);
      yield { type: EventType.TEXT_MESSAGE_CONTENT, messageId: 'last', delta: answerText };
      yield { type: EventType.RUN_FINISHED, threadId: 'thread', runId: 'run', finishReason: 'stop' };
      return;
    }
    for (const { id, text } of calls) {
      yield { type: 'TOOL_CALL_START', toolCallId: id, toolCallName: toolName };
      yield { type: EventType.TOOL_CALL_ARGS, toolCallId: id, delta: text };
    }
    yield { type: EventType.RUN_FINISHED, threadId: 'thread', runId: 'run', finishReason: 'tool_calls' };
  }

  structuredOutput(): Promise<never> {
    throw new Error('Nobody asks for structured output.');
  }
}

await runSystem((stage) => {
  const count = toolDefinition({
    name: toolName,
    description: toolDescription,
    inputSchema,
    outputSchema,
  }).server((input) => stage.run(input));
  const adapter = new ScriptedAdapter(stage);
  return async () => {
    let text = '';
    const stream = chat({
      adapter,
      systemPrompts: [instructions],
      messages: [{ role: 'user', content: 'Begin.' }],
      tools: [count],
      agentLoopStrategy: maxIterations(maxTurns),
    });
    for await (const chunk of stream) {
      if (chunk.type === EventType.TEXT_MESSAGE_CONTENT) text += chunk.delta;
    }
    answerSchema.parse(JSON.parse(text));
    return text;
  };
});

/** A failed call is reported as JSON with the key `error`. */
function lookAtResults(stage: Stage, messages: readonly ModelMessage[]): void {
  const results = messages.filter(({ role }) => role === 'tool');
  const isFailure = ({ content }: ModelMessage) =>
    typeof content === 'string' && content.startsWith('{"error"');
  stage.see({ results: results.length, failures: results.filter(isFailure).length });
}
