import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as w from 'weakincentives';
import { aiSdk, fromAiSdkTool, toAiSdkTools } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { adapterConformance } from 'weakincentives/conformance';
import {
  LocalOverridesStore,
  openHostFilesystem,
  openStagedFolder,
  readFolder,
  readSkillFolder,
} from 'weakincentives/node';
import { openai, openaiDialect, runOpenAICalls, toOpenAITools } from 'weakincentives/openai';
import * as provider from 'weakincentives/provider';
import { mockHostedToolCodec, scriptedAdapter } from 'weakincentives/testing';
import * as suite from 'weakincentives/tools';
import { systemClock } from '../../src/core/session/index.ts';

/** A maker, and arguments that it takes. It is code without types that gives it others. */
type Case = readonly [make: (...args: never[]) => unknown, ...args: readonly unknown[]];

const root = mkdtempSync(join(tmpdir(), 'wink-wrong-'));
mkdirSync(join(root, 'work'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const [folder, stateDirectory] = [join(root, 'work'), join(root, 'state')];

const work = (): undefined => undefined;
const schema = w.jsonSchema({ type: 'object', properties: {} });
const event = w.defineEvent({ name: 'event', schema });
const slice = w.defineSlice({ name: 'slice', schema });
const token = w.resourceToken<object>('thing');
const files = new w.MemoryFilesystem();
const tool = w.tool({ name: 'look', description: 'Looks.', execute: () => w.ToolResult.ok(null) });
const section = w.section({ title: 'Task', key: 'task', template: 'Do it.' });
const template = w.promptTemplate({ ns: 'tests', key: 'wrong', sections: [section] });
const prompt = template.bind();
const adapter = scriptedAdapter([{ text: 'Done.' }]);
const checker = w.filesExistCompletion({ paths: ['a'] });
const withRuntime =
  (use: (runtime: w.ToolRuntime, ...args: never[]) => unknown) =>
  async (...args: never[]): Promise<void> => {
    await using runtime = await w.openToolRuntime(prompt);
    await use(runtime, ...args);
  };

const cases: Readonly<Record<string, Case>> = {
  tool: [
    w.tool,
    {
      name: 'a',
      description: 'A.',
      execute: work,
      inputSchema: schema,
      outputSchema: schema,
      render: work,
      timeoutMs: 3,
      effects: 'read',
      examples: [],
    },
  ],
  hostedTool: [w.hostedTool, { kind: 'k', name: 'a', description: 'A.', config: {} }],
  section: [
    w.section,
    {
      title: 'T',
      key: 't',
      children: [],
      enabled: work,
      visibility: 'full',
      summary: 's',
      template: 'x',
      tools: [],
      hostedTools: [],
      policies: [],
      slices: [],
      resources: [],
      acceptsOverrides: true,
    },
  ],
  toolsSection: [w.toolsSection, { title: 'T', key: 't', tools: [tool], description: 'x' }],
  extendSection: [(changes: never) => w.extendSection(section, changes), { title: 'U' }],
  promptTemplate: [
    w.promptTemplate,
    { ns: 'n', key: 'k', name: 'x', sections: [section], output: schema, policies: [], resources: [] },
  ],
  'template.bind': [(...args: never[]) => template.bind(...args), {}, { resources: [] }],
  'prompt.render': [(options: never) => prompt.render(options), {}],
  'prompt.checkOverrides': [
    (overrides: never) => prompt.checkOverrides(overrides),
    { ...prompt.seedOverrides('latest') },
  ],
  defineEvent: [w.defineEvent, { name: 'e', schema }],
  defineSlice: [
    w.defineSlice,
    { name: 's', schema, initial: [], reducers: () => [], version: 1, policy: 'state' },
  ],
  defineDerivedSlice: [w.defineDerivedSlice, { name: 'd', source: slice, derive: () => [] }],
  Session: [
    (options: never) => new w.Session(options),
    {
      id: 'a',
      dispatcher: w.createDispatcher(),
      parent: new w.Session(),
      tags: {},
      clock: systemClock,
      ids: () => 'id',
      logger: console,
    },
  ],
  'session.install': [(...args: [never, never]) => new w.Session().install(...args), slice, {}],
  'session.dispatch': [(...args: [never, never]) => new w.Session().dispatch(...args), event, {}],
  'session.fork': [(options: never) => new w.Session().fork(options), {}],
  'dispatcher.subscribe': [(...args: [never, never]) => w.createDispatcher().subscribe(...args), event, work],
  'dispatcher.onFailure': [(listener: never) => w.createDispatcher().onFailure(listener), work],
  binding: [w.binding, token, { create: work, scope: 'singleton', afterCreate: work, eager: true }],
  'binding of an instance': [w.binding, token, { instance: files, owned: true }],
  'ResourceRegistry.of': [(bindings: never) => w.ResourceRegistry.of(bindings), []],
  MemoryFilesystem: [(options: never) => new w.MemoryFilesystem(options), { files: {} }],
  'files.glob': [(...args: [never, never]) => files.glob(...args), '*', {}],
  'files.grep': [(...args: [never, never]) => files.grep(...args), 'a', {}],
  'files.edit': [(...args: [never, never]) => files.edit(...args), 'a', [{ oldText: 'a', newText: 'b' }]],
  readBeforeWritePolicy: [w.readBeforeWritePolicy, {}],
  sequentialDependencyPolicy: [w.sequentialDependencyPolicy, { name: 'x', dependencies: { a: ['b'] } }],
  BudgetTracker: [(budget: never) => new w.BudgetTracker(budget), { maxTotalTokens: 3 }],
  addUsage: [w.addTokenUsage, {}, {}],
  costOf: [w.tokenCost, {}, { inputPerMillion: 1, outputPerMillion: 1 }],
  Deadline: [(...args: [never, never]) => new w.Deadline(...args), Date.now() + 1e9, systemClock],
  'Deadline.after': [(...args: [never, never]) => w.Deadline.after(...args), 1_000, systemClock],
  deadlineFeedback: [w.deadlineFeedback, {}],
  repetitionFeedback: [w.repetitionFeedback, { times: 2 }],
  redactPatterns: [w.redactPatterns, ['a']],
  redactSecrets: [w.redactSecrets, { TOKEN: 'aaaaaaaa' }],
  jsonSchema: [w.jsonSchema, { type: 'object' }],
  open: [w.looseSchema, schema],
  projectSchema: [provider.projectSchema, schema, { ...openaiDialect }],
  planCompletion: [suite.planCompletion, {}],
  planningToolsSection: [suite.planningToolsSection, { key: 'plan', policies: [] }],
  skillsSection: [
    suite.skillsSection,
    { from: [{ name: 'a', description: 'A.', body: '', files: { b: 'c' } }], include: ['a'], key: 'k' },
  ],
  projectInstructionsSection: [
    suite.projectInstructionsSection,
    { files: ['AGENTS.md'], maxCharacters: 10, key: 'k' },
  ],
  readSkills: [suite.readSkills, { filesystem: files, path: '.' }],
  readSkillFolder: [readSkillFolder, { folder }],
  vfsToolsSection: [suite.vfsToolsSection, { key: 'vfs', title: 'Files', acceptsOverrides: true }],
  formatPlan: [suite.formatPlan, { objective: 'x', status: 'active', steps: [] }],
  webSearchTool: [suite.webSearchTool, {}],
  webSearchSection: [suite.webSearchSection, {}],
  anyCompletion: [w.anyCompletion, { ...checker }],
  filesExistCompletion: [w.filesExistCompletion, { paths: ['a'] }],
  lastCallCompletion: [w.lastCallCompletion, { toolName: 'a' }],
  hostedOutputsOf: [w.hostedOutputsOf, { hostedOutputs: {} }, suite.webSearchTool()],
  VisibilityExpansionRequired: [
    (...args: [never, never]) => new w.VisibilityExpansionRequired(...args),
    ['a'],
    'why',
  ],
  defineAdapter: [provider.providerAdapter, { model: { name: 'm', generate: work }, name: 'a' }],
  defineAgent: [
    w.defineAgent,
    {
      template,
      params: {},
      model: adapter,
      input: 'a',
      workspace: {},
      maxTurns: 2,
      budget: {},
      approve: work,
      feedback: [],
      completion: checker,
      name: 'x',
      description: 'y',
    },
  ],
  toolRuntime: [
    async (...args: [never, never]) => (await w.openToolRuntime(...args))[Symbol.asyncDispose](),
    prompt,
    { name: 'x' },
  ],
  evaluate: [(...args: [never, never]) => adapter.evaluate(...args), prompt, { maxTurns: 3 }],
  stream: [(...args: [never, never]) => adapter.stream(...args).next(), prompt, { maxTurns: 3 }],
  'runtime.runCalls': [withRuntime((runtime, calls: never) => runtime.runCalls(calls)), []],
  'runtime.call': [
    withRuntime((runtime, call: never) => runtime.call(call)),
    { callId: 'a', name: 'look', arguments: '{}' },
  ],
  'runtime.countUsage': [withRuntime((runtime, usage: never) => runtime.countUsage(usage)), {}],
  openHostFilesystem: [
    async (options: never) => (await openHostFilesystem(options))[Symbol.asyncDispose](),
    { root: folder, include: [], exclude: [], writeOn: 'never', maxFileBytes: 3, stateDirectory },
  ],
  hostMount: [readFolder, { hostPath: folder, allowedRoots: [root], include: [], exclude: [] }],
  openStagedFolder: [openStagedFolder, files, { exclude: [] }],
  LocalOverridesStore: [(options: never) => new LocalOverridesStore(options), { root: folder }],
  openai: [openai, { model: 'm', apiKey: 'k', settings: {} }],
  toOpenAITools: [toOpenAITools, { tools: [] }, {}],
  runOpenAICalls: [runOpenAICalls, Object.freeze({ tools: [], runCalls: async () => [] }), []],
  anthropic: [anthropic, { model: 'm', apiKey: 'k', settings: {} }],
  aiSdk: [
    aiSdk,
    {
      model: {
        specificationVersion: 'v3',
        provider: 'x',
        modelId: 'y',
        supportedUrls: {},
        doGenerate: work,
        doStream: work,
      },
    },
  ],
  fromAiSdkTool: [fromAiSdkTool, { description: 'x', inputSchema: schema, execute: work }, { name: 'name' }],
  toAiSdkTools: [toAiSdkTools, { tools: [], call: work }, {}],
  scriptedModel: [(options: never) => scriptedAdapter([], options), { name: 'm' }],
  adapterConformance: [adapterConformance, { name: 'x' }],
  mockHostedToolCodec: [mockHostedToolCodec, { kind: 'x', outputs: [] }],
};

/** What an error says that comes from inside, where a value was used as what it is not. */
const internals =
  /Cannot (read|destructure|convert|use|set|access)|is not (a function|iterable|a constructor|an object)|is not defined|undefined is not|Invalid value used|private (member|field|name)|ERR_INVALID|argument must be of type|caller/;

const wrong: readonly unknown[] = [undefined, null, 'x', 7, [], work, {}, true, new Map()];

async function thrownBy(
  make: Case[0],
  args: readonly unknown[],
): Promise<{ readonly error: unknown } | undefined> {
  try {
    await Reflect.apply(make, undefined, args);
    return undefined;
  } catch (error) {
    return { error };
  }
}

/** Options, that is, and not what a maker made. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || '~standard' in value)
    return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** Every way to give one argument, or one option, another value. */
function* variants(args: readonly unknown[]): Generator<readonly [place: string, args: readonly unknown[]]> {
  for (const [index, arg] of args.entries()) {
    for (const value of wrong) yield [`argument ${index} = ${show(value)}`, args.with(index, value)];
    if (!isPlain(arg)) continue;
    for (const name of Object.keys(arg)) {
      for (const value of wrong) {
        yield [`${name} of argument ${index} = ${show(value)}`, args.with(index, { ...arg, [name]: value })];
      }
    }
  }
}

function show(value: unknown): string {
  return typeof value === 'object' ? (JSON.stringify(value) ?? '') : typeof value;
}

describe.each(Object.entries(cases))('%s', (_name, [make, ...args]) => {
  it('never fails inside over an argument of the wrong kind', async () => {
    const inside: string[] = [];
    for (const [place, given] of variants(args)) {
      const thrown = await thrownBy(make, given);
      if (thrown === undefined || w.WinkError.isInstance(thrown.error)) continue;
      const text = String(thrown.error);
      if (!(thrown.error instanceof Error) || internals.test(text)) inside.push(`${place}: ${text}`);
    }
    expect(inside).toEqual([]);
  });

  it('refuses options that are no object, and says what it got', async () => {
    for (const [index, arg] of args.entries()) {
      if (!isPlain(arg)) continue;
      for (const value of [null, 'x', 7]) {
        const thrown = await thrownBy(make, args.with(index, value));
        expect(w.WinkError.isInstance(thrown?.error), `argument ${index} = ${show(value)}`).toBe(true);
      }
    }
  });
});

it('says what was expected and of what kind the value is, but not the value', () => {
  const make = (): unknown => Reflect.apply(w.tool, undefined, [{ name: 'a', examples: 'sk-12345' }]);
  expect(make).toThrow(/^tool\(\): examples must be an array; received a string\.$/);
});
