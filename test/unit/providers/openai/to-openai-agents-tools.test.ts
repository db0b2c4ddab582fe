import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  run,
  setTracingDisabled,
  Usage,
} from '@openai/agents';
import { describe, expect, it } from 'vitest';
import {
  openToolRuntime,
  promptTemplate,
  section,
  ToolCallLog,
  ToolResult,
  type ToolRuntime,
  tool,
} from 'weakincentives';
import { toOpenAIAgentsTools } from 'weakincentives/openai';
import { z } from 'zod';
import { act } from '../../../support/act.ts';
import { Added, add, Count, promptWith } from '../../../support/nested-setup.ts';

setTracingDisabled(true);

type Output = ModelResponse['output'];
const call = (callId: string, name: string, input: unknown): Output[number] => ({
  type: 'function_call',
  callId,
  name,
  status: 'completed',
  arguments: JSON.stringify(input),
});
const message = (text: string): Output[number] => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});

/** Runs an agent of the package on a model that answers from a list, and gives what that was asked. */
async function loop(runtime: ToolRuntime, answers: readonly Output[]) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    getResponse: async (request) => {
      requests.push({ ...request, tools: [...request.tools] });
      return { usage: new Usage(), output: answers[requests.length - 1] ?? [message('Done.')] };
    },
    getStreamedResponse: () => {
      throw new Error('Not streamed here.');
    },
  };
  const tools = toOpenAIAgentsTools(runtime);
  const agent = new Agent({ name: 'test', instructions: runtime.instructions, model, tools });
  const { finalOutput } = await run(agent, 'Go.', { signal: runtime.signal });
  const results = requests.map(({ input }) =>
    (typeof input === 'string' ? [] : input).flatMap((item) =>
      item.type === 'function_call_result' ? [item.output] : [],
    ),
  );
  return { finalOutput, requests, results };
}

const fails = act('fails', ({ session }) => {
  session.dispatch(Added, { by: 100 });
  throw new Error('No luck.');
});
const remember = tool({
  name: 'remember',
  description: 'Remembers a word.',
  effects: 'read',
  inputSchema: z.object({ word: z.string(), note: z.string().optional() }),
  execute: (params) => ToolResult.ok(params, ''),
});

describe('a loop of OpenAI Agents', () => {
  it('runs the calls of one answer as one turn, with transactions and records', async () => {
    await using runtime = await openToolRuntime(promptWith('test', [add, fails]));
    const { finalOutput, results } = await loop(runtime, [
      [call('c1', 'add', {}), call('c2', 'fails', {}), call('c3', 'add', {})],
    ]);
    expect(finalOutput).toBe('Done.');
    expect(runtime.session.slice(Count).latest()).toEqual({ total: 2 });
    const records = runtime.session.slice(ToolCallLog).all();
    expect(records.map(({ callId, outcome, turn }) => [callId, outcome, turn])).toEqual([
      ['c1', 'committed', 1],
      ['c2', 'rolled-back', 1],
      ['c3', 'committed', 1],
    ]);
    expect(JSON.stringify(results[1])).toContain('No luck.');
    expect(JSON.stringify(results[1])).toContain(records[0]?.modelText ?? '?');
  });

  it('gives strict schemas, and takes a null for what may be left out as not given', async () => {
    await using runtime = await openToolRuntime(promptWith('test', [remember]));
    const { requests } = await loop(runtime, [[call('c1', 'remember', { word: 'pear', note: null })]]);
    expect(requests[0]?.tools).toMatchObject([
      { type: 'function', name: 'remember', strict: true, parameters: { required: ['word', 'note'] } },
    ]);
    expect(runtime.session.slice(ToolCallLog).latest()).toMatchObject({
      outcome: 'committed',
      params: { word: 'pear' },
    });
  });

  it('offers the tools of a section that is opened from the next turn on', async () => {
    const prompt = promptTemplate({
      ns: 'test',
      key: 'opened',
      sections: [
        section({ title: 'Task', key: 'task', template: 'Do it.' }),
        section({
          title: 'More',
          key: 'more',
          template: 'More.',
          summary: 'Words.',
          visibility: 'summary',
          tools: [remember],
        }),
      ],
    }).bind();
    await using runtime = await openToolRuntime(prompt);
    const { requests } = await loop(runtime, [
      [call('c1', 'open_sections', { section_keys: ['more'], reason: 'Now.' })],
      [call('c2', 'remember', { word: 'pear', note: null })],
    ]);
    expect(requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['open_sections'],
      ['open_sections', 'remember'],
      ['open_sections', 'remember'],
    ]);
  });

  it('gets the files after a text', async () => {
    const draw = tool({
      name: 'draw',
      description: 'Draws.',
      effects: 'read',
      execute: () =>
        ToolResult.ok(null, 'Drawn.', {
          attachments: [
            { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
            { type: 'file', mediaType: 'application/pdf', data: 'JVBERi0=', name: 'a.pdf' },
            { type: 'file', mediaType: 'application/pdf', data: 'https://a.example/b.pdf' },
          ],
        }),
    });
    await using runtime = await openToolRuntime(promptWith('test', [draw]));
    const { results } = await loop(runtime, [[call('c1', 'draw', {})]]);
    expect(results[1]?.[0]).toMatchObject([
      { type: 'input_text', text: 'Drawn.' },
      { type: 'input_image', image: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'input_file', filename: 'a.pdf' },
      { type: 'input_file', file: { url: 'https://a.example/b.pdf' } },
    ]);
  });

  it('ends when the run is stopped', async () => {
    const controller = new AbortController();
    await using runtime = await openToolRuntime(
      promptWith('test', [act('stop', () => controller.abort(new Error('Enough.')))]),
      {
        signal: controller.signal,
      },
    );
    await expect(loop(runtime, [[call('c1', 'stop', {})]])).rejects.toThrow();
    expect(runtime.signal.aborted).toBe(true);
  });
});
