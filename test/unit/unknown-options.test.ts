import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import * as w from 'weakincentives';
import * as acp from 'weakincentives/acp';
import * as aiSdk from 'weakincentives/ai-sdk';
import * as anthropic from 'weakincentives/anthropic';
import * as claudeAgent from 'weakincentives/claude-agent';
import * as conformance from 'weakincentives/conformance';
import * as durable from 'weakincentives/durable';
import * as mcp from 'weakincentives/mcp';
import * as node from 'weakincentives/node';
import * as openai from 'weakincentives/openai';
import * as otel from 'weakincentives/otel';
import * as postgres from 'weakincentives/postgres';
import * as provider from 'weakincentives/provider';
import * as record from 'weakincentives/record';
import * as sandbox from 'weakincentives/sandbox';
import * as sqlite from 'weakincentives/sqlite';
import * as testing from 'weakincentives/testing';
import * as suite from 'weakincentives/tools';

type Options = Readonly<Record<string, unknown>>;

/** What a maker is called with: its options, and what stands before them. Untyped code may give it anything. */
interface Maker {
  readonly before?: readonly unknown[];
  /** Documented options; those that are objects of options themselves are in `within`. */
  readonly options: Options;
  /** Options that are objects of options, each with documented ones. */
  readonly within?: Readonly<Record<string, Options>>;
}

const root = mkdtempSync(join(tmpdir(), 'wink-unknown-'));
mkdirSync(join(root, 'work'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const folder = join(root, 'work');

const work = (): undefined => undefined;
const schema = w.jsonSchema({ type: 'object', properties: {} });
const slice = w.defineSlice({ name: 'slice', schema });
const files = new w.MemoryFilesystem();
const tool = w.tool({ name: 'look', description: 'Looks.', execute: () => w.ToolResult.ok(null) });
const section = w.section({ title: 'Task', key: 'task', template: 'Do it.' });
const template = w.promptTemplate({ ns: 'tests', key: 'unknown', sections: [section] });
const prompt = template.bind();
const adapter = testing.scriptedAdapter([{ text: 'Done.' }]);
const agent = w.defineAgent({ template, adapter });
const journal = testing.memoryJournal();
const runLimits = { maxTurns: 3 };
const budget = { maxTotalTokens: 1_000 };
const config = { domainFilter: { allowed: ['example.org'] } };
const model = { name: 'm', generate: work };
const aiModel = {
  specificationVersion: 'v3',
  provider: 'x',
  modelId: 'y',
  supportedUrls: {},
  doGenerate: work,
  doStream: work,
};
const harness = { name: 'h', capabilities: {}, run: work };
const tracer = { startSpan: work };

const queue = testing.memoryQueue();
const pool = { query: work, connect: work, on: work };

const makers: Readonly<Record<string, Maker>> = {
  acp: { options: { command: 'agent', args: [] } },
  adapterConformance: { before: [{ name: 'x', connect: work }], options: { patienceMs: 10 } },
  agentTool: { options: { name: 'ask', description: 'Asks.', template } },
  aiSdk: { options: { model: aiModel } },
  answerApprovals: { options: { journal, runId: 'a', answers: [] } },
  anthropic: { options: { model: 'm', apiKey: 'k' } },
  binding: { before: [w.resourceToken('thing')], options: { create: work } },
  bubblewrapSandbox: { options: { program: 'bwrap' }, within: { limits: {}, staging: { exclude: [] } } },
  BudgetTracker: { options: budget, within: { prices: { inputPerMillion: 1, outputPerMillion: 1 } } },
  claudeAgent: { options: { model: 'm' } },
  codeEvaluationSection: { options: { key: 'evaluate' }, within: { limits: {} } },
  codeInterpreterTool: { options: { description: 'Runs.' }, within: { config: {} } },
  deadlineFeedback: { options: {} },
  defineAgent: { options: { template }, within: { limits: runLimits, workspace: { include: [] } } },
  defineDerivedSlice: { options: { name: 'd', source: slice, derive: () => [] } },
  defineEvent: { options: { name: 'e', schema } },
  defineSlice: { options: { name: 's', schema } },
  directoryBlobs: { options: { folder: join(root, 'blobs') } },
  extendSection: { before: [section], options: { title: 'U' } },
  fileSearchTool: { options: { description: 'Finds.' }, within: { config: { storeIds: ['a'] } } },
  filesExistCompletion: { options: { paths: ['a'] } },
  forkRun: { options: { journal, runId: 'a', at: 1, newRunId: 'b' } },
  fromAiSdkTool: {
    before: [{ description: 'x', inputSchema: schema, execute: work }],
    options: { name: 'name' },
  },
  gitSection: { options: { key: 'git' }, within: { limits: {} } },
  harnessAdapter: { options: { harness } },
  hostedMcpTool: { options: { name: 'm' }, within: { config: { label: 'm', url: 'https://example.org' } } },
  hostedTool: { options: { kind: 't', name: 'a', description: 'A.', config: {} } },
  imageGenerationTool: { options: { description: 'Draws.' }, within: { config: {} } },
  leasedJournal: { options: { backend: {} } },
  memoryQueue: { options: { retryLimit: 2 } },
  migrate: { options: { pool } },
  pgBossQueue: { options: { boss: {} } },
  postgresJournal: { options: { pool } },
  postgresResource: { options: { pool } },
  runOnSteps: { options: { step: work, runId: 'a', start: work } },
  runWorker: { options: { journal, queue, agents: {} } },
  s3Blobs: { options: { client: {}, bucket: 'b' } },
  submitRun: { options: { queue, job: { agent: 'a' } } },
  lastCallCompletion: { options: { toolName: 'a' } },
  LocalOverridesStore: { options: { root: folder } },
  MemoryFilesystem: { options: { files: {} } },
  mockHostedToolCodec: { options: { kind: 'x', outputs: [] } },
  openai: { options: { model: 'm', apiKey: 'k' } },
  openHostFilesystem: { options: { root: folder } },
  openMcpSection: {
    options: { key: 'm', title: 'M', server: { url: 'http://127.0.0.1:1' } },
    within: { limits: {} },
  },
  openMcpServer: {
    before: [prompt],
    options: { name: 'n', version: '1', transport: { kind: 'http' } },
    within: { limits: {}, transport: { kind: 'http' } },
  },
  openRunRecorder: { options: { file: join(root, 'run.jsonl') } },
  openStagedFolder: { before: [files], options: { exclude: [] } },
  openToolRuntime: { before: [prompt], options: { name: 'x' }, within: { limits: { budget } } },
  openWorkspace: { options: { folder } },
  otelObserver: { options: { tracer } },
  pendingApprovals: { options: { journal, runId: 'a' } },
  planCompletion: { options: { requirePlan: true } },
  planningToolsSection: { options: { key: 'plan' } },
  projectInstructionsSection: { options: { key: 'instructions' } },
  podmanSandbox: { options: { image: 'alpine' }, within: { limits: {}, staging: { exclude: [] } } },
  podmanSection: { options: { image: 'alpine' } },
  promptTemplate: { options: { ns: 'n', key: 'k', sections: [section] } },
  providerAdapter: { options: { model, name: 'a' } },
  readBeforeWritePolicy: { options: { name: 'r' } },
  readFolder: { options: { hostPath: folder, allowedRoots: [root] } },
  readSkillFolder: { options: { folder } },
  readSkills: { options: { filesystem: files } },
  recordedAdapter: { options: { record: {} } },
  repetitionFeedback: { options: { times: 2 } },
  replayRun: { options: { record: {}, prompt, adapter } },
  cancelRun: { options: { journal, runId: 'a' } },
  fallbackAdapter: { options: { adapters: [adapter, testing.scriptedAdapter([], { name: 'another' })] } },
  ensureRun: { options: { adapter, prompt, journal, runId: 'a' }, within: { limits: runLimits } },
  resumeRun: { options: { adapter, prompt, journal, runId: 'a' }, within: { limits: runLimits } },
  sayToRun: { options: { journal, runId: 'a', input: 'x' } },
  runAgent: { before: [agent], options: {}, within: { limits: runLimits, context: { maxTurns: 3 } } },
  runRecorder: { options: { write: work } },
  scriptedAdapter: { before: [[]], options: { name: 'm' } },
  section: { options: { title: 'T', key: 't', template: 'x', policies: [] } },
  sequentialDependencyPolicy: { options: { name: 'x', dependencies: { a: ['b'] } } },
  Session: { options: { tags: {} } },
  shellSection: { options: { key: 's', backend: {} } },
  skillsSection: { options: { key: 'k', from: [{ name: 'a', description: 'A.', body: '' }] } },
  sqliteJournal: { options: { file: join(root, 'runs.db') } },
  sqliteResource: { options: { database: w.resourceToken('db') } },
  sharedBudget: { options: { name: 'a', period: 'day', limits: budget } },
  streamAgent: { before: [agent], options: {}, within: { limits: runLimits } },
  suspendApproval: { options: { expiresMs: 10 } },
  toAiSdkTools: { before: [{ tools: [], call: work }], options: { version: 7 } },
  tokenCost: { before: [{}], options: { inputPerMillion: 1, outputPerMillion: 1 } },
  tool: { options: { name: 'a', description: 'A.', execute: work } },
  toolsSection: { options: { title: 'T', key: 't', tools: [tool], description: 'x' } },
  toOpenAIAgentsTools: { before: [{ tools: [], call: work }], options: {} },
  toOpenAITools: { before: [{ tools: [] }], options: {} },
  memorySection: { options: { key: 'memory' } },
  providerToolsSection: {
    options: { openai: { shell: true } },
    within: { openai: { shell: true }, anthropic: { bash: true } },
  },
  vfsToolsSection: { options: { key: 'vfs' }, within: { limits: { maxLines: 10 } } },
  virtualSandbox: { options: {}, within: { limits: {}, network: { allow: ['https://example.org'] } } },
  webFetchTool: { options: { description: 'Reads.' }, within: { config } },
  webSearchSection: { options: { key: 'web' }, within: { config } },
  webSearchTool: { options: { description: 'Searches.' }, within: { config } },
  workspaceDigestSection: { options: { key: 'digest' } },
};

/** What is exported and takes no options: its arguments are what it acts on, or code of an adapter implements them. */
const withoutOptions = new Set([
  'addTokenUsage',
  'anyCompletion',
  'createDispatcher',
  'createManualClock',
  'createMessageInbox',
  'Deadline',
  'durableConformance',
  'exportRecord',
  'formatPlan',
  'fromAiSdkUsage',
  'HostedToolRegistry',
  'hostedOutputsOf',
  'isSectionOpen',
  'jsonSchema',
  'looseSchema',
  'mcpServerFactory',
  'memoryJournal',
  'parseOverrides',
  'projectSchema',
  'quotedParam',
  'readRunRecord',
  'redactPatterns',
  'redactSecrets',
  'ResourceRegistry',
  'resourceToken',
  'revocableView',
  'RunFold',
  'runOpenAICalls',
  'snapshotProtocol',
  'toProviderError',
  'ToolSchemas',
]);

const entries = {
  ...w,
  ...acp,
  ...aiSdk,
  ...anthropic,
  ...claudeAgent,
  ...conformance,
  ...mcp,
  ...node,
  ...openai,
  ...otel,
  ...provider,
  ...record,
  ...sandbox,
  ...durable,
  ...postgres,
  ...sqlite,
  ...testing,
  ...suite,
};

/** Functions and classes of all entries, without errors, which users do not make. */
const exported = new Map(
  Object.entries(entries).flatMap(([name, value]) =>
    typeof value === 'function' && !(value.prototype instanceof Error) ? [[name, value] as const] : [],
  ),
);

test('every function and class that is exported has its options here, or takes none', () => {
  const known = [...Object.keys(makers), ...withoutOptions].sort();
  expect(known).toEqual([...exported.keys()].sort());
});

/** Makes it, and whatever it does only later. */
async function make(name: string, args: readonly unknown[]): Promise<void> {
  const maker = exported.get(name);
  if (maker === undefined) throw new Error(`Nothing is exported as ${name}.`);
  const isClass = /^class\b/.test(Function.prototype.toString.call(maker));
  const made: unknown = isClass
    ? Reflect.construct(maker, args)
    : await Reflect.apply(maker, undefined, args);
  if (typeof made === 'object' && made !== null && Symbol.asyncIterator in made) {
    // A stream says what is wrong with its first event.
    for await (const _event of made as AsyncIterable<unknown>) break;
  }
}

async function refusalOf(name: string, args: readonly unknown[]): Promise<string> {
  try {
    await make(name, args);
  } catch (error) {
    return w.WinkError.isInstance(error) ? error.message : `not an error of the library: ${String(error)}`;
  }
  return 'nothing';
}

describe.each(Object.entries(makers))('%s', (name, { before = [], options, within = {} }) => {
  it('refuses an option that it does not know', async () => {
    const refusal = await refusalOf(name, [...before, { ...options, zzz: 1 }]);
    expect(refusal).toMatch(/ no (?:option|limit|price) "(?:\w+\.)?zzz"/);
  });

  it('names the option that was meant', async () => {
    for (const option of Object.keys(options)) {
      const { [option]: value, ...others } = options;
      const refusal = await refusalOf(name, [...before, { ...others, [`${option}z`]: value }]);
      expect(refusal).toContain(`${option}z"`);
      expect(refusal).toMatch(new RegExp(String.raw`\b${option}\b`));
    }
  });

  it.each(Object.entries(within))('refuses what it does not know within %s', async (option, inner) => {
    const refusal = await refusalOf(name, [...before, { ...options, [option]: { ...inner, zzz: 1 } }]);
    expect(refusal).toMatch(new RegExp(String.raw` no (?:option|limit) "(?:(?:\w+\.)*${option}\.)?zzz"`));
  });
});
