import { describe, expect, test } from 'vitest';
import {
  BudgetTracker,
  type EvaluateOptions,
  lastCallCompletion,
  PromptValidationError,
  type RunEvent,
  section,
} from 'weakincentives';
import { type HarnessCapabilities, harnessAdapter } from 'weakincentives/provider';
import { memoryJournal } from 'weakincentives/testing';
import { hostedMcpTool } from 'weakincentives/tools';
import { fullCapabilities, loopHarness } from '../../../support/harness/loop-harness.ts';
import { notebook, noteTool } from '../../../support/harness/notebook.ts';
import { said, scriptedModel } from '../../../support/harness/said.ts';

function adapterWith(capabilities: HarnessCapabilities) {
  const { model, requests } = scriptedModel([said('Done.')]);
  return {
    adapter: harnessAdapter({ harness: loopHarness({ model, capabilities, name: 'plain' }) }),
    requests,
  };
}

const nothing: HarnessCapabilities = {};
const user = { type: 'user', content: [{ type: 'text', text: 'Hello.' }] } as const;
const checker = lastCallCompletion({ toolName: 'note' });

const refused: readonly (readonly [option: string, options: EvaluateOptions])[] = [
  ['history', { history: [user] }],
  ['journal', { journal: memoryJournal() }],
  ['context.maxTurns', { context: { maxTurns: 4 } }],
  ['context.compact', { context: { compact: { atInputTokens: 4_000, toInputTokens: 2_000 } } }],
  ['retry', { retry: { maxAttempts: 2 } }],
  ['toolChoice', { toolChoice: 'required' }],
  ['settings.temperature', { settings: { temperature: 0.5 } }],
  ['streaming', { streaming: true }],
  ['input', { input: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }] }],
  ['limits.maxTurns', { limits: { maxTurns: 3 } }],
  ['limits.budget', { limits: { budget: { maxTotalTokens: 100 } } }],
  ['completion', { completion: checker }],
  ['limits.maxOutputRepairs', { limits: { maxOutputRepairs: 1 } }],
];

describe('a harness that can do nothing refuses', () => {
  test.each(refused)('%s', async (option, options) => {
    const { adapter, requests } = adapterWith(nothing);
    const events: RunEvent[] = [];
    const given = { ...options, observers: [{ onEvent: (event: RunEvent) => events.push(event) }] };
    const error: unknown = await adapter.evaluate(notebook(), given).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PromptValidationError);
    expect(error).toMatchObject({
      message: expect.stringContaining(`The harness "plain" does not honor ${option}: `),
      details: { option, harness: 'plain' },
    });
    expect(() => adapter.stream(notebook(), options)).toThrow(`does not honor ${option}`);
    expect({ events, requests }).toEqual({ events: [], requests: [] });
  });

  test('hosted tools', async () => {
    const { adapter, requests } = adapterWith(fullCapabilities);
    const config = { label: 'shelf', url: 'https://shelf.example/mcp' };
    const hosted = section({
      title: 'Shelf',
      key: 'shelf',
      template: 'Look.',
      hostedTools: [hostedMcpTool({ config, name: 'shelf' })],
    });
    await expect(adapter.evaluate(notebook([noteTool()], [hosted]))).rejects.toMatchObject({
      name: 'PromptValidationError',
      details: { option: 'hostedTools', harness: 'plain' },
    });
    expect(requests).toEqual([]);
  });

  test('sections whose tools would come later', async () => {
    const closed = section({
      title: 'More',
      key: 'more',
      summary: 'More tools.',
      template: 'Use them.',
      visibility: 'summary',
      tools: [noteTool('note_more')],
    });
    const prompt = notebook([noteTool()], [closed]);
    const { adapter, requests } = adapterWith({ ...fullCapabilities, addedTools: false });
    await expect(adapter.evaluate(prompt)).rejects.toMatchObject({ details: { option: 'visibility' } });
    expect(requests).toEqual([]);
    const { adapter: able } = adapterWith(fullCapabilities);
    await expect(able.evaluate(prompt)).resolves.toMatchObject({ text: 'Done.' });
  });
});

describe('a harness that can do nothing takes', () => {
  test.each<readonly [what: string, options: EvaluateOptions]>([
    ['an empty history', { history: [] }],
    ['retry: false', { retry: false }],
    ['the default tool choice', { toolChoice: 'auto' }],
    ['a tracker without a limit', { limits: { budget: new BudgetTracker({}, { isLimitRequired: false }) } }],
    ['one check for completion', { completion: checker, limits: { maxCompletionChecks: 1 } }],
    ['no repairs', { limits: { maxOutputRepairs: 0 } }],
    ['parts of text', { input: [{ type: 'text', text: 'Go.' }] }],
  ])('%s', async (what, options) => {
    const { adapter } = adapterWith(nothing);
    const run = adapter.evaluate(notebook(), options);
    if (what === 'one check for completion')
      await expect(run).rejects.toMatchObject({ code: 'evaluation-incomplete' });
    else await expect(run).resolves.toMatchObject({ text: 'Done.' });
  });
});

test('a setting that the harness honors reaches it', async () => {
  const { adapter, requests } = adapterWith({ ...fullCapabilities, settings: ['reasoningEffort'] });
  await adapter.evaluate(notebook(), { settings: { reasoningEffort: 'low' } });
  expect(requests[0]?.settings).toEqual({ reasoningEffort: 'low' });
});

test('options of the wrong kind are refused at construction', () => {
  const { model } = scriptedModel([]);
  const harness = loopHarness({ model });
  const wrong: unknown[] = [
    undefined,
    {},
    { harness: { name: 'x' } },
    { harness, name: 7 },
    { harness, adapter: 'openai' },
  ];
  for (const options of wrong) {
    // Code without types may give anything.
    expect(() => harnessAdapter(options as never)).toThrow(PromptValidationError);
  }
  const other = harnessAdapter({ harness });
  expect(() => harnessAdapter({ harness, adapter: other })).toThrow('must be an adapter of a model');
});
