import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  AIMessage,
  type BaseMessage,
  type InvalidToolCall,
  type ToolCall,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import type { AskedCall, Script } from '../harness/script.ts';

/**
 * A chat model of one's own with tool calls (documentation of LangChain: How to create a custom chat model class). Arguments that are not JSON are
 * `invalid_tool_calls`, as in the models of the vendors.
 */
export class LangGraphModel extends BaseChatModel {
  readonly #script: Script;

  constructor(script: Script) {
    super({});
    this.#script = script;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const results = messages
      .filter((message) => ToolMessage.isInstance(message))
      .map((message) => ({
        id: message.tool_call_id,
        text: message.text,
        isError: message.status === 'error',
      }));
    const { calls, text } = this.#script.next(
      results,
      messages.map((message) => message.toDict()),
    );
    const tokens = this.#script.tokens;
    const parsed = calls.map(parse);
    const message = new AIMessage({
      content: text,
      tool_calls: parsed.flatMap(({ valid }) => (valid === undefined ? [] : [valid])),
      invalid_tool_calls: parsed.flatMap(({ invalid }) => (invalid === undefined ? [] : [invalid])),
    });
    // The declared type of a message without a structure has none.
    Object.assign(message, {
      usage_metadata: {
        input_tokens: tokens,
        output_tokens: 0,
        total_tokens: tokens,
      } satisfies UsageMetadata,
    });
    return { generations: [{ message, text }] };
  }
}

/** What a message has used: `usage_metadata`. */
export function tokensOf(message: BaseMessage): number {
  const { usage_metadata: usage } = message as { readonly usage_metadata?: UsageMetadata };
  return usage?.total_tokens ?? 0;
}

interface ParsedCall {
  readonly valid?: ToolCall;
  readonly invalid?: InvalidToolCall;
}

function parse({ id, name, text }: AskedCall): ParsedCall {
  try {
    return { valid: { id, name, args: JSON.parse(text) as Record<string, unknown>, type: 'tool_call' } };
  } catch {
    return { invalid: { id, name, args: text, error: 'Malformed args.', type: 'invalid_tool_call' } };
  }
}
