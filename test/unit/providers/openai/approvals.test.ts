import { describe, expect, it } from 'vitest';
import { type ApprovalRequest, hostedOutputsOf, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { hostedMcpTool } from 'weakincentives/tools';
import { functionCall, message, response } from '../../../support/openai-responses.ts';
import { modes, openaiFixture, promptOf, runOpenAI } from '../../../support/openai-runs.ts';
import { inEitherMode } from '../../../support/openai-stream.ts';

const wiki = hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example/mcp' }, name: 'handbook' });
const prompt = promptOf({ hostedTools: [wiki] });
const request = openaiFixture('mcp-approval-request');
const approved = openaiFixture('mcp-approved');
const asked = [request, approved].map(inEitherMode);

type Item = Readonly<Record<string, unknown>>;

const itemsOf = (body: Item): readonly Item[] => {
  const { output } = body;
  return Array.isArray(output) ? output : [];
};

describe.each(modes)('what a remote server wants to run, asked for %s', (_mode, options) => {
  it('is put to whoever approves, and answered in the next request', async () => {
    const requests: ApprovalRequest[] = [];
    const { bodies, result } = await runOpenAI(prompt, asked, {
      ...options,
      input: 'Go',
      approve: (what) => {
        requests.push(what);
        return what.params !== null && JSON.stringify(what.params).includes('delete')
          ? { approved: false, reason: 'Nothing is deleted.' }
          : true;
      },
    });
    expect(requests.map(({ toolName, callId, params }) => [toolName, callId, params])).toEqual([
      ['handbook', 'mcpr_1', { name: 'write', arguments: { page: 'Boats' } }],
      ['handbook', 'mcpr_2', { name: 'delete', arguments: { page: 'Cars' } }],
    ]);
    expect(bodies[1]?.['input']).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      ...itemsOf(request),
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      {
        type: 'mcp_approval_response',
        approval_request_id: 'mcpr_2',
        approve: false,
        reason: 'Nothing is deleted.',
      },
    ]);
    expect(result.text).toBe('It is written.');
    expect(hostedOutputsOf(result, wiki).invocations).toMatchObject([
      { turn: 2, server: 'wiki', name: 'write', output: 'Written.' },
    ]);
    expect(result.conversation[1]).toMatchObject({
      type: 'assistant',
      content: [
        {
          type: 'approval-request',
          approvalId: 'mcpr_1',
          toolName: 'handbook',
          name: 'write',
          arguments: '{"page":"Boats"}',
        },
        { type: 'approval-request', approvalId: 'mcpr_2', name: 'delete' },
      ],
    });
  });

  it('is denied where there is nobody to ask', async () => {
    const { bodies } = await runOpenAI(prompt, asked, options);
    expect(itemsOf({ output: bodies[1]?.['input'] }).slice(-2)).toMatchObject([
      { type: 'mcp_approval_response', approve: false, reason: expect.stringMatching(/./) },
      { type: 'mcp_approval_response', approve: false },
    ]);
  });

  it('is answered beside the calls of the same turn', async () => {
    const note = tool({
      name: 'note',
      description: 'Notes.',
      effects: 'read',
      execute: () => ToolResult.ok(null),
    });
    const both = response([...itemsOf(request).slice(0, 3), functionCall('c1', 'note', {})]);
    const { bodies, events } = await runOpenAI(
      promptOf({ hostedTools: [wiki], tools: [note] }),
      [both, approved].map(inEitherMode),
      { ...options, input: 'Go', approve: () => true },
    );
    expect(itemsOf({ output: bodies[1]?.['input'] }).slice(5)).toEqual([
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      { type: 'function_call_output', call_id: 'c1', output: 'OK' },
    ]);
    expect(events.filter(({ type }) => type === 'turn-end')).toMatchObject([
      { finishReason: 'tool-calls' },
      { finishReason: 'stop' },
    ]);
  });
});

describe('a request for approval', () => {
  it('of a server that is none of the prompt goes by its label', async () => {
    const { result } = await runOpenAI(promptOf(), asked);
    expect(result.conversation[0]).toMatchObject({ content: [{ toolName: 'wiki' }, { toolName: 'wiki' }] });
  });

  it.each(['id', 'name', 'server_label'])('without %s makes the response useless', async (key) => {
    const broken = { ...itemsOf(request)[2], [key]: undefined };
    await expect(runOpenAI(prompt, [response([broken])])).rejects.toMatchObject({
      phase: 'response',
      cause: { code: 'model-response-invalid' },
    });
  });

  it('of another provider is not answered to this one', async () => {
    const other = scriptedAdapter([{ text: 'Hi.' }]);
    const { conversation } = await other.evaluate(promptOf(), { input: 'Go' });
    const { bodies } = await runOpenAI(prompt, [response([message('Done.')])], {
      input: 'More',
      history: [
        ...conversation,
        {
          type: 'assistant',
          content: [
            {
              type: 'approval-request',
              approvalId: 'a1',
              toolName: 'handbook',
              name: 'write',
              arguments: '',
            },
          ],
          raw: { provider: 'other', items: [{ type: 'asks' }] },
        },
        { type: 'approval', approvalId: 'a1', approved: true },
      ],
    });
    expect(JSON.stringify(bodies)).not.toMatch(/a1|mcp_approval/);
  });
});
