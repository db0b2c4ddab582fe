import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import type { ClaudeAgentSdk } from 'weakincentives/claude-agent';
import type { ClaudeQueryOptions } from '../../../src/harness/claude-agent/sdk.ts';

/** What a stand-in for Claude Code does in one run. */
export interface ClaudeScript {
  /** The next message of the user; undefined when there is none any more. */
  readonly next: () => Promise<readonly object[] | undefined>;
  /** Calls a tool of the run, as Claude Code does. @returns its text. */
  readonly call: (name: string, given: Record<string, unknown>) => Promise<string>;
  /** The tools that the server offers now. */
  readonly tools: () => Promise<readonly string[]>;
  readonly options: ClaudeQueryOptions;
}

/** A stand-in for the SDK whose runs are played by a script: it yields messages, and calls tools over the protocol. */
export function claudeSdk(play: (script: ClaudeScript) => AsyncGenerator<unknown, void>): ClaudeAgentSdk {
  return {
    query: ({ prompt, options }) => playRun(play, prompt, options),
  };
}

async function* playRun(
  play: (script: ClaudeScript) => AsyncGenerator<unknown, void>,
  prompt: Parameters<ClaudeAgentSdk['query']>[0]['prompt'],
  options: ClaudeQueryOptions,
): AsyncGenerator<unknown, void> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = Object.values(options.mcpServers)[0]?.instance;
  // The SDK connects the server that it is given.
  await (server as { connect(transport: unknown): Promise<void> }).connect(theirs);
  const client = new Client({ name: 'claude-code', version: '2.1.330' });
  await client.connect(ours);
  const messages = prompt[Symbol.asyncIterator]();
  const { signal } = options.abortController;
  try {
    yield* play({
      options,
      next: async () => {
        const { value, done } = await messages.next();
        return done === true ? undefined : value.message.content;
      },
      call: async (name, given) => {
        const { content } = await client.callTool({ name, arguments: given }, { signal });
        return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      },
      tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    });
  } finally {
    await client.close();
  }
}

let lastMessage = 0;

/** A block of an answer: a text, or a call. */
export type ClaudeBlock =
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly call: string; readonly id: string; readonly input: object };

/** The messages of one answer as a stream. */
export function* streamedAnswer(
  blocks: readonly ClaudeBlock[],
  stopReason = 'end_turn',
): Generator<object, void> {
  lastMessage += 1;
  const event = (fields: object) => ({ type: 'stream_event', parent_tool_use_id: null, event: fields });
  const id = `msg_${lastMessage}`;
  const usage = {
    input_tokens: 10,
    output_tokens: 1,
    cache_creation_input_tokens: 2,
    cache_read_input_tokens: 3,
  };
  yield event({ type: 'message_start', message: { id, model: 'claude-test', content: [], usage } });
  for (const [index, block] of blocks.entries()) {
    yield event({ type: 'content_block_start', index, content_block: emptyBlock(block) });
    for (const delta of deltasOf(block)) yield event({ type: 'content_block_delta', index, delta });
    // Claude Code sends each block as a message, too, before its end.
    yield {
      type: 'assistant',
      parent_tool_use_id: null,
      message: { id, content: [wholeBlock(block)], usage },
    };
    yield event({ type: 'content_block_stop', index });
  }
  yield event({ type: 'message_delta', delta: { stop_reason: stopReason }, usage: { output_tokens: 5 } });
  yield event({ type: 'message_stop' });
}

/** One answer as a whole message. */
export function wholeAnswer(blocks: readonly ClaudeBlock[], stopReason: string | null = null): object {
  lastMessage += 1;
  return {
    type: 'assistant',
    parent_tool_use_id: null,
    message: {
      id: `msg_${lastMessage}`,
      model: 'claude-test',
      content: blocks.map(wholeBlock),
      stop_reason: stopReason,
      usage: { input_tokens: 10, output_tokens: 5 },
    },
  };
}

/** The result of a message of the user. */
export function resultOf(text: string, rest: object = {}): object {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: text,
    stop_reason: 'end_turn',
    session_id: 's-1',
    num_turns: 1,
    total_cost_usd: 0.5,
    ...rest,
  };
}

function emptyBlock(block: ClaudeBlock): object {
  if ('text' in block) return { type: 'text', text: '' };
  if ('thinking' in block) return { type: 'thinking', thinking: '' };
  return { type: 'tool_use', id: block.id, name: block.call, input: {} };
}

function wholeBlock(block: ClaudeBlock): object {
  if ('text' in block) return { type: 'text', text: block.text };
  if ('thinking' in block) return { type: 'thinking', thinking: block.thinking };
  return { type: 'tool_use', id: block.id, name: block.call, input: block.input };
}

function deltasOf(block: ClaudeBlock): readonly object[] {
  const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];
  if ('text' in block) return halves(block.text).map((text) => ({ type: 'text_delta', text }));
  if ('thinking' in block)
    return halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }));
  return halves(JSON.stringify(block.input)).map((json) => ({
    type: 'input_json_delta',
    partial_json: json,
  }));
}
