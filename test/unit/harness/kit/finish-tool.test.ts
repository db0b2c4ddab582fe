import { describe, expect, test } from 'vitest';
import { type JsonObject, jsonSchema, promptTemplate, type RunEvent, Session, section } from 'weakincentives';
import {
  type AgentHarness,
  type HarnessCapabilities,
  harnessAdapter,
  type ModelTurn,
} from 'weakincentives/provider';
import { evaluationFailure } from '../../../support/failure.ts';
import {
  fullCapabilities,
  type LoopHarnessOptions,
  loopHarness,
} from '../../../support/harness/loop-harness.ts';
import { counter, Notes, noteTool } from '../../../support/harness/notebook.ts';
import { called, said, scriptedModel } from '../../../support/harness/said.ts';

const withFinish: HarnessCapabilities = { ...fullCapabilities, outputSchema: false };

function start(turns: readonly ModelTurn[], capabilities = withFinish) {
  const { model, requests } = scriptedModel(turns);
  const events: RunEvent[] = [];
  const observers = [{ onEvent: (event: RunEvent) => events.push(event) }];
  return {
    adapter: harnessAdapter({ harness: loopHarness({ model, capabilities }) }),
    requests,
    events,
    observers,
  };
}

const textsOf = (conversation: readonly { readonly type: string }[]) =>
  JSON.parse(JSON.stringify(conversation)).map(
    (item: { type: string; text?: string; content?: { text?: string }[] }) => [
      item.type,
      item.text ?? item.content?.map((part) => part.text ?? '(call)').join(''),
    ],
  );

describe('the tool finish', () => {
  test('takes the answer, and the model is not asked again', async () => {
    const { adapter, requests, events, observers } = start([
      called([['note', { text: 'a' }]]),
      called([['finish', { count: 3 }]], { after: 1 }),
    ]);
    const response = await adapter.evaluate(counter(), { input: 'Count.', observers });
    expect(response).toMatchObject({ text: '{"count":3}', output: { count: 3 }, finishReason: 'stop' });
    expect(requests).toHaveLength(2);
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['note', 'finish']);
    expect(requests[0]?.tools[1]?.inputSchema).toMatchObject({ type: 'object', required: ['count'] });
    expect(requests[0]?.instructions).toContain('calling the tool `finish`');
    // The answer is what the model says: its call is in no record, and no result of it in the conversation.
    expect(textsOf(response.conversation)).toEqual([
      ['user', 'Count.'],
      ['assistant', '(call)'],
      ['tool-result', 'Noted a.'],
      ['assistant', '{"count":3}'],
    ]);
    expect(events.flatMap((event) => (event.type === 'tool-call-end' ? [event.toolName] : []))).toEqual([
      'note',
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'finished', output: { count: 3 } });
  });

  test('corrects a wrong answer by its result', async () => {
    const { adapter, requests, events, observers } = start([
      called([['finish', { count: 'many' }]]),
      called([['finish', { count: 4 }]], { after: 1 }),
    ]);
    const response = await adapter.evaluate(counter(), { input: 'Count.', observers });
    expect(response.output).toEqual({ count: 4 });
    expect(requests[1]?.conversation.at(-1)).toMatchObject({
      type: 'tool-result',
      toolName: 'finish',
      isError: true,
      text: expect.stringMatching(
        /^Your answer was not accepted\. .*count.*Call the tool `finish` with the whole answer\.$/s,
      ),
    });
    expect(events.filter(({ type }) => type === 'output-rejected')).toMatchObject([{ turn: 1, repair: 1 }]);
    expect(textsOf(response.conversation)).toEqual([
      ['user', 'Count.'],
      ['assistant', '{"count":"many"}'],
      ['user', expect.stringContaining('was not accepted')],
      ['assistant', '{"count":4}'],
    ]);
  });

  test('refuses an integer that may have been rounded before it arrived as a value', async () => {
    const turns = [
      called([['finish', { count: 2 ** 53 }]]),
      called([['finish', { count: 4 }]], { after: 1 }),
    ];
    const { model, requests } = scriptedModel(turns);
    // As a harness calls that has parsed the arguments.
    const call: LoopHarnessOptions['call'] = (part, { tools }, { signal }) =>
      tools
        .call({ ...part, arguments: JSON.parse(part.arguments) }, { signal })
        .then(({ invocation: _invocation, ...output }) => ({ type: 'tool-result', ...output }));
    const harness = loopHarness({ model, capabilities: withFinish, call });
    const { output } = await harnessAdapter({ harness }).evaluate(counter(), { input: 'Count.' });
    expect(output).toEqual({ count: 4 });
    expect(requests[1]?.conversation.at(-1)).toMatchObject({
      isError: true,
      text: expect.stringContaining('count: the integer 9007199254740992 is beyond 2^53 − 1'),
    });
  });

  test('takes the digits of an answer that arrives as text', async () => {
    const written = called([['finish', {}]]);
    const [part] = written.content;
    if (part?.type !== 'tool-call') throw new Error('The turn has no call.');
    const { adapter } = start([
      { ...written, content: [{ ...part, arguments: '{"answer":["x",9007199254740993]}' }] },
    ]);
    const list = promptTemplate({
      ns: 'test',
      key: 'ids',
      sections: [section({ title: 'Task', key: 'task', template: 'List.' })],
      output: jsonSchema<readonly string[]>({ type: 'array', items: { type: 'string' } }),
    });
    const { output } = await adapter.evaluate(list.bind(), { input: 'List.' });
    expect(output).toEqual(['x', '9007199254740993']);
  });

  test('ends the run when the answer stays wrong', async () => {
    const wrong = called([['finish', { count: 'many' }]]);
    const { adapter, requests } = start([wrong, wrong, wrong]);
    const error = await evaluationFailure(adapter.evaluate(counter(), { limits: { maxOutputRepairs: 1 } }));
    expect([error.code, error.phase]).toEqual(['evaluation-output-invalid', 'parse']);
    expect(requests).toHaveLength(2);
  });

  test('is asked for when the model ends without it', async () => {
    const { adapter, requests } = start([said('It is three.'), called([['finish', { count: 3 }]])]);
    const response = await adapter.evaluate(counter());
    expect(response.output).toEqual({ count: 3 });
    expect(requests[1]?.conversation.at(-1)).toMatchObject({
      type: 'user',
      content: [{ text: expect.stringContaining('Call the tool `finish` with the whole answer.') }],
    });
  });

  test('is not needed for an answer that is there as text', async () => {
    const { adapter, requests } = start([said('It is {"count":3}.')]);
    expect((await adapter.evaluate(counter())).output).toEqual({ count: 3 });
    expect(requests).toHaveLength(1);
  });

  test('lets calls run that come with it, and none that comes later', async () => {
    const results: unknown[] = [];
    const harness: AgentHarness = {
      name: 'serial',
      capabilities: { followUps: true },
      run: async ({ tools }, { hasAnswer, onAnswer }) => {
        const call = (callId: string, name: string, given: JsonObject) =>
          tools.call({ callId, name, arguments: given });
        await Promise.all([call('a', 'note', { text: 'with it' }), call('b', 'finish', { count: 1 })]);
        results.push(hasAnswer());
        for (const output of [
          await call('c', 'note', { text: 'later' }),
          await call('d', 'finish', { count: 2 }),
        ])
          results.push([output.isError, output.text]);
        const outcome = { text: 'That was all.', finishReason: 'stop' } as const;
        results.push(await onAnswer(outcome));
        return outcome;
      },
    };
    await using session = new Session();
    const response = await harnessAdapter({ harness }).evaluate(counter(), { session });
    expect(response).toMatchObject({ output: { count: 1 }, text: '{"count":1}' });
    expect(session.slice(Notes).all()).toEqual([{ text: 'with it' }]);
    expect(results).toEqual([
      true,
      [true, 'The call of "note" was not run: the final answer was given. End your turn.'],
      [true, 'The answer was given already. End your turn.'],
      undefined,
    ]);
  });

  test('ends the conversation, also for a harness that asks its model once more', async () => {
    const { model } = scriptedModel([called([['finish', { count: 1 }]]), said('I am done.')]);
    const inner = loopHarness({ model, capabilities: withFinish });
    const harness: AgentHarness = {
      ...inner,
      run: (request, options) => inner.run(request, { ...options, hasAnswer: () => false }),
    };
    const response = await harnessAdapter({ harness }).evaluate(counter(), { input: 'Count.' });
    expect(textsOf(response.conversation)).toEqual([
      ['user', 'Count.'],
      ['assistant', '{"count":1}'],
    ]);
  });

  test('has another name in a prompt with a tool of its name', async () => {
    const { adapter, requests } = start([called([['finish_2', { count: 3 }]])]);
    const response = await adapter.evaluate(counter([noteTool('finish')]));
    expect(response.output).toEqual({ count: 3 });
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['finish', 'finish_2']);
  });

  test('keeps the references of the schema of a list', async () => {
    const { adapter, requests } = start([called([['finish', { answer: [{ parts: [] }] }]])]);
    const prompt = promptTemplate({
      ns: 'test',
      key: 'tree',
      sections: [section({ title: 'Task', key: 'task', template: 'List.' })],
      output: jsonSchema<readonly object[]>({
        type: 'array',
        items: { $ref: '#/$defs/part' },
        $defs: {
          part: { type: 'object', properties: { parts: { type: 'array', items: { $ref: '#/$defs/part' } } } },
        },
      }),
    }).bind();
    expect((await adapter.evaluate(prompt)).output).toEqual([{ parts: [] }]);
    const schema = requests[0]?.tools[0]?.inputSchema;
    expect(schema).toMatchObject({
      properties: { answer: { type: 'array', items: { $ref: '#/$defs/part' } } },
      $defs: { part: { type: 'object' } },
    });
    expect(schema?.['properties']).not.toHaveProperty('answer.$defs');
  });

  test('takes a list in a property', async () => {
    const { adapter, requests } = start([called([['finish', { answer: ['a', 'b'] }]])]);
    const prompt = promptTemplate({
      ns: 'test',
      key: 'list',
      sections: [section({ title: 'Task', key: 'task', template: 'List.' })],
      output: jsonSchema<readonly string[]>({ type: 'array', items: { type: 'string' } }),
    }).bind();
    const response = await adapter.evaluate(prompt);
    expect(response).toMatchObject({ output: ['a', 'b'], text: '["a","b"]' });
    expect(requests[0]?.tools[0]?.inputSchema).toMatchObject({ type: 'object', required: ['answer'] });
  });

  test('is not there for a harness with a schema of its own', async () => {
    const { adapter, requests } = start([said('{"count":3}')], fullCapabilities);
    expect((await adapter.evaluate(counter())).output).toEqual({ count: 3 });
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['note']);
    expect(requests[0]?.outputSchema).toMatchObject({ required: ['count'] });
  });

  test('takes the only answer of a harness without follow-ups', async () => {
    const alone = { ...withFinish, followUps: false };
    const good = start([called([['finish', { count: 3 }]])], alone);
    expect((await good.adapter.evaluate(counter())).output).toEqual({ count: 3 });
    const bad = start([said('Three.')], alone);
    const error = await evaluationFailure(bad.adapter.evaluate(counter()));
    expect(error.code).toBe('evaluation-output-invalid');
  });
});
