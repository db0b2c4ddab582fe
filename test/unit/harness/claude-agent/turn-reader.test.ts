import { expect, it } from 'vitest';
import { TurnReader } from '../../../../src/harness/claude-agent/turn-reader.ts';

type Turn = Parameters<ConstructorParameters<typeof TurnReader>[0]['onTurn']>[0];

const turnsOf = async (messages: readonly object[]): Promise<readonly Turn[]> => {
  const turns: Turn[] = [];
  const onTurn = (turn: Turn): undefined => void turns.push(turn);
  const reader = new TurnReader({ onTurnStart: () => undefined, onTurn }, 'mcp__wink__');
  for (const message of messages) await reader.read({ ...message });
  return turns;
};

const usage = {
  input_tokens: 10,
  cache_read_input_tokens: 2,
  output_tokens: 5,
  output_tokens_details: { thinking_tokens: 3 },
};
const call = { type: 'tool_use', id: 'call-1', name: 'mcp__wink__note', input: { text: 'a' } };
const whole = { id: 'message-1', model: 'claude', stop_reason: 'tool_use', content: [call], usage };
const turn = {
  content: [{ type: 'tool-call', callId: 'call-1', name: 'note', arguments: '{"text":"a"}' }],
  finishReason: 'tool-calls',
  usage: { inputTokens: 12, outputTokens: 5, cachedInputTokens: 2, reasoningTokens: 3 },
  responseId: 'message-1',
  responseModel: 'claude',
};
const streamed = [
  {
    type: 'message_start',
    message: { ...whole, stop_reason: null, content: [], usage: { input_tokens: 10 } },
  },
  { type: 'content_block_start', index: 0, content_block: { ...call, input: {} } },
  { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{ "text":' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: ' "a" }' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
  { type: 'message_stop' },
].map((event) => ({ type: 'stream_event', event }));

it('makes the same turn of a stream and of a whole message, with the tokens of its thinking', async () => {
  expect(await turnsOf([{ type: 'assistant', message: whole }])).toStrictEqual([turn]);
  expect(await turnsOf(streamed)).toStrictEqual([turn]);
});

it('passes over the message that has come as a stream', async () => {
  expect(await turnsOf([...streamed, { type: 'assistant', message: whole }])).toStrictEqual([turn]);
});

it('says of a call with a large integer that its arguments were parsed', async () => {
  const large = { ...whole, content: [{ ...call, input: { id: 2 ** 53 } }] };
  const [{ content } = { content: [] }] = await turnsOf([{ type: 'assistant', message: large }]);
  expect(content).toEqual([
    {
      type: 'tool-call',
      callId: 'call-1',
      name: 'note',
      arguments: '{"id":9007199254740992}',
      wasParsed: true,
    },
  ]);
});
